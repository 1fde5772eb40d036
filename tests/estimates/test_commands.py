"""sample, estimate, judge and plan, as people use them."""

import csv
import json
import random
from typing import NamedTuple

import pytest

from adjudge.cli import run as run_command
from adjudge.errors import AdjudgeError
from adjudge.estimates.api import estimate, sample
from adjudge.estimates.planning import plan
from adjudge.stats.measure import Prf
from adjudge.stats.points import scores_of


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(words):
        return Done(run_command(words), *capsys.readouterr())

    return call


def made(number=200, seed=5):
    draw = random.Random(seed)
    pool, truth = [], {}
    for at in range(number):
        right = draw.random() < 0.45
        systems = [name for name, p in (("A", 0.8 if right else 0.3), ("B", 0.6)) if draw.random() < p] or ["A"]
        judge = round(min(1, max(0, (0.7 if right else 0.3) + draw.gauss(0, 0.2))), 2)
        kind = draw.choice(["Attack", "Meet"])
        item = {"id": f"x{at:03}", "document": f"d{at % 25:02}", "systems": systems, "judge": judge, "type": kind}
        pool.append(item)
        truth[item["id"]] = int(right)
    return pool, truth


def labels(design, truth):
    return [{"id": row.id, "verdict": truth[row.id]} for row in design.rows if row.drawn]


@pytest.fixture
def files(tmp_path, run):
    pool, truth = made()
    (tmp_path / "pool.jsonl").write_text("".join(json.dumps(item) + "\n" for item in pool))
    done = run(["sample", "pool.jsonl", "--size", "30%", "--strata", "type", "-o", "design.jsonl"])
    assert done.code == 0, done.err
    rows = [json.loads(line) for line in (tmp_path / "design.jsonl").read_text().splitlines()[1:]]
    said = [{"id": row["id"], "verdict": truth[row["id"]]} for row in rows if row["drawn"]]
    (tmp_path / "labels.csv").write_text("id,verdict\n" + "".join(f"{x['id']},{x['verdict']}\n" for x in said))
    return tmp_path


@pytest.mark.usefixtures("files")
def test_from_a_pool_to_a_plan(run):
    done = run(["estimate", "pool.jsonl", "labels.csv", "--design", "design.jsonl", "--by", "type", "--save", "e.json"])
    assert done.code == 0, done.err
    assert "60 of 200 items" in done.out
    assert "documents fixed" in done.out
    assert "recall within the pool" in done.out
    for command in (
        ["compare", "e.json"],
        ["plan", "e.json", "--difference", "5"],
        ["report", "e.json", "-o", "p.html"],
    ):
        done = run(command)
        assert done.code == 0, done.err
        assert "documents on which systems differ" not in done.out
    done = run(["judge", "pool.jsonl", "labels.csv", "--design", "design.jsonl", "--format", "json"])
    assert json.loads(done.out)["n"] == 60


@pytest.mark.usefixtures("files")
def test_documents_of_a_saved_estimate_keep_their_fields(tmp_path, run):
    items = [json.loads(line) for line in (tmp_path / "pool.jsonl").read_text().splitlines()]
    stories = [{**item, "story": int(item["document"][1:]) % 8} for item in items]
    (tmp_path / "pool.jsonl").write_text("".join(json.dumps(item) + "\n" for item in stories))
    words = ["estimate", "pool.jsonl", "labels.csv", "--design", "design.jsonl", "--save", "e.json"]
    assert run(words).code == 0
    ours = run(["compare", "e.json", "--cluster-by", "story", "--format", "json"])
    assert "design effect" in ours.out
    done = run(["compare", "e.json", "--cluster-by", "type"])  # differs within documents
    assert (done.code, "no field 'type'" in done.err) == (2, True)
    done = run(["estimate", "e.json", "labels.csv", "--design", "design.jsonl"])
    assert (done.code, "is an estimate already" in done.err) == (2, True)


@pytest.mark.usefixtures("files")
def test_ranks_in_every_form(run):
    """As text, JSON and CSV; of items of sampled documents they are those of `compare`."""
    for documents in ("fixed", "sample"):
        words = ["estimate", "pool.jsonl", "labels.csv", "--design", "design.jsonl", "--documents", documents]
        found = json.loads(run([*words, "--format", "json", "--save", "e.json"]).out)
        sets = {row["system"]: (row["best"], row["worst"]) for row in found["ranking"]}
        table = [line.split() for line in run(words).out.splitlines()]
        written = {row[0]: row[1] for row in table if len(row) == 3 and row[0] in sets and row[1][0].isdigit()}
        assert written == {
            name: f"{best}" if best == worst else f"{best}-{worst}" for name, (best, worst) in sets.items()
        }
        rows = list(csv.DictReader(run([*words, "--format", "csv"]).out.splitlines()))
        assert {row["system"]: (int(row["low"]), int(row["high"])) for row in rows if row["part"] == "rank"} == sets
        ranked = json.loads(run(["compare", "e.json", "--format", "json"]).out)["ranking"]
        assert {row["system"]: tuple(row["ranks"]) for row in ranked if row["metric"] == "pool"} == sets


@pytest.mark.usefixtures("files")
def test_ranks_that_an_estimate_leaves_open(run):
    done = run(["estimate", "pool.jsonl", "labels.csv", "--design", "design.jsonl", "--format", "json"])
    found = json.loads(done.out)
    apart = next(row for row in found["differences"] if row["part"] == "f1")
    open_ = [1, 2] if apart["p_holm"] > 0.05 else None
    assert found["ranked_by"] == ["pool", "f1"]
    assert [[row["best"], row["worst"]] for row in found["ranking"]] == ([open_, open_] if open_ else [[1, 1], [2, 2]])


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", "e.json", "--half-width", "inf"], "a half-width of inf points"),
        (["plan", "e.json", "--half-width", "2", "--power", "0.9"], "--power does nothing without --difference"),
        (["plan", "e.json", "--difference", "3", "--alpha", "0"], "alpha is 0"),
        (["plan", "e.json", "--difference", "-3"], "a difference of -3 points"),
        (["compare", "e.json", "--runs-fixed"], "no system has several runs"),
        (["judge", "pool.jsonl", "labels.csv", "--design", "design.jsonl", "--by", "tipe"], "the items have no tipe"),
        (["estimate", "pool.jsonl", "labels.csv"], "missing option '--design'"),
        (["estimate", "--design", "design.jsonl"], "missing argument 'POOL|RESULT'"),
    ],
)
def test_what_means_nothing_is_refused(run, words, said):
    assert run(["estimate", "pool.jsonl", "labels.csv", "--design", "design.jsonl", "--save", "e.json"]).code == 0
    done = run(words)
    assert (done.code, said in done.err) == (2, True), done.err


def test_assumptions_need_no_files(run):
    done = run(["estimate", "--assumptions"])
    assert (done.code, done.out.count("\n")) == (0, 6)


def test_drawn_items_without_verdict_are_an_error_that_names_them_all(files, run):
    text = (files / "labels.csv").read_text().splitlines()
    (files / "labels.csv").write_text("\n".join([text[0], *text[11:]]) + "\n")
    done = run(["estimate", "pool.jsonl", "labels.csv", "--design", "design.jsonl"])
    assert done.code == 1
    assert "10 drawn items have no verdict: " in done.err
    assert all(line.partition(",")[0] in done.err for line in text[1:11])


def test_wrong_rows_are_named_with_their_lines(files, run):
    (files / "labels.csv").write_text("id,verdict\nx001,2\nx002,yes\nx003,\n")
    done = run(["estimate", "pool.jsonl", "labels.csv", "--design", "design.jsonl"])
    assert done.code == 1
    assert "labels.csv:2: 'x001': the verdict is 2, which is not between 0 and 1" in done.err
    assert "labels.csv:3" in done.err
    assert "labels.csv:4" in done.err


def test_a_heading_without_end_is_wrong(files, run):
    (files / "deep.jsonl").write_text("# " + "[" * 100_000 + "\n" + '{"id": "x001", "probability": 1, "drawn": true}\n')
    done = run(["estimate", "pool.jsonl", "labels.csv", "--design", "deep.jsonl"])
    assert (done.code, "deep.jsonl:1: the heading is nested too deeply" in done.err) == (1, True)


def test_numbers_beyond_counting_are_wrong_rows(files, run):
    (files / "labels.jsonl").write_text(f'{{"id": "x001", "verdict": 1{"0" * 400}}}\n')
    done = run(["estimate", "pool.jsonl", "labels.jsonl", "--design", "design.jsonl"])
    assert done.code == 1
    assert "labels.jsonl:1: 'x001': the verdict is a number that is too large" in done.err


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["a,x,1"], "in_pool is x, all is 1, give the correct items in the pool (in_pool) and all of them (all)"),
        (["a,5,1"], "5 correct items are in the pool, and 1 in the document, count those of the pool among all"),
        (["a,nan,1"], "in_pool is nan"),
        (["a,-1,0"], "in_pool is -1"),
        (["a,,1e999"], "in_pool is missing, all is 1e999"),
    ],
)
def test_what_is_wrong_with_documents_that_were_read_to_the_end(files, run, rows, said):
    (files / "ends.csv").write_text("\n".join(["document,in_pool,all", "b,1,1", *rows, ""]))
    done = run(["estimate", "pool.jsonl", "labels.csv", "--design", "design.jsonl", "--exhaustive", "ends.csv"])
    assert done.code == 1
    assert f"ends.csv:3: {said}" in done.err


def test_everything_assessed_is_the_ordinary_score_to_the_last_bit():
    pool, truth = made(97)
    design = [{"id": item["id"], "probability": 1.0, "drawn": True} for item in pool]
    found = estimate(pool, truth, design=design)
    measure = Prf("pool", ("matched", "system"), ("matched", "gold"))
    for name in "AB":
        own = [item["id"] for item in pool if name in item["systems"]]
        counts = {
            "matched": float(sum(truth[x] for x in own)),
            "system": float(len(own)),
            "gold": float(sum(truth.values())),
        }
        for (_, part), value in scores_of([measure], counts).items():
            row = found[name, part]
            assert (row.value, row.low, row.high, row.variance) == (value, value, value, 0.0)


@pytest.mark.parametrize("assist", ["judge", "constant"])
def test_labels_that_are_all_alike_give_bounds_and_no_interval(assist):
    pool, truth = made()
    alike = dict.fromkeys(truth, 1)
    design = sample(pool, size=40)
    found = estimate(pool, labels(design, alike), design=design, assist=assist)
    for name in "AB":
        for part in ("precision", "recall", "f1"):
            row = found[name, part]
            assert (row.low, row.high) == (None, None), part
            assert row.bounds[0] < row.value <= row.bounds[1]
            assert any("only the bounds are certain" in note for note in row.notes)


def test_imputation_is_on_request_and_marked(files, run):
    words = ["estimate", "pool.jsonl", "labels.csv", "--design", "design.jsonl"]
    assert "model" not in run(words).out
    done = run([*words, "--impute"])
    assert (done.code, "too few for a model" in done.err) == (2, True)
    pool, truth = made(600)
    design = sample(pool, 200)
    found = estimate(pool, labels(design, truth), design=design, impute=True)
    rows = [row for row in found.scores if row.method == "model"]
    assert [(row.system, row.metric, row.part) for row in rows] == [
        ("A", "argument", "score"),
        ("B", "argument", "score"),
    ]
    for row in rows:
        own = [item for item in pool if row.system in item["systems"]]
        worth = dict.fromkeys((item["document"] for item in pool), 0.0)
        for item in own:
            worth[item["document"]] += 1 if truth[item["id"]] else -0.25
        true = sum(max(0, each) for each in worth.values()) / sum(truth.values())
        assert row.bounds[0] < row.low < true < row.high < row.bounds[1]
    assert any("assess documents whole for a valid interval" in note.message for note in found.notes)
    with pytest.raises(AdjudgeError, match="about these documents"):
        estimate(pool, labels(design, truth), design=design, impute=True, documents="sample")


def test_families_have_their_own_corrections():
    pool, truth = made()
    third = [
        {**item, "systems": [*item["systems"], "C"] if at % 3 else item["systems"]} for at, item in enumerate(pool)
    ]
    design = sample(third, 80)
    whole = estimate(third, labels(design, truth), design=design)
    sliced = estimate(third, labels(design, truth), design=design, by="type")
    assert [row for row in sliced.differences if not row.slice] == list(whole.differences)
    from adjudge.stats.inference import benjamini_hochberg, holm

    family = [row for row in sliced.differences if row.slice and row.part == "f1"]
    assert len(family) == 6
    tests = [row.p for row in family]
    assert [row.p_holm for row in family] == holm(tests)
    assert [row.q for row in family] == benjamini_hochberg(tests)


@pytest.mark.usefixtures("files")
def test_what_is_alike_is_printed_with_its_bounds(tmp_path, run):
    said = (tmp_path / "labels.csv").read_text().replace(",0\n", ",1\n")
    (tmp_path / "labels.csv").write_text(said)
    done = run(["estimate", "pool.jsonl", "labels.csv", "--design", "design.jsonl", "--save", "e.json"])
    assert done.out.splitlines()[1].count(" in [") == 3
    done = run(["plan", "e.json", "--half-width", "2"])
    assert (done.code, "alike" in done.err) == (2, True)


@pytest.mark.usefixtures("files")
def test_a_judge_that_was_never_seen_to_err_has_no_interval(tmp_path, run):
    items = [json.loads(line) for line in (tmp_path / "pool.jsonl").read_text().splitlines()]
    said = "".join(f"{item['id']},{int(item['judge'] >= 0.5)}\n" for item in items)
    (tmp_path / "labels.csv").write_text(f"id,verdict\n{said}")
    done = run(["judge", "pool.jsonl", "labels.csv", "--design", "design.jsonl", "--format", "json"])
    rows = json.loads(done.out)["agreement"]
    assert {(row["value"], row.get("low"), row.get("high")) for row in rows} == {(1.0, None, None)}


def test_the_order_of_rows_changes_nothing():
    pool, truth = made()
    design = sample(pool, 80, active=True)
    mixed = pool[:]
    random.Random(1).shuffle(mixed)
    again = sample(mixed, 80, active=True)
    assert design == again
    assert estimate(pool, labels(design, truth), design=design) == estimate(
        mixed, labels(design, truth)[::-1], design=design.rows[::-1] and design
    )


def test_rounds_and_new_systems():
    pool, truth = made()
    first = sample(pool, 40)
    known = labels(first, truth)
    second = sample(pool, 30, after=(first, known), seed=2)
    said = labels(second, truth)
    assert len(said) == 70
    found = estimate(pool, said, design=second)
    assert found.n == 70
    grown = [*pool, {"id": "new", "document": "d01", "systems": ["C"], "judge": 0.5}]
    with pytest.raises(AdjudgeError, match="new could not have been drawn"):
        estimate(grown, {**{x["id"]: x["verdict"] for x in said}}, design=second)
    third = sample(grown, 20, after=(second, said), seed=3)
    assert "new" in {row.id for row in third.rows if row.round == 3}


def test_what_was_not_drawn_is_left_out_with_a_note():
    pool, truth = made()
    design = sample(pool, 60)
    found = estimate(pool, truth, design=design)
    note = next(note for note in found.notes if note.code == "outside-sample")
    assert note.count == 140
    assert found.scores == estimate(pool, labels(design, truth), design=design).scores


def test_several_assessors():
    pool, truth = made()
    design = sample(pool, 60)
    draw = random.Random(1)
    said = [
        {"id": row["id"], "assessor": name, "verdict": row["verdict"] if draw.random() < 0.9 else 1 - row["verdict"]}
        for row in labels(design, truth)
        for name in ("ann", "ben", "cas")
    ]
    found = estimate(pool, said, design=design)
    assert any(note.code == "resolved" for note in found.notes)
    near = estimate(pool, labels(design, truth), design=design)
    assert found["A", "f1"].value == pytest.approx(near["A", "f1"].value, abs=0.1)


@pytest.mark.parametrize(
    ("size", "options", "message"),
    [
        (500, {}, "a sample of 500 from 200"),
        (1, {}, "is too small for an interval"),
        ("many", {}, "is not a number"),
        (50, {"strata": "genre"}, "the items have no genre"),
        (3, {"strata": "type"}, "from 2 strata"),
        (50, {"active": True, "strata": "type"}, "either by strata or by importance"),
        (50, {"by": "sentence"}, "units are items or documents"),
        (50, {"sede": 3}, "sede"),
    ],
)
def test_samples_that_are_refused(size, options, message):
    with pytest.raises((AdjudgeError, TypeError), match=message):
        sample(made()[0], size, **options)


def test_documents_assessed_whole(tmp_path, run):
    draw = random.Random(3)
    kinds = ("gold", "a", "b")
    texts = {name: [] for name in kinds}
    for at in range(40):
        spans = [{"span": {"start": 5 * x, "end": 5 * x + 3}, "type": draw.choice(["PER", "LOC"])} for x in range(6)]
        for name, share in zip(kinds, (1.0, 0.8, 0.6), strict=True):
            kept = [span for span in spans if draw.random() < share]
            texts[name].append(json.dumps({"id": f"d{at:02}", "entities": kept}))
    for name, lines in texts.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    pool = "".join(json.dumps({"id": f"i{at}", "document": f"d{at:02}", "systems": ["a"]}) + "\n" for at in range(40))
    (tmp_path / "pool.jsonl").write_text(pool)
    assert run(["sample", "pool.jsonl", "--size", "15", "--by", "document", "-o", "design.jsonl"]).code == 0
    score = ["ner", "score", "gold.jsonl", "a.jsonl", "b.jsonl", "--metric", "ner.strict", "--save", "r.json"]
    assert run(score).code == 0
    done = run(["estimate", "r.json", "--design", "design.jsonl", "--save", "e.json"])
    assert done.code == 0, done.err
    # Nobody has read the other documents: gold has those that were drawn.
    drawn = {
        row["id"] for row in map(json.loads, (tmp_path / "design.jsonl").read_text().splitlines()[1:]) if row["drawn"]
    }
    (tmp_path / "read.jsonl").write_text(
        "".join(f"{line}\n" for line in texts["gold"] if json.loads(line)["id"] in drawn)
    )
    assert run(["ner", "score", "read.jsonl", *score[3:-1], "r15.json"]).code == 1
    assert run(["ner", "score", "read.jsonl", *score[3:-1], "r15.json", "--docs", "design.jsonl"]).code == 0
    again = run(["estimate", "r15.json", "--design", "design.jsonl"])
    assert again.out.split("note:")[0] == done.out.split("note:")[0]
    assert "15 of 40 documents" in done.out
    judged = run(["estimate", "r.json", "--design", "design.jsonl", "--judge", "r.json", "--format", "json"])
    whole = json.loads((tmp_path / "r.json").read_text())["systems"][0]["scores"]
    f1 = next(score["value"] for score in whole if score["part"] == "f1")
    found = next(row for row in json.loads(judged.out)["scores"] if row["part"] == "f1" and row["system"] == "a")
    assert found["value"] == pytest.approx(f1)  # the judge is right, and so is the estimate
    assert run(["compare", "e.json"]).code == 0
    assert plan(str(tmp_path / "e.json"), 0.05).rows[0].documents == 15


def test_runs_are_one_system_for_gates_and_in_python(tmp_path, run):
    import adjudge as aj

    texts = {"gold": [["B-PER", "O", "B-LOC"]] * 8, "a": [["B-PER", "O", "O"]] * 8, "b": [["B-PER", "O", "B-LOC"]] * 8}
    for name, sentences in texts.items():
        rows = ["\n".join(f"w {tag}" for tag in tags) for tags in sentences]
        (tmp_path / f"{name}.bio").write_text("\n\n".join(rows) + "\n\n")
    words = ["ner", "score", "gold.bio", "A#1=a.bio", "A#2=b.bio", "--metric", "ner.strict", "--quiet"]
    assert run([*words, "--fail-under", "ner.strict.f1=0.8"]).code == 0  # one run is at 0.67, their mean at 0.83
    assert run([*words, "--fail-under", "ner.strict.f1=0.9"]).code == 3
    found = aj.score("ner.strict", texts["gold"], {"A#1": texts["a"], "A#2": texts["b"]})
    assert [system.name for system in found.mean_of_runs().systems] == ["A"]
    assert found.mean_of_runs()["ner.strict"].f1 == pytest.approx((2 / 3 + 1) / 2, abs=0.01)


def test_runs_of_documents_in_clusters(tmp_path, run):
    """Documents of a story are alike, so that their number says less than the number of stories."""
    draw, names = random.Random(6), ("gold", "A#1", "A#2", "B#1", "B#2")
    rows = {name: [] for name in names}
    for at in range(40):
        spans = [{"start": 5 * x, "end": 5 * x + 3, "type": "PER"} for x in range(6)]
        kept = {name: 1 if name == "gold" else 0.4 + 0.5 * (at // 5 % 2) + 0.1 * draw.random() for name in names}
        for name in names:
            own = [span for span in spans if draw.random() < kept[name]]
            rows[name].append({"id": f"d{at}", "story": at // 5, "entities": own})
    for name, own in rows.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in own))
    words = ["ner", "score", *(f"{name}.jsonl" for name in names), "--metric", "ner.strict", "--quiet"]
    alone, together = (
        json.loads(run([*words, *more, "--format", "json"]).out) for more in ((), ("--cluster-by", "story"))
    )

    def width(found):
        low, high = (found["systems"][0]["scores"][-1][end] for end in ("low", "high"))
        return high - low

    assert width(together) > 1.5 * width(alone)
    assert together["comparisons"][0]["detectable"] > 0
    assert "with 8 clusters, differences below " in run([*words[:-1], "--cluster-by", "story"]).out
    assert run([*words, "--cluster-by", "story", "--save", "saved.json"]).code == 0
    assert json.loads(run(["compare", "saved.json", "--format", "json"]).out)["systems"] == together["systems"]
    planned = run(["plan", "saved.json", "--difference", "5", "--cluster-by", "story"])
    assert ("clusters for 5" in planned.out, "rests on 8 clusters" in planned.out) == (True, True)


def test_runs_in_one_file(tmp_path, run):
    draw = random.Random(4)
    spans = [{"span": {"start": 5 * x, "end": 5 * x + 3}, "type": "PER"} for x in range(5)]
    gold = [{"id": f"d{at}", "entities": spans} for at in range(8)]
    rows = [
        {"id": each["id"], "seed": seed, "entities": [span for span in each["entities"] if draw.random() < 0.7]}
        for each in gold
        for seed in (11, 12, 13)
    ]
    draw.shuffle(rows)

    def write(name, documents):
        (tmp_path / name).write_text("".join(json.dumps(each) + "\n" for each in documents))

    write("gold.jsonl", gold)
    write("mine.jsonl", rows)
    for seed in (11, 12, 13):
        write(f"{seed}.jsonl", [each for each in rows if each["seed"] == seed])
    usual = ["ner", "score", "gold.jsonl", "--metric", "ner.strict", "--format", "json", "--quiet"]
    apart = run([*usual, *(f"mine#{seed}={seed}.jsonl" for seed in (11, 12, 13))])
    together = run([*usual, "mine.jsonl", "--runs", "seed"])
    one, other = (json.loads(done.out)["systems"] for done in (apart, together))
    assert one[0]["scores"] == other[0]["scores"]
    assert [system["name"] for system in other] == ["mine"]
    assert run([*usual[:-2], "csv", "mine.jsonl", "--runs", "seed", "--save", "saved.json"]).code == 0
    assert run(["report", "saved.json", "-o", "page.html"]).code == 0
    assert "mine#11" not in (tmp_path / "page.html").read_text()
    again = run(["compare", "saved.json", "--format", "json"])
    assert json.loads(again.out)["systems"][0]["scores"] == other[0]["scores"]
    import adjudge as aj

    for source in ("mine.jsonl", {"mine": rows}):
        found = aj.score("ner", "gold.jsonl", source, metrics="strict", runs="seed")
        assert [system.name for system in found.systems] == ["mine#11", "mine#12", "mine#13"]
        mean = {(score.metric, score.part): score.value for score in found.mean_of_runs().systems[0].scores}
        assert mean == {(score["metric"], score["part"]): score["value"] for score in other[0]["scores"]}
    with pytest.raises(AdjudgeError, match=r"a row has no 'sed'.* seed"):
        aj.score("ner", "gold.jsonl", rows, metrics="strict", runs="sed")
    fixed = run([*usual, "mine.jsonl", "--runs", "seed", "--runs-fixed"])
    assert json.loads(fixed.out)["systems"][0]["scores"] != other[0]["scores"]
    write("mine.jsonl", rows[1:])
    done = run([*usual, "mine.jsonl", "--runs", "seed"])
    assert (done.code, "lacks documents that another run has" in done.err) == (2, True)
    write("mine.jsonl", [*rows, {"id": "d1", "entities": []}])
    done = run([*usual, "mine.jsonl", "--runs", "seed"])
    assert (done.code, "mine.jsonl:25: the row has no 'seed'" in done.err) == (1, True)
    (tmp_path / "gold.csv").write_text("id,vendor,total\n1,A,3\n2,B,4\n")
    (tmp_path / "runs.csv").write_text("id,epoch,vendor,total\n1,1,A,3\n2,1,B,5\n1,2,A,3\n2,2,B,4\n")
    done = run(["record", "score", "gold.csv", "runs.csv", "--runs", "epoch", "--format", "json", "--quiet"])
    scores = {(row["metric"], row["part"]): row["value"] for row in json.loads(done.out)["systems"][0]["scores"]}
    assert scores["record.exact", "f1"] == 0.75


def test_a_name_holds_for_files_of_any_shape(tmp_path, run):
    (tmp_path / "gold.jsonl").write_text(
        '{"id": "d1", "text": "Bob ran", "entities": [{"start": 0, "end": 3, "type": "PER"}]}\n'
    )
    done = run(["ner", "score", "gold.jsonl", "mine=gold.jsonl", "--metric", "ner.strict", "--format", "json"])
    assert json.loads(done.out)["systems"][0]["name"] == "mine"


def test_plans_of_systems_with_runs(tmp_path):
    import numpy as np

    from adjudge.estimates.planning import documents_with_runs
    from adjudge.stats.measure import Ratio
    from adjudge.stats.table import StatsTable
    from made import made_result

    rng = np.random.default_rng(2)
    ids = tuple(f"d{at:02}" for at in range(25))
    hard = rng.normal(0, 1, 25)
    counts = {
        name: np.clip(np.round(5 + 2 * hard + rng.normal(0, 1, 25)), 0, 10) for name in ("A#1", "A#2", "A#3", "B")
    }
    tables = {name: StatsTable(ids, ("s", "n"), [(float(x), 10.0) for x in own]) for name, own in counts.items()}
    measure = Ratio("x", "score", (("s", 1.0),), (("n", 1.0),))
    (row,) = plan(made_result(measures=[measure], tables=tables), 0.05).rows
    runs = np.stack([counts[f"A#{k}"] for k in (1, 2, 3)], axis=1) / 10
    within = float(runs.var(axis=1, ddof=1).mean())
    between = max(0.0, float((runs.mean(axis=1) - counts["B"] / 10).var(ddof=1)) - within / 3)
    assert (row.a, row.b) == ("A", "B")
    assert row.needed == documents_with_runs(between, (within, 0.0), (3, 1), 0.05, alpha=0.05, power=0.8)
    assert row.difference == pytest.approx(runs.mean() - counts["B"].mean() / 10)


def test_independent_samples_of_one_round_are_one(tmp_path, run):
    pool, truth = made()
    head = '# {"rounds": [{"size": 100, "sampling": "poisson"}]}\n'
    draw = random.Random(8)
    rows = [{"id": item["id"], "probability": p, "drawn": draw.random() < p} for item in pool for p in (0.3, 0.4)]
    (tmp_path / "design.jsonl").write_text(head + "".join(json.dumps(row) + "\n" for row in rows))
    from adjudge.estimates.files import read_design

    design = read_design(tmp_path / "design.jsonl")
    assert len(design.rows) == 200
    assert {round(row.probability, 9) for row in design.rows} == {0.58}
    assert design.drawn == {row["id"] for row in rows if row["drawn"]}
    assert estimate(pool, truth, design=design).n == len(design.drawn)


def test_the_annotation_with_the_least_distance_goes_on_into_scoring(tmp_path, run):
    def write(name, *ends):
        rows = [
            {"id": f"d{at}", "entities": [{"span": {"start": 0, "end": end}, "type": "PER"}]}
            for at, end in enumerate(ends)
        ]
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    for name, *ends in (("ann", 3, 9), ("ben", 3, 4), ("cas", 5, 4)):
        write(f"{name}.jsonl", *ends)
    words = ["agree", "ner.strict", "ann.jsonl", "ben.jsonl", "cas.jsonl", "--resolve", "least-distance"]
    assert run([*words, "--resolved", "gold.jsonl"]).code == 0
    write("wanted.jsonl", 3, 4)
    assert (tmp_path / "gold.jsonl").read_text().replace(" ", "") == (tmp_path / "wanted.jsonl").read_text().replace(
        " ", ""
    )
    assert run(["score", "ner.strict", "gold.jsonl", "ben.jsonl", "--fail-under", "f1=1"]).code == 0
    assert run(["agree", "ner.strict", "ann.jsonl", "ben.jsonl", "--resolved", "x.jsonl"]).code == 2


def test_recall_beyond_the_pool_of_sampled_documents(tmp_path):
    pool, truth = made(400)
    design = sample(pool, 200)
    read = [{"document": f"d{at:02}", "in_pool": 3 + at % 3, "all": 5 + at % 4} for at in range(12)]
    found = estimate(pool, labels(design, truth), design=design, documents="sample", exhaustive=read)
    apart = estimate(
        pool,
        labels(design, truth),
        design=design,
        documents="sample",
        exhaustive=[{**row, "document": f"other{at}"} for at, row in enumerate(read)],
    )
    row, other, recall = found["A", "recall-beyond"], apart["A", "recall-beyond"], found["A", "recall"]
    assert row.value == other.value < recall.value
    assert row.df == 11
    theta = sum(each["in_pool"] for each in read) / sum(each["all"] for each in read)
    assert other.variance > theta**2 * recall.variance
    assert row.variance != other.variance  # the same documents: both move together
