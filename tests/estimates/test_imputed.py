"""Imputation and the bounds of clipped argument scores: results of the commands, computed again in plain Python."""

import json
import math
import random
import shutil
from collections import Counter
from pathlib import Path
from statistics import NormalDist

import pytest

from adjudge.cli import run
from adjudge.demo.eal import ASSESSMENTS, SOURCES, SUBMISSIONS
from adjudge.formats.eal_store import open_key, open_store
from adjudge.stats.resample import Stream
from adjudge.tasks.eal.classes import class_name, read_clusters
from adjudge.tasks.eal.responses import best, is_good

BETA = 0.25
KINDS = ("arguments", "linking")


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(line):
        capsys.readouterr()
        assert run(line.split()) == 0, line
        return capsys.readouterr().out

    return call


def score(tp, fp):
    return max(0.0, tp - BETA * fp)


# ---------------------------------------------------------------------------------------------------------------------
# The model


def logit(value):
    value = min(0.99, max(0.01, value))
    return math.log(value / (1 - value))


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def inverse(matrix):
    """By Gauss and Jordan."""
    size = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for at in range(size):
        pivot = max(range(at, size), key=lambda i: abs(rows[i][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [value / rows[at][at] for value in rows[at]]
        for i in range(size):
            if i != at and rows[i][at]:
                share = rows[i][at]
                rows[i] = [x - share * y for x, y in zip(rows[i], rows[at], strict=True)]
    return [row[size:] for row in rows]


def mode(x, verdicts, places, documents):
    """The coefficients and effects at which the penalised likelihood is highest, and the precision there."""
    terms, variance = len(x[0]), 1.0
    rows = [[*own, *(float(place == d) for d in range(documents))] for own, place in zip(x, places, strict=True)]
    found = [0.0] * (terms + documents)
    for _ in range(30):
        ridge = [0.05] * terms + [1 / variance] * documents
        for _ in range(30):
            chance = [1 / (1 + math.exp(-dot(row, found))) for row in rows]
            apart = [f - c for f, c in zip(verdicts, chance, strict=True)]
            slope = [dot(column, apart) for column in zip(*rows, strict=True)]
            slope = [s - r * f for s, r, f in zip(slope, ridge, found, strict=True)]
            precision = [[0.0] * len(found) for _ in found]
            for row, c in zip(rows, chance, strict=True):
                some = [i for i, value in enumerate(row) if value]
                for i in some:
                    for j in some:
                        precision[i][j] += c * (1 - c) * row[i] * row[j]
            for i, own in enumerate(ridge):
                precision[i][i] += own
            covariance = inverse(precision)
            step = [dot(row, slope) for row in covariance]
            found = [f + s for f, s in zip(found, step, strict=True)]
            if max(map(abs, step)) < 1e-9:
                break
        again = math.fsum(found[at] ** 2 + covariance[at][at] for at in range(terms, len(found))) / documents
        if abs(again - variance) < 1e-3:
            break
        variance = again
    return found, precision, variance


def test_imputed_scores_are_those_of_the_model(tmp_path, call):
    draw = random.Random(4)
    effects = [draw.gauss(0, 1) for _ in range(20)]
    pool, truth = [], {}
    for at in range(200):
        right = draw.random() < 1 / (1 + math.exp(0.3 - effects[at // 10]))
        systems = [name for name, p in (("A", 0.75), ("B", 0.55)) if draw.random() < (p if right else p - 0.3)] or ["A"]
        judge = round(min(1, max(0, draw.gauss(0.65 if right else 0.35, 0.2))), 2)
        pool.append({"id": f"x{at:03}", "document": f"d{at // 10:02}", "systems": systems, "judge": judge})
        truth[pool[-1]["id"]] = float(right)
    Path("pool.jsonl").write_text("".join(json.dumps(each) + "\n" for each in pool))
    call("sample pool.jsonl --size 120 -o design.jsonl")
    rows = [json.loads(line) for line in Path("design.jsonl").read_text().splitlines()[1:]]
    heard = {row["id"]: truth[row["id"]] for row in rows if row["drawn"]}
    Path("labels.jsonl").write_text("".join(json.dumps({"id": i, "verdict": v}) + "\n" for i, v in heard.items()))
    words = "estimate pool.jsonl labels.jsonl --design design.jsonl --impute"
    found = json.loads(call(f"{words} --format json"))
    model = {row["system"]: row for row in found["scores"] if row["method"] == "model"}
    (apart,) = (row for row in found["differences"] if row["method"] == "model")
    own = [float("A" in item["systems"]) for item in pool]
    share = [len(item["systems"]) / 2 for item in pool]
    x = [
        [1.0, logit(item["judge"]), a - sum(own) / 200, s - sum(share) / 200]
        for item, a, s in zip(pool, own, share, strict=True)
    ]
    read = [at for at in range(200) if pool[at]["id"] in heard]
    centre, precision, _ = mode(
        [x[at] for at in read], [truth[pool[at]["id"]] for at in read], [a // 10 for a in read], 20
    )
    diagonal = [precision[4 + d][4 + d] for d in range(20)]
    schur = [
        [
            precision[i][j] - sum(precision[i][4 + d] * precision[j][4 + d] / diagonal[d] for d in range(20))
            for j in range(4)
        ]
        for i in range(4)
    ]
    root = [[0.0] * 4 for _ in range(4)]
    for i in range(4):
        for j in range(i + 1):
            rest = schur[i][j] - sum(root[i][k] * root[j][k] for k in range(j))
            root[i][j] = math.sqrt(rest) if i == j else rest / root[j][j]
    stream, values = Stream(13, 7), []
    for _ in range(200):
        normal = [NormalDist().inv_cdf(each) for each in stream.shares(24).tolist()]
        moved = [0.0] * 4
        for i in reversed(range(4)):
            moved[i] = (normal[i] - sum(root[k][i] * moved[k] for k in range(i + 1, 4))) / root[i][i]
        beta = [c + m for c, m in zip(centre, moved, strict=False)]
        effect = [
            centre[4 + d]
            - sum(precision[i][4 + d] * moved[i] for i in range(4)) / diagonal[d]
            + normal[4 + d] / math.sqrt(diagonal[d])
            for d in range(20)
        ]
        chances = [1 / (1 + math.exp(-dot(row, beta) - effect[at // 10])) for at, row in enumerate(x)]
        verdicts = [
            heard.get(item["id"], float(coin < chance))
            for item, coin, chance in zip(pool, stream.shares(200).tolist(), chances, strict=True)
        ]
        tp, fp = Counter(), Counter()
        for at, item in enumerate(pool):
            for name in item["systems"]:
                tp[name, at // 10] += verdicts[at]
                fp[name, at // 10] += 1 - verdicts[at]
        values.append({name: sum(score(tp[name, d], fp[name, d]) for d in range(20)) / sum(verdicts) for name in "AB"})

    def ends(numbers):
        """The quantiles, between the values next to them."""
        ordered = sorted(numbers)
        for place in (0.025 * 199, 0.975 * 199):
            low = math.floor(place)
            yield ordered[low] + (place - low) * (ordered[low + 1] - ordered[low])

    for name in "AB":
        mine = [each[name] for each in values]
        wanted = (sum(mine) / 200, *ends(mine))
        assert [model[name][key] for key in ("value", "low", "high")] == pytest.approx(wanted, abs=1e-9)
        assert model[name]["bounds"] == pytest.approx(bounds_of(documents_of(pool, heard, name)), abs=1e-9)
    mine = [each["A"] - each["B"] for each in values]
    assert [apart[key] for key in ("value", "low", "high")] == pytest.approx((sum(mine) / 200, *ends(mine)), abs=1e-9)
    text = call(words)
    assert "argument score (model)" in text
    low, high = (100 * end for end in model["A"]["bounds"])
    assert f" in [{low:.1f}, {high:.1f}]" in text


# ---------------------------------------------------------------------------------------------------------------------
# Bounds


def documents_of(pool, heard, name):
    """By document: correct and wrong answers, all correct items, unread items of the system and of others."""
    found = {}
    for item in pool:
        own, verdict = name in item["systems"], heard.get(item["id"])
        counts = found.setdefault(item["document"], [0, 0, 0, 0, 0])
        if verdict is None:
            counts[3 if own else 4] += 1
        else:
            counts[0] += own * verdict
            counts[1] += own * (1 - verdict)
            counts[2] += verdict
    return list(found.values())


def bounds_of(documents, *, apart=False):
    """The ratios at which the best and the worst of all outcomes of the documents add up to nothing, by bisection."""

    def outcomes(tp, fp, correct, own, others):
        for right in range(own + 1):
            for more in range(right, own + 1) if apart else (right,):
                for other in range(others + 1):
                    yield score(tp + right, fp + own - right), correct + more + other

    listed, found = [list(outcomes(*each)) for each in documents], []
    for extreme in (min, max):
        low, high = 0.0, 1.0
        for _ in range(60):
            theta = (low + high) / 2
            above = sum(extreme(top - theta * bottom for top, bottom in own) for own in listed) > 0
            low, high = (theta, high) if above else (low, theta)
        found.append(low)
    return tuple(found)


def test_a_sample_of_classes_has_a_clipped_score_and_its_bounds(tmp_path, call):
    """The demo campaign and a copy of it under other names: 24 documents, of whose classes three fifths are drawn."""
    folders = {"sources": SOURCES, "assessments": ASSESSMENTS}
    folders |= {f"submissions/{name}/{kind}": path / kind for name, path in SUBMISSIONS.items() for kind in KINDS}
    for name, source in folders.items():
        shutil.copytree(source, name)
        for path in list(Path(name).iterdir()):
            text = path.read_text()
            if name == "assessments":  # ids are hashes of what they name, numbers are free
                text = "".join(f"{n}\t{line.partition(chr(9))[2]}\n" for n, line in enumerate(text.splitlines(), 1))
            path.with_name(path.name.replace("MINI", "MORE")).write_text(text.replace("MINI_", "MORE_"))
    for name in SUBMISSIONS:
        call(f"eal filter-quotes submissions/{name} --texts sources -o unquoted-{name} --quiet")
        call(f"eal trim unquoted-{name} -o {name} --quiet")
    call("eal pool granite marble slate -o pool --quiet")
    call("eal sample pool --by class --size 60% --clusters assessments -o drawn")
    words = "estimate assessments granite marble slate --clusters assessments --design drawn.design.jsonl --impute"
    found = json.loads(call(f"eal {words} --format json"))
    rows = {row["system"]: row for row in found["scores"] if row["method"] == "model"}
    design = [json.loads(line) for line in Path("drawn.design.jsonl").read_text().splitlines()[1:]]
    drawn = {row["id"]: row["drawn"] for row in design}
    clusters = read_clusters("assessments")
    right, good = {}, {}
    with open_key("assessments") as keys:
        for document in keys.documents:
            for response, said in keys.key(document).assessed.items():
                name = class_name(response, clusters)
                right[name] = max(right.get(name, 0.0), float(is_good(response, said)))
                good[response] = is_good(response, said)
    for system, row in rows.items():
        answers = {}
        with open_store(system) as store:
            for document in store.documents:
                for argument in store.arguments(document).arguments:
                    answers.setdefault(class_name(argument.response, clusters), []).append(argument)
        counts = {}
        for name, read in drawn.items():
            own = counts.setdefault(name.split()[0], [0, 0, 0, 0, 0])
            if not read:
                own[3 if name in answers else 4] += 1
                continue
            own[2] += right[name]
            if name in answers:
                own[0 if good[best(answers[name]).response] else 1] += 1
        assert row["bounds"] == pytest.approx(bounds_of(counts.values(), apart=True), abs=1e-9)
        assert row["bounds"][0] < row["low"] < row["value"] < row["high"] < row["bounds"][1]
        total = 0.0
        for document in counts:
            own = [good[best(own).response] for name, own in answers.items() if name.split()[0] == document]
            total += score(sum(own), len(own) - sum(own))
        true = total / sum(right.values())
        assert row["bounds"][0] <= true <= row["bounds"][1]
        assert row["low"] - 0.02 < true < row["high"] + 0.02
