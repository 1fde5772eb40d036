"""Judges, plans, clusters and runs, computed again in plain Python, and where they have to agree with one another."""

import json
import math
import random
from collections import defaultdict

import pytest

from adjudge.cli import run as run_command
from adjudge.estimates.api import estimate, judge, sample
from adjudge.estimates.design import Design, Round
from adjudge.estimates.documents import Counted, estimate_documents
from adjudge.estimates.draw import draw_each
from adjudge.estimates.pool import Drawn
from adjudge.estimates.rows import How
from adjudge.stats.intervals import student_quantile
from adjudge.stats.measure import Ratio
from adjudge.stats.table import StatsTable

close = pytest.approx


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(words):
        return run_command(words.split()), *capsys.readouterr()

    return call


def pooled(number=160, systems=("A", "B", "C"), seed=3):
    """A pool in 20 documents and 7 stories, and the truth."""
    draw = random.Random(seed)
    pool, truth = [], {}
    for at in range(number):
        right = draw.random() < 0.5
        found = [name for name in systems if draw.random() < (0.7 if right else 0.35)] or [systems[0]]
        told = round(min(1, max(0, (0.65 if right else 0.35) + draw.gauss(0, 0.25))), 2)
        document = at % 20
        item = {"id": f"x{at:03}", "document": f"d{document:02}", "story": document % 7, "type": "PQR"[at % 3]}
        pool.append({**item, "systems": found, "judge": told})
        truth[item["id"]] = int(right)
    return pool, truth


def labels(design, truth):
    return {row.id: truth[row.id] for row in design.rows if row.drawn}


def write(folder, name, rows):
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


# ---------------------------------------------------------------------------------------------------------------------
# The judge


def shares_of(items, verdicts, weights):
    """Agreement, kappa, sensitivity and specificity of weighted items."""
    cells = defaultdict(float)
    for item in items:
        cells[verdicts[item["id"]] >= 0.5, item["judge"] >= 0.5] += weights[item["id"]]
    yes, missed, false, no = (cells[pair] for pair in ((True, True), (True, False), (False, True), (False, False)))
    total = yes + missed + false + no
    agree = (yes + no) / total
    chance = ((yes + missed) * (yes + false) + (false + no) * (missed + no)) / total**2
    return {
        "agreement": agree,
        "kappa": (agree - chance) / (1 - chance),
        "sensitivity": yes / (yes + missed),
        "specificity": no / (no + false),
    }


@pytest.mark.parametrize("how", ["equal", "strata", "known before"])
@pytest.mark.parametrize("scope", ["pool", "A"])
def test_intervals_of_a_judge(how, scope):
    """The jackknife of 2.3: stratum by stratum, and what was known before is never left out."""
    pool, truth = pooled()
    options = {
        "equal": {},
        "strata": {"strata": "type"},
        "known before": {"labels": {f"x{at:03}": 1 for at in range(40)}},
    }
    design = sample(pool, 60, **options[how])
    verdicts, rows = labels(design, truth), {row.id: row for row in design.rows}
    read = [item for item in pool if rows[item["id"]].drawn]
    inside = [item for item in read if scope == "pool" or scope in item["systems"]]
    weights = {item["id"]: 1 / rows[item["id"]].probability for item in read}
    value = shares_of(inside, verdicts, weights)
    strata = defaultdict(list)
    for item in read:
        if rows[item["id"]].probability < 1:
            strata[rows[item["id"]].stratum].append(item["id"])
    variance = dict.fromkeys(value, 0.0)
    for members in strata.values():
        number = len(members)
        for out in members:
            others = {**weights, **{each: weights[each] * number / (number - 1) for each in members}}
            left = shares_of([item for item in inside if item["id"] != out], verdicts, others)
            for name in variance:
                share = (number - 1) / number * (1 - rows[out].probability)
                variance[name] += share * (left[name] - value[name]) ** 2
    freedom = sum(rows[item["id"]].probability < 1 for item in inside) - 1
    found = {row.measure: row for row in judge(pool, verdicts, design=design).agreement if row.scope == scope}
    for name, row in found.items():
        half = student_quantile(0.95, freedom) * math.sqrt(variance[name]) / (value[name] * (1 - value[name]))
        middle = math.log(value[name] / (1 - value[name]))
        ends = [1 / (1 + math.exp(-end)) for end in (middle - half, middle + half)]
        assert (row.value, row.low, row.high) == (close(value[name]), close(ends[0]), close(ends[1]))


def test_of_few_labels_there_are_only_counts(tmp_path, run):
    pool, truth = pooled()
    design = sample(pool, 29)
    found = judge(pool, labels(design, truth), design=design)
    assert (found.n, found.of, found.agreement, found.bias, found.saved) == (29, 160, (), (), {})
    assert [note.code for note in found.notes] == ["few-labels"]


# ---------------------------------------------------------------------------------------------------------------------
# Clusters, runs, plans


def annotated(folder, systems=("A#1", "A#2", "B")):
    """Mentions in 24 documents of 8 stories, half of them letters."""
    draw = random.Random(12)
    rows = defaultdict(list)
    for at in range(24):
        spans = [{"start": 5 * x, "end": 5 * x + 3, "type": "PER"} for x in range(draw.randint(3, 8))]
        about = {"id": f"d{at:02}", "story": at % 8, "genre": ("letters", "news")[at % 2]}
        rows["gold"].append({**about, "entities": spans})
        for name in systems:
            share = {"A": 0.85, "B": 0.6, "C": 0.55}[name[0]] + draw.gauss(0, 0.08)
            rows[name].append({"id": about["id"], "entities": [each for each in spans if draw.random() < share]})
    for name, own in rows.items():
        write(folder, f"{name}.jsonl", own)
    return " ".join(f"{name}.jsonl" for name in ("gold", *systems))


SCORE = "ner score {} --metric ner.strict --quiet"


def test_runs_can_be_fixed_wherever_results_are_read(tmp_path, run):
    files = annotated(tmp_path)
    assert run(f"{SCORE} --save r.json".format(files))[0] == 0
    fixed = json.loads(run(f"{SCORE} --runs-fixed --format json".format(files))[1])
    code, out, said = run("compare r.json --runs-fixed --format json")
    assert (code, said) == (0, "")
    assert json.loads(out)["systems"] == fixed["systems"]
    assert run("report r.json --runs-fixed -o page.html")[0] == 0
    assert "the mean of 2 runs, taken as fixed" in (tmp_path / "page.html").read_text()


def test_runs_have_slices_and_ranks(tmp_path, run):
    files = annotated(tmp_path)
    sliced = json.loads(run(f"{SCORE} --by genre --format json".format(files))[1])
    ids = ",".join(f"d{at:02}" for at in range(1, 24, 2))
    news = json.loads(run(f"{SCORE} --docs {ids} --format json".format(files))[1])
    for whole, alone in zip(sliced["systems"], news["systems"], strict=True):
        own = [{**score, "slice": {}} for score in whole["scores"] if score["slice"] == {"genre": "news"}]
        assert own == alone["scores"]
    tests = [each for each in sliced["comparisons"] if each["family"] == "genre"]
    assert [each["slice"]["genre"] for each in tests] == ["letters", "news"]
    smaller, larger = sorted(each["p"] for each in tests)
    assert sorted(each["p_holm"] for each in tests) == close([min(1, 2 * smaller), max(2 * smaller, larger)])
    beyond = next(each for each in sliced["comparisons"] if not each["slice"])["p_holm"] <= 0.05
    assert [each["ranks"] for each in sliced["ranking"]] == ([[1, 1], [2, 2]] if beyond else [[1, 2], [1, 2]])
    assert run(f"{SCORE} --no-rank --save r.json".format(files))[0] == 0
    assert json.loads(run("compare r.json --no-rank --format json")[1]).get("ranking", []) == []
    (first, *_) = json.loads(run("compare r.json --rank-by ner.strict.recall --format json")[1])["ranking"]
    assert (first["part"], first["system"]) == ("recall", "A")


def test_a_plan_has_the_clusters_of_its_result(tmp_path, run):
    files = annotated(tmp_path, ("A", "B"))
    assert run(f"{SCORE} --cluster-by story --save r.json".format(files))[0] == 0
    found = json.loads(run("compare r.json --format json")[1])["comparisons"][0]
    planned = json.loads(run("plan r.json --difference 5 --format json")[1])
    assert (planned["unit"], planned["rows"][0]["documents"]) == ("clusters", 8)
    assert planned["rows"][0]["detectable"] == close(found["detectable"])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("--difference 3 --pair A,A", 2, "a pair is two systems"),
        ("--difference 3 --comparisons 99999999999999999999", 2, "give at least 1 and at most 1,000,000"),
        ("--half-width 2", 2, "r.json is not a saved estimate, give what adjudge estimate --save wrote"),
    ],
)
def test_plans_that_mean_nothing(tmp_path, run, words, code, said):
    assert run(f"{SCORE} --save r.json".format(annotated(tmp_path, ("A", "B"))))[0] == 0
    done = run(f"plan r.json {words}")
    assert (done[0], said in done[2]) == (code, True), done[2]


# ---------------------------------------------------------------------------------------------------------------------
# Saved estimates


def saved(folder, run, more=""):
    pool, truth = pooled()
    design = sample(pool, 80)
    write(folder, "pool.jsonl", pool)
    assert run("sample pool.jsonl --size 80 -o design.jsonl")[0] == 0
    write(folder, "labels.jsonl", [{"id": name, "verdict": each} for name, each in labels(design, truth).items()])
    done = run(f"estimate pool.jsonl labels.jsonl --design design.jsonl --save e.json --format json {more}")
    assert done[0] == 0, done[2]
    return json.loads(done[1])


def test_a_saved_estimate_keeps_its_clusters(tmp_path, run):
    found = saved(tmp_path, run, "--documents sample --cluster-by story --by type")
    assert sum("clusters" in note for row in found["scores"] for note in row.get("notes", ())) == 0
    again = json.loads(run("compare e.json --format json")[1])
    assert [system["documents"] for system in again["systems"]] == [20] * 3
    assert "|clusters:story+7|" in again["signature"]
    ours = {(row["a"], row["b"]): row for row in found["differences"] if row["part"] == "f1" and not row.get("slice")}
    for each in again["comparisons"]:
        row = ours[each["a"], each["b"]]
        assert [each[name] for name in ("low", "high", "p")] == close([row[name] for name in ("low", "high", "p")])
    planned = json.loads(run("plan e.json --difference 5 --format json")[1])
    assert (planned["unit"], planned["rows"][0]["documents"]) == ("clusters", 7)


def test_a_page_of_an_estimate_says_what_the_estimate_says(tmp_path, run):
    """Documents are fixed on it, also in ranks and in the difference that can be detected."""
    found = saved(tmp_path, run)
    assert run("report e.json -o page.html")[0] == 0
    page = (tmp_path / "page.html").read_text()
    text = run("estimate pool.jsonl labels.jsonl --design design.jsonl")[1]
    shown = next(line for line in text.splitlines() if line.startswith("detects"))
    assert shown.split("differences below ")[1].split()[0] in page.split("differences below ")[1].split()[0]
    assert "80 of 160 items were assessed: counts are estimates from that sample" in page
    assert "method design, documents fixed" in page
    assert "method design, documents sampled" in run("compare e.json")[1]
    assert "Document by document" not in page  # pseudo-counts of a document are no score
    assert len(found["ranking"]) == 3
    assert "All true ranks are in these ranges at once" in page


def test_every_row_of_an_estimate_says_what_it_rests_on(tmp_path, run):
    found = saved(tmp_path, run)
    for row in (*found["scores"], *found["differences"]):
        assert [row[name] for name in ("n", "of", "varies", "method")] == [80, 160, "documents fixed", "design"]
    out = run("estimate pool.jsonl labels.jsonl --design design.jsonl --format csv")[1].splitlines()
    columns = out[0].split(",")
    for line in out[1:]:
        row = dict(zip(columns, line.split(","), strict=True))
        assert [row[name] for name in ("n", "of", "varies", "method")] == ["80", "160", "documents fixed", "design"]


def test_what_lacks_verdicts_is_the_file_of_labels(tmp_path, run):
    saved(tmp_path, run)
    lines = (tmp_path / "labels.jsonl").read_text().splitlines()
    (tmp_path / "labels.jsonl").write_text("\n".join(lines[2:]) + "\n")
    lost = [json.loads(line)["id"] for line in lines[:2]]
    for command in ("estimate", "judge"):
        code, _, said = run(f"{command} pool.jsonl labels.jsonl --design design.jsonl")
        assert (code, said.strip()) == (1, f"error: labels.jsonl: 2 drawn items have no verdict: {', '.join(lost)}")


def test_documents_drawn_by_size_count_by_their_probabilities(tmp_path, run):
    """A saved estimate of whole documents gives `compare` the value that it has itself."""
    pool, truth = pooled(400)
    design = sample(pool, 12, by="document", active=True)
    drawn = {row.id for row in design.rows if row.drawn}
    gold, system = defaultdict(list), defaultdict(list)
    for at, item in enumerate(pool):
        span = {"start": 2 * at, "end": 2 * at + 1, "type": "X"}
        gold[item["document"]] += [span] * truth[item["id"]]
        system[item["document"]] += [span] * ("A" in item["systems"])
    for name, rows in (("gold", gold), ("A", system)):
        write(tmp_path, f"{name}.jsonl", [{"id": each, "entities": rows[each]} for each in sorted(drawn)])
    assert run(f"{SCORE} --save r.json".format("gold.jsonl A.jsonl"))[0] == 0
    found = estimate(str(tmp_path / "r.json"), design=design, documents="sample")
    found.save(tmp_path / "e.json")
    again = json.loads(run("compare e.json --format json")[1])["systems"][0]
    values = {score["part"]: score["value"] for score in again["scores"]}
    assert values["f1"] == close(found["A", "f1"].value)
    assert again["documents"] == 12


RIGHT_OF_ALL = (Ratio("x", "score", (("x", 1.0),), (("y", 1.0),)),)


def counted(rows, judge=None):
    """Counts x and y of whole documents, and those of a judge."""
    tables = [{"A": StatsTable(tuple(own), ("x", "y"), list(own.values()))} if own else {} for own in (rows, judge)]
    return Counted(RIGHT_OF_ALL, *tables)


def whole_design(rows, sampling="fixed"):
    return Design((Round(size=sum(row.drawn for row in rows), unit="document", sampling=sampling),), tuple(rows))


def test_ranks_are_those_of_simultaneous_sets():
    """Section by section: normal departures with the covariance of the scores, their largest, its quantile."""
    pool, truth = pooled(600, systems="ABCDE", seed=10)
    for at, item in enumerate(pool):  # E is worse than the others, which are alike
        item["systems"] = [name for name in item["systems"] if name != "E" or at % 3 == 0] or ["A"]
    design = sample(pool, 300)
    found = estimate(pool, labels(design, truth), design=design)
    names = list("ABCDE")
    score = {name: found[name, "f1"].value for name in names}
    apart = {(row.a, row.b): row for row in found.differences if row.part == "f1"}
    alone = {name: found[name, "f1"].variance for name in names}
    covariance = {(a, b): (alone[a] + alone[b] - row.variance) / 2 for (a, b), row in apart.items()}
    covariance |= {(b, a): value for (a, b), value in covariance.items()} | {(a, a): alone[a] for a in names}
    root = {name: [] for name in names}
    for at, a in enumerate(names):  # Cholesky
        for j, b in enumerate(names[: at + 1]):
            rest = covariance[a, b] - sum(root[a][k] * root[b][k] for k in range(j))
            root[a].append(math.sqrt(rest) if a == b else rest / root[b][j])
    draw, largest = random.Random(2), []
    for _ in range(10_000):
        normal = [draw.gauss(0, 1) for _ in names]
        moved = {name: sum(x * y for x, y in zip(root[name], normal, strict=False)) for name in names}
        largest.append(max(abs(moved[a] - moved[b]) / math.sqrt(row.variance) for (a, b), row in apart.items()))
    freedom = found["A", "f1"].df
    critical = sorted(largest)[9500] * student_quantile(0.95, freedom) / 1.959964
    errors = [abs(row.value) / math.sqrt(row.variance) for row in apart.values()]
    assert min(abs(each - critical) for each in errors) > 0.1  # none is at the edge, so that draws do not matter
    signed = {
        **{pair: row.value for pair, row in apart.items()},
        **{(b, a): -row.value for (a, b), row in apart.items()},
    }
    above = {pair: value > critical * math.sqrt(apart[min(pair), max(pair)].variance) for pair, value in signed.items()}
    wanted = {
        a: (1 + sum(above[b, a] for b in names if b != a), 5 - sum(above[a, b] for b in names if b != a)) for a in names
    }
    assert {row.system: (row.best, row.worst) for row in found.ranking} == wanted
    assert len(set(wanted.values())) > 1
    assert [row.system for row in found.ranking] == sorted(names, key=lambda name: -score[name])


def test_documents_drawn_each_by_itself_are_a_sample_of_their_number():
    """With equal probabilities; the number that was drawn says nothing about the score, however wrong the judge is."""
    draw = random.Random(5)
    rows = {f"d{at:02}": (draw.randint(0, 6), draw.randint(6, 9)) for at in range(40)}
    judge = {name: (x + 3, y) for name, (x, y) in rows.items()}
    drawn = draw_each(dict.fromkeys(rows, 0.3), b"key")
    number = sum(row.drawn for row in drawn)
    assert number != 12
    known = counted({row.id: rows[row.id] for row in drawn if row.drawn}, judge)
    exact = [Drawn(id=row.id, probability=number / 40, drawn=row.drawn) for row in drawn]
    for documents in ("fixed", "sample"):
        how = How(documents=documents)
        (found,) = estimate_documents(known, whole_design(drawn, "poisson"), how).scores
        (wanted,) = estimate_documents(known, whole_design(exact), how).scores
        for name in ("value", "low", "high", "variance", "df"):
            assert getattr(found, name) == close(getattr(wanted, name)), name


def test_strata_of_sampled_documents_count_by_their_own_probabilities():
    """What documents as a sample add is sum p (R_(-d) - R)^2, not n/D sum (R_(-d) - R)^2.

    R_(-d) - R is -z / (p Y) with Y = sum of y / p, so that the first has the expectation sum z^2 / Y^2 over all
    documents, the variance of the score of so many. The second weighs stratum h with n / (D p_h): too little where
    more was drawn. With equal probabilities both are the same.
    """
    draw = random.Random(8)
    size, share = {"news": 60, "letters": 90}, {"news": 0.5, "letters": 0.2}
    strata = {f"{name}{at:02}": name for name, number in size.items() for at in range(number)}
    rows = {unit: (draw.randint(0, 8) if own == "news" else 4, 8) for unit, own in strata.items()}
    score = sum(x for x, _ in rows.values()) / sum(y for _, y in rows.values())
    true = sum((x - score * y) ** 2 for x, y in rows.values()) / sum(y for _, y in rows.values()) ** 2
    number, sums = 48, [0.0, 0.0]
    for seed in range(300):
        chosen = {
            unit
            for name in size
            for unit in random.Random(f"{name}{seed}").sample(
                [each for each in strata if strata[each] == name], round(size[name] * share[name])
            )
        }
        p = {unit: share[strata[unit]] for unit in chosen}
        x, y = (sum(rows[unit][at] / p[unit] for unit in chosen) for at in (0, 1))
        moved = {u: (x - rows[u][0] / p[u]) / (y - rows[u][1] / p[u]) - x / y for u in sorted(chosen)}
        parts = [sum(weight(u) * own**2 for u, own in moved.items()) for weight in (p.get, lambda _: number / 150)]
        sums = [total + part * (number - 1) / number / 300 for total, part in zip(sums, parts, strict=True)]
    design = [
        Drawn(id=unit, probability=share[name], drawn=unit in chosen, stratum=name) for unit, name in strata.items()
    ]
    known = counted({unit: rows[unit] for unit in sorted(chosen)})
    fixed, sampled = (
        estimate_documents(known, whole_design(design), How(documents=each)).scores[0].variance
        for each in ("fixed", "sample")
    )
    assert sampled - fixed == close(parts[0] * (number - 1) / number)
    assert sums[0] == close(true, rel=0.04)
    assert sums[1] < 0.75 * true


def test_rows_of_an_estimate_have_a_line_each(tmp_path, run):
    """Of hundreds of slices most of the file would be indentation."""
    found = saved(tmp_path, run, "--by type")
    lines = (tmp_path / "e.json").read_text().splitlines()
    rows = [json.loads(line.strip().rstrip(",")) for line in lines if line.startswith("  {")]
    assert [row for row in rows if "a" in row] == found["differences"]
    assert [row for row in rows if "bounds" in row and "a" not in row] == found["scores"]


# ---------------------------------------------------------------------------------------------------------------------
# Runs of pooled systems


def test_runs_in_a_pool_are_one_system():
    """With documents as a sample the mean is that of `compare`, which has pseudo-values of documents x runs."""
    from adjudge.estimates.results import result_of

    pool, truth = pooled(systems=("A#1", "A#2", "B#1", "B#2", "B#3", "C"))
    design = sample(pool, 80)
    for documents in ("fixed", "sample"):
        found = estimate(pool, labels(design, truth), design=design, documents=documents, by="type")
        assert [row.system for row in found.scores if row.part == "f1" and not row.slice] == ["A", "B", "C"]
        assert [note.message.split(":")[0] for note in found.notes if note.code in ("runs", "one-run")] == [
            "A",
            "B",
            "C",
        ]
        assert sorted(row.system for row in found.ranking) == ["A", "B", "C"]
        assert len(found.differences) == 3 * 3 * 4
    means = result_of(found).mean_of_runs()
    for system in means.systems[:2]:
        for score in system.scores:
            row = found[system.name, score.part]
            assert (row.value, row.low, row.high) == close((score.value, score.low, score.high))
    for test in means.comparisons:
        (row,) = (
            row
            for row in found.differences
            if (row.a, row.b, row.part) == (test.a, test.b, test.part) and not row.slice
        )
        assert (row.value, row.low, row.high, row.p, row.p_holm, row.q) == close(
            (test.difference, test.low, test.high, test.p, test.p_holm, test.q)
        )


def test_what_runs_in_a_pool_cannot_have(tmp_path, run):
    pool, truth = pooled(systems=("A#1", "A#2", "B"))
    write(tmp_path, "pool.jsonl", pool)
    assert run("sample pool.jsonl --size 80 -o design.jsonl")[0] == 0
    write(
        tmp_path,
        "labels.jsonl",
        [{"id": name, "verdict": each} for name, each in labels(sample(pool, 80), truth).items()],
    )
    (tmp_path / "read.csv").write_text("document,in_pool,all\n" + "".join(f"d{at:02},3,4\n" for at in range(6)))
    words = "estimate pool.jsonl labels.jsonl --design design.jsonl"
    write(tmp_path, "twice.jsonl", [{**item, "id": f"{n}{item['id']}"} for n in "ab" for item in pool])
    assert run("sample twice.jsonl --size 160 -o more.jsonl")[0] == 0
    write(
        tmp_path,
        "verdicts.jsonl",
        [{"id": f"{n}{name}", "verdict": each} for n in "ab" for name, each in truth.items()],
    )
    code, _, said = run("estimate twice.jsonl verdicts.jsonl --design more.jsonl --impute")
    assert (code, "what rests on a model is of single runs" in said) == (2, True)
    within, found = (json.loads(run(f"{words} --format json{more}")[1]) for more in ("", " --exhaustive read.csv"))
    rows, beyond = ({(row["system"], row["part"]): row for row in own["scores"]} for own in (within, found))
    totals = {
        name: {column: sum(row[at] for row in own["values"]) for at, column in enumerate(own["columns"])}
        for name, own in found["table"].items()
    }
    for system, own in {
        "A": ("A#1", "A#2"),
        "B": ("B",),
    }.items():  # 2.9 with the mean of the runs; theta is 3/4 for certain
        wanted = sum(totals[name]["matched"] / totals[name]["gold"] for name in own) / len(own) * 0.75
        row = beyond[system, "recall-beyond"]
        assert row["value"] == close(wanted)
        assert row["variance"] == close(0.75**2 * rows[system, "recall"]["variance"])
        f1 = [2 * totals[x]["matched"] / (totals[x]["system"] + totals[x]["gold"] / 0.75) for x in own]
        assert beyond[system, "f1-beyond"]["value"] == close(sum(f1) / len(own))
    assert "A: the mean of 2 runs, taken as fixed" in run(f"{words} --runs-fixed")[1]
    write(tmp_path, "pool.jsonl", [{**item, "systems": ["A"]} for item in pool])
    code, _, said = run(f"{words} --runs-fixed")
    assert (code, "no system has several runs" in said) == (2, True)


@pytest.mark.slow
def test_means_of_runs_are_covered():
    """Runs differ by chance and by an effect of their own; three runs of two systems, a fifth of the pool assessed."""
    draw = random.Random(1)
    truth, hard = [draw.random() < 0.4 for _ in range(400)], [0.8 * draw.gauss(0, 1) for _ in range(400)]

    def returned(level):
        level += draw.gauss(0, 0.25)
        odds = [level + each + (1.2 if right else -1.2) for each, right in zip(hard, truth, strict=True)]
        return {at for at, each in enumerate(odds) if draw.random() < 1 / (1 + math.exp(-each))}

    def f1(found):
        return 2 * sum(truth[at] for at in found) / (len(found) + sum(truth))

    levels = {"A": 0.0, "B": -0.6}
    real = {name: math.fsum(f1(returned(level)) for _ in range(3000)) / 3000 for name, level in levels.items()}
    held = [0, 0, 0]
    for _ in range(400):
        runs = {f"{name}#{number}": returned(level) for name, level in levels.items() for number in (1, 2, 3)}
        pool = [
            {"id": str(at), "document": f"d{at % 20}", "systems": [name for name, own in runs.items() if at in own]}
            | {"judge": min(1, max(0, (0.65 if truth[at] else 0.35) + draw.gauss(0, 0.2)))}
            for at in range(400)
        ]
        design = sample(pool, 80, seed=draw.randrange(10**9))
        said = {row.id: float(truth[int(row.id)]) for row in design.rows if row.drawn}
        found, these = (estimate(pool, said, design=design, runs_fixed=fixed) for fixed in (False, True))
        apart = next(row for row in found.differences if row.part == "f1")
        held[0] += found["A", "f1"].low <= real["A"] <= found["A", "f1"].high
        held[1] += apart.low <= real["A"] - real["B"] <= apart.high
        mean = math.fsum(f1(runs[f"A#{number}"]) for number in (1, 2, 3)) / 3
        held[2] += these["A", "f1"].low <= mean <= these["A", "f1"].high
    error = 2 * math.sqrt(0.95 * 0.05 / 400)
    assert all(0.93 - error <= share / 400 <= 0.97 + error for share in held), held
