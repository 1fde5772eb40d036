"""Documents of an event argument campaign are drawn and assessed whole, and the scores of all are estimated."""

import json
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.tasks.eal.task import score

DATA = Path(str(files("adjudge.demo") / "data" / "eal"))
SYSTEMS = ("granite", "marble", "slate")
SCORES = ("eal.argument", "eal.linking", "eal.overall")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """Submissions without quotations and redundant responses, and their pool."""
    folder = tmp_path_factory.mktemp("eal")
    for name in SYSTEMS:
        source, clean = str(DATA / "submissions" / name), str(folder / "clean")
        assert run(["eal", "filter-quotes", source, "--texts", str(DATA / "sources"), "-o", clean, "--quiet"]) == 0
        assert run(["eal", "trim", clean, "-o", str(folder / name), "--quiet"]) == 0
        shutil.rmtree(clean)
    stores = [str(folder / name) for name in SYSTEMS]
    assert run(["eal", "pool", *stores, "-o", str(folder / "pool"), "--quiet"]) == 0
    return folder


@pytest.fixture
def call(campaign, tmp_path, monkeypatch, capsys):
    """A command in a folder of its own; what it printed."""
    monkeypatch.chdir(tmp_path)
    for name in (*SYSTEMS, "pool", "pool.provenance.tsv"):
        (tmp_path / name).symlink_to(campaign / name)

    def call(*words, code=0):
        capsys.readouterr()
        assert run(list(words)) == code
        out, err = capsys.readouterr()
        return err if code else out

    return call


def drawn(call, size):
    """The documents of a sample, once people have assessed them."""
    call("eal", "sample", "pool", "--size", str(size), "-o", "drawn")
    names = sorted(path.name for path in Path("drawn").iterdir())
    for name in names:
        shutil.copy(DATA / "assessments" / name, Path("drawn", name))
    return names


def estimated(call, *more):
    words = ("drawn", *SYSTEMS, "--frames", str(DATA / "frames"), "--design", "drawn.design.jsonl")
    found = json.loads(call("eal", "estimate", *words, "--format", "json", *more))
    return found, {(row["system"], row["metric"]): row for row in found["scores"]}


def official(documents=None):
    paths = {name: name for name in SYSTEMS}
    result = score(DATA / "assessments", DATA / "frames", paths, bootstrap=0, docs=documents)
    return {
        (system.name, each.metric): each.value
        for system in result.systems
        for each in system.scores
        if each.metric in SCORES and each.part == "score"
    }


def test_a_store_has_the_drawn_documents_only(call):
    out = call("eal", "sample", "pool", "--by", "document", "--size", "50%", "-o", "drawn")
    assert "sample: 6 of 12 documents" in out
    design = [json.loads(line) for line in Path("drawn.design.jsonl").read_text().splitlines()[1:]]
    names = sorted(path.name for path in Path("drawn").iterdir())
    assert names == [row["id"] for row in design if row["drawn"]]
    assert len(names) == 6
    assert {row["probability"] for row in design} == {0.5}
    assert len(design) == 12
    for name in names:
        lines = Path("drawn", name).read_text().splitlines()
        pooled = [each for each in Path("pool", "arguments", name).read_text().splitlines() if each[0] != "#"]
        assert sorted(line.split("\t")[0] for line in lines) == sorted(line.split("\t")[0] for line in pooled)
        assert all("UNANNOTATED" in line for line in lines)
    assert call("eal", "sample", "pool", "--size", "50%") == Path("drawn.design.jsonl").read_text()
    assert "drawn" in call("eal", "sample", "pool", "--size", "4", "-o", "drawn", code=2)


def test_strata_are_genres(call):
    Path("genres").write_text("".join(f"{path.name}\t{path.name[5:7]}\n" for path in Path("pool/arguments").iterdir()))
    words = ("eal", "sample", "pool", "--size", "7", "--strata", "genre", "--genre-list", "genres")
    rows = [json.loads(line) for line in call(*words).splitlines()[1:]]
    assert {row["stratum"]: row["probability"] for row in rows} == {
        "DF": pytest.approx(0.6),
        "NW": pytest.approx(4 / 7),
    }


def test_scores_are_those_of_the_drawn_documents_with_an_interval(call):
    names = drawn(call, 6)
    found, rows = estimated(call, "--save", "estimate.json")
    assert (found["n"], found["of"], found["unit"]) == (6, 12, "document")
    expected = official(tuple(names))
    assert set(rows) == set(expected)
    for key, row in rows.items():
        assert row["value"] == pytest.approx(expected[key], abs=1e-12)
        assert 0 <= row["low"] < row["value"] < row["high"] <= 1
        assert row["df"] == 5
    assert [row["system"] for row in found["ranking"]][-1] == "slate"
    assert [row["worst"] for row in found["ranking"]][-1] == 3
    assert "eal.overall" in call("compare", "estimate.json")


def test_a_judge_that_is_right_gives_the_scores_of_all_documents(call):
    drawn(call, 6)
    judge = ("--judge", str(DATA / "assessments"), "--judge-frames", str(DATA / "frames"))
    _, rows = estimated(call, *judge)
    expected = official()
    for key, row in rows.items():
        assert row["value"] == pytest.approx(expected[key], abs=1e-12)
        assert row["variance"] == pytest.approx(0, abs=1e-20)


def test_everything_assessed_gives_the_ordinary_scores(call):
    drawn(call, 12)
    found, rows = estimated(call)
    assert {key: row["value"] for key, row in rows.items()} == official()
    assert all(row["low"] == row["value"] == row["high"] for row in rows.values())
    assert [note["code"] for note in found["notes"]] == ["all-assessed"]
    assert [(row["best"], row["worst"]) for row in found["ranking"]] == [(1, 1), (2, 2), (3, 3)]


def test_what_was_drawn_is_assessed_whole(call):
    first, second, *_ = drawn(call, 6)
    Path("drawn", first).unlink()
    line = Path("pool/arguments", second).read_text().splitlines()[0].split("\t")
    text = Path("drawn", second).read_text().splitlines()
    waiting = [each for each in text if each.split("\t")[0] == line[0]]
    words = waiting[0].split("\t")
    words[11:] = ["UNANNOTATED"] * len(words[11:])
    Path("drawn", second).write_text("\n".join([*(each for each in text if each not in waiting), "\t".join(words), ""]))
    frames = ("--frames", str(DATA / "frames"), "--design", "drawn.design.jsonl")
    err = call("eal", "estimate", "drawn", *SYSTEMS, *frames, code=1)
    assert f"{first} was drawn and has no assessments" in err
    assert f"{second} was drawn, and 1 response of it wait" in err


def test_what_was_not_drawn_is_left_out_with_a_note(call):
    names = drawn(call, 6)
    _, before = estimated(call)
    others = sorted({path.name for path in (DATA / "assessments").iterdir()} - set(names))
    for name in others:
        shutil.copy(DATA / "assessments" / name, Path("drawn", name))
    found, after = estimated(call)
    assert after == before
    (note,) = [note for note in found["notes"] if note["code"] == "outside-sample"]
    assert note["count"] == 6
    assert note["examples"] == others[:5]


def test_a_limit_of_time(call):
    """Of whole documents and of classes; many systems take longer than it, and a few in enough time are as without."""
    drawn(call, 6)
    many = [f"S{number:03}=granite" for number in range(600)]
    words = ("eal", "estimate", "drawn", "--frames", str(DATA / "frames"), "--design", "drawn.design.jsonl")
    said = call(*words, *many, "--time-limit", "0.001", code=2)
    assert "the scores could not be estimated in 0.001 seconds, ask for fewer submissions, or give more" in said
    assert call(*words, *SYSTEMS, "--time-limit", "500") == call(*words, *SYSTEMS)
    clusters = ("--clusters", str(DATA / "assessments"))
    call("eal", "sample", "pool", "--by", "class", *clusters, "--size", "100%", "-o", "classes")
    words = ("eal", "estimate", str(DATA / "assessments"), *clusters, "--design", "classes.design.jsonl")
    assert "could not be estimated in 0.001 seconds" in call(*words, *many, "--time-limit", "0.001", code=2)


def test_frames_of_the_judge_go_with_those_of_people(call):
    drawn(call, 6)
    words = ("drawn", *SYSTEMS, "--frames", str(DATA / "frames"), "--design", "drawn.design.jsonl")
    assert "judge" in call("eal", "estimate", *words, "--judge", str(DATA / "assessments"), code=2)


# ---------------------------------------------------------------------------------------------------------------------
# Classes, rounds


def classes(call, *more, code=0):
    words = (str(DATA / "assessments"), *SYSTEMS, "--clusters", str(DATA / "assessments"), "--format", "json")
    return call("eal", "estimate", *words, *more, code=code)


def test_all_classes_assessed_are_counted_as_they_are(call):
    call(
        "eal",
        "sample",
        "pool",
        "--by",
        "class",
        "--size",
        "100%",
        "--clusters",
        str(DATA / "assessments"),
        "-o",
        "drawn",
    )
    found = json.loads(classes(call, "--design", "drawn.design.jsonl"))
    from adjudge.formats.eal_store import open_key, open_store
    from adjudge.tasks.eal.responses import best, class_of, is_good

    right = matched = 0
    answers = {}
    with open_key(DATA / "assessments") as keys, open_store("granite") as store, open_store("pool") as pool:
        for document in pool.documents:
            key = keys.key(document)
            good = {each for each, said in key.assessed.items() if is_good(each, said)}
            pooled = {argument.response for argument in pool.arguments(document).arguments}
            right += len({class_of(each, key.coref) for each in good & pooled})
            for argument in store.arguments(document).arguments:
                answers.setdefault(class_of(argument.response, key.coref), []).append(argument)
            matched += sum(best(own).response in good for name, own in answers.items() if name.document == document)
    rows = {(row["metric"], row["part"]): row["value"] for row in found["scores"] if row["system"] == "granite"}
    assert rows["eal.class", "precision"] == matched / len(answers)
    assert rows["eal.class", "recall"] == matched / right
    wrong = len(answers) - matched
    assert rows["eal.unclipped", "score"] == pytest.approx((matched - 0.25 * wrong) / right)
    assert (found["unit"], found["n"]) == ("class", found["of"])


def test_a_sample_of_classes(call):
    given = ("--clusters", str(DATA / "assessments"))
    call("eal", "sample", "pool", "--by", "class", "--size", "40%", *given, "-o", "drawn")
    waiting = sum(len(path.read_text().splitlines()) for path in Path("drawn").iterdir())
    found = json.loads(classes(call, "--design", "drawn.design.jsonl"))
    assert found["n"] < found["of"]
    assert found["n"] <= waiting < sum(len(path.read_text().splitlines()) for path in Path("pool/arguments").iterdir())
    for row in found["scores"]:
        assert row["low"] < row["value"] < row["high"]
    for words, message in ((("--frames", "x"), "--frames"), (("--impute",), "on 12 documents are too few")):
        assert message in classes(call, "--design", "drawn.design.jsonl", *words, code=2)
    err = call("eal", "estimate", "drawn", *SYSTEMS, *given, "--design", "drawn.design.jsonl", code=1)
    assert "responses of it wait" in err
    words = ("--size", "20", "--after", "drawn.design.jsonl", str(DATA / "assessments"), "-o", "more")
    call("eal", "sample", "pool", "--by", "class", *given, *words)
    assert len(json.loads(classes(call, "--design", "more.design.jsonl"))["rounds"]) == 2


def test_classes_that_assessors_joined_are_named(call):
    call("eal", "sample", "pool", "--by", "class", "--size", "100%", "-o", "drawn")
    words = (str(DATA / "assessments"), *SYSTEMS, "--design", "drawn.design.jsonl")
    err = call("eal", "estimate", *words, code=1)
    assert "assessors joined" in err
    assert "draw again with --clusters" in err


def test_a_second_round_of_documents(call):
    first = drawn(call, 5)
    call("eal", "sample", "pool", "--size", "5", "--after", "drawn.design.jsonl", "drawn", "-o", "more")
    second = sorted(path.name for path in Path("more").iterdir())
    assert not set(first) & set(second)
    for name in second:
        shutil.copy(DATA / "assessments" / name, Path("drawn", name))
    words = ("drawn", *SYSTEMS, "--frames", str(DATA / "frames"), "--design", "more.design.jsonl")
    found = json.loads(call("eal", "estimate", *words, "--format", "json", "--save", "estimate.json"))
    assert (found["n"], len(found["rounds"])) == (10, 2)
    assert all(row["low"] < row["value"] < row["high"] for row in found["scores"])
    assert "eal.overall" in call("compare", "estimate.json")
