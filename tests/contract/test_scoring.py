"""What every scoring command promises, whatever it scores: one table of commands, one test for each promise."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import jsonschema
import pytest

import adjudge as aj
from adjudge.cli import run
from adjudge.errors import AdjudgeError
from adjudge.stats.result import Result
from adjudge.stats.saved import json_schema

_PATH = Path(__file__).parents[1] / "determinism" / "runs.py"
_SPEC = importlib.util.spec_from_file_location("determinism_runs", _PATH)
assert _SPEC is not None
assert _SPEC.loader is not None
RUNS = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(RUNS)


class Task(NamedTuple):
    """A scoring command: its words, gold and two systems, a metric with its part, and options of all its runs.

    `side` is the option by which gold is given, if it is no argument.
    """

    command: tuple[str, ...]
    gold: str
    systems: tuple[str, str]
    score: str
    more: tuple[str, ...] = ()
    side: tuple[str, ...] = ()

    def words(self, *systems: str, gold: str | None = None) -> list[str]:
        """The command for some systems."""
        return [*self.command, *self.side, gold or self.gold, *systems, *self.more]


TASKS = {
    "coref": Task(("coref", "score"), "key.conll", ("linden.conll", "maple.conll"), "coref.muc:f1"),
    "corefud": Task(
        ("coref", "score"),
        "key.conllu",
        ("linden.conllu", "maple.conllu"),
        "coref.muc:f1",
        more=("--profile", "corefud"),
    ),
    "crac": Task(
        ("coref", "score"),
        "crac/key",
        ("crac/linden", "crac/maple"),
        "coref.crac:f1",
        more=("--profile", "corefud"),
    ),
    "nugget": Task(("nugget", "score"), "gold.tbf", ("heron.tbf", "kestrel.tbf"), "nugget.type:f1"),
    "eal": Task(
        ("eal", "score"),
        "eal/assessments",
        ("eal/submissions/granite", "eal/submissions/marble"),
        "eal.argument:f1",
        more=("--frames", "eal/frames", "--unassessed", "ignore"),
    ),
    "kbp": Task(("kbp", "score"), "kb-gold.jsonl", ("kb-geyser.jsonl", "delta.tsv"), "kbp.hop1:f1"),
    "query": Task(
        ("kbp", "query"),
        "queries.tsv",
        ("ash.tab", "elm.tab"),
        "kbp.query:f1",
        more=("--assessments", "pool.tab"),
        side=("--queries",),
    ),
    "score": Task(("score", "relation.strict"), "gold.jsonl", ("alder.jsonl", "birch.jsonl"), "relation.strict:f1"),
    **{
        family: Task(
            (family, "score"),
            f"{family}-gold.jsonl",
            (f"{family}-one.jsonl", f"{family}-two.jsonl"),
            "",
            more=("--reader", "jsonl", *RUNS.OF_FAMILY.get(family, ())),
        )
        for family in RUNS.FAMILIES
    },
    **{
        name: Task(
            ("record", "score"),
            "record-gold.jsonl",
            ("record-one.jsonl", "record-two.jsonl"),
            score,
            more=("--compat", name),
        )
        for name, score in (("donut", "donut.cal_f1:f1"), ("anls-star-1.0.1", "anls-star:score"))
    },
}
DATASETS = ("cs_one", "en_two")
QUICK = ("--bootstrap", "20", "--quiet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("tasks")
    RUNS.write_files(found, lambda documents: documents)
    (found / "queries.tsv").write_text("".join(f"q{n}\tn{n}\tPER\t-\t-\tspouse\temployer\n" for n in range(8)))
    pool = [f"q{n}\tC\t1\tben{n}\nq{n}\tC\t1:1\tben{n}\tcorvex\nq{n}\tW\t0\teva\n" for n in range(8)]
    (found / "pool.tab").write_text("".join(pool))
    for name, skipped, wrong in (("ash", 3, 5), ("elm", 4, 2)):
        rows = [f"q{n}\tben{n}\nq{n}\tben{n}\tcorvex\n" for n in range(8) if n % skipped]
        rows += [f"q{n}\teva\n" for n in range(8) if n % wrong == 0]
        (found / f"{name}.tab").write_text("".join(rows))
    before = Path.cwd()
    os.chdir(found)
    for name in ("key", "linden", "maple"):
        run(["coref", "convert", "--to", "conllu", f"{name}.conll", "-o", f"{name}.conllu", "--quiet"])
        head, *texts = Path(f"{name}.conllu").read_text().split("# newdoc")
        for place, dataset in enumerate(DATASETS):
            path = Path("crac", name, f"{dataset}-corefud-test.conllu")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(head + "".join(f"# newdoc{text}" for text in texts[place::2]))
    yield found
    os.chdir(before)


@pytest.fixture(params=sorted(TASKS))
def task(request, folder):
    return TASKS[request.param]


@pytest.fixture
def call(capsys):
    def called(*words):
        code = run([*words, *QUICK])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return called


def data(call, *words):
    code, out, err = call(*words, "--format", "json")
    assert code == 0, err
    return json.loads(out)


def scores(result):
    return {
        (system["name"], score["metric"], score["part"]): score["value"]
        for system in result["systems"]
        for score in system["scores"]
        if not score["slice"]
    }


def test_one_system_has_the_scores_that_it_has_among_others(task, call):
    both = scores(data(call, *task.words(*task.systems)))
    alone = scores(data(call, *task.words(task.systems[0])))
    assert alone
    assert alone.items() <= both.items()


def test_saved_results_are_compared_as_if_scored_together(task, call, tmp_path):
    both = data(call, *task.words(*task.systems))
    for number, system in enumerate(task.systems):
        data(call, *task.words(system), "--save", str(tmp_path / f"{number}.json"))
    compared = data(call, "compare", str(tmp_path / "0.json"), str(tmp_path / "1.json"))
    assert scores(compared) == scores(both)
    assert [(c["metric"], c["difference"], c["p"]) for c in compared["comparisons"] if not c["slice"]] == [
        (c["metric"], c["difference"], c["p"]) for c in both["comparisons"] if not c["slice"]
    ]


def test_two_processes_give_the_same_bytes(task, call):
    if "--compat" in task.more:
        code, _, err = call(*task.words(*task.systems), "--jobs", "2")
        assert (code, "a published scorer counts whole files, one after the other" in err) == (2, True)
        return
    one, two = (call(*task.words(*task.systems), "--format", "json", "--jobs", jobs) for jobs in ("1", "2"))
    assert one == two


def test_files_of_the_same_name_are_told_apart(task, call, tmp_path):
    copies = []
    for place in ("x", "y"):
        source, target = Path(task.systems[0]), tmp_path / place / Path(task.systems[0]).name
        target.parent.mkdir()
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        copies.append(str(target))
    names = [system["name"] for system in data(call, *task.words(*copies))["systems"]]
    own = Path(task.systems[0]).name.partition(".")[0]
    assert names == [f"{own}-1", f"{own}-2"]


def test_gold_without_documents_is_an_error(task, call, tmp_path):
    empty = tmp_path / Path(task.gold).name
    empty.mkdir() if Path(task.gold).is_dir() else empty.write_text("")
    code, out, err = call(*task.words(task.systems[0], gold=str(empty)))
    assert (code, out) == (1, "")
    assert err.startswith("error: ")


@pytest.mark.parametrize("layout", ["text", "csv", "md", "latex"])
def test_every_layout_has_the_metrics(task, call, layout):
    code, out, err = call(*task.words(*task.systems), "--format", layout)
    assert code == 0, err
    metrics = {metric for _, metric, _ in scores(data(call, *task.words(*task.systems)))}
    plain = out.replace("\\", "")
    if layout == "text" and "--compat" in task.more:
        assert plain  # what the program prints has names of its own
        return
    assert any(metric in plain or metric.partition(".")[2] in plain for metric in metrics)


def test_json_satisfies_its_schema(task, call, tmp_path):
    jsonschema.validate(data(call, *task.words(*task.systems), "--save", str(tmp_path / "r.json")), json_schema())
    saved = Result.load(tmp_path / "r.json").systems[0]
    assert saved.table is not None or saved.samples


def test_systems_can_be_named(task, call):
    one, other = task.systems
    names = [system["name"] for system in data(call, *task.words(f"best={one}", other))["systems"]]
    assert names == ["best", Path(other).name.partition(".")[0]]
    code, _, err = call(*task.words(f"best={one}", f"best={other}"))
    assert (code, err) == (2, "error: two systems are called 'best', give each system a name of its own\n")


def test_a_gate_that_is_not_passed_is_exit_code_3(task, call):
    metric = task.score or next(
        f"{metric}:{part}" for _, metric, part in scores(data(call, *task.words(task.systems[0]))) if part == "f1"
    )
    code, _, err = call(*task.words(task.systems[0]), "--fail-under", f"{metric.replace(':', '.')}=0.9999")
    assert code == 3, err
    assert " is " in err
    code, _, err = call(*task.words(task.systems[0]), "--fail-under", f"{metric.replace(':', '.')}x=0.5")
    assert (code, "there is no such score, did you mean" in err) == (2, True)
    code, _, err = call(*task.words(task.systems[0]), "--fail-under", f"{metric.replace(':', '.')}=0.0001")
    assert code == 0, err


def test_a_summary_is_added_to_a_file(task, call, tmp_path):
    target = tmp_path / "summary.md"
    target.write_text("# Before\n")
    code, _, err = call(*task.words(task.systems[0]), "--summary", str(target))
    assert code == 0, err
    text = target.read_text()
    assert text.startswith("# Before\n")
    assert "|" in text


OLD = {"nugget": ("-g", "-s"), "eal": ("--key", None), "kbp": ("--gold", None)}


@pytest.mark.parametrize("name", OLD)
def test_the_old_spelling_of_gold_and_systems_still_works(name, call, folder):
    task, (option, each) = TASKS[name], OLD[name]
    systems = [word for system in task.systems for word in ([each, system] if each else [system])]
    old = [*task.command, option, task.gold, *systems, *task.more, "--format", "json"]
    assert call(*old) == call(*task.words(*task.systems), "--format", "json")


SHARED = (
    *("--by", "--docs", "--pool", "--explain", "--bootstrap", "--ci", "--seed", "--interval", "--test", "--jobs"),
    *("--cluster", "--time-limit", "--fail-under", "--save", "--save-documents", "--summary", "--format", "--output"),
    *("--rank-by", "--exact", "--reader", "--gold-reader", "--system-reader"),
)


def test_every_shared_option_is_known_or_refused_with_a_reason(task, call, tmp_path):
    code, out, _ = call(*task.command, "--help")
    assert code == 0
    for option in SHARED:
        if f"{option} " in out or f"{option}\n" in out:
            continue
        value = [] if option in ("--save-documents", "--exact") else ["1"]
        code, _, err = call(*task.words(task.systems[0]), option, *value)
        assert code == 2
        assert f"error: {option} has no meaning here: " in err


def test_systems_are_ranked_with_ranges(task, call):
    words = task.words(*task.systems)
    assert not data(call, *words, "--no-rank").get("ranking")
    found = data(call, *words)
    board = found["ranking"]
    keys = list(dict.fromkeys((each["metric"], each["part"]) for each in board))
    assert len(board) == len(keys) * len(task.systems)
    assert {each["system"] for each in board} == {name for name, *_ in scores(found)}
    for each in board:
        value, *_ = (
            score["value"]
            for system in found["systems"]
            for score in system["scores"]
            if (system["name"], score["metric"], score["part"]) == (each["system"], each["metric"], each["part"])
        )
        assert each["value"] == value
        if "ranks" in each:  # those that were counted on all documents only have none
            assert each["ranks"][0] <= each["ranks"][1]
            assert sum(each["rank_shares"].values()) == pytest.approx(1)
    assert any("ranks" in each for each in board)
    by = ".".join(keys[-1])
    chosen = data(call, *words, "--rank-by", by)["ranking"]
    assert {(each["metric"], each["part"]) for each in chosen} == {keys[-1]}
    if task.command[0] != "eal":  # whose ranking by a chosen score is that of the official program
        assert chosen == [each for each in board if (each["metric"], each["part"]) == keys[-1]]
    assert call(*words, "--no-rank", "--rank-by", by)[0] == 2
    code, _, err = call(*words, "--rank-by", "no.such.score")
    assert code == 2
    assert "to rank by" in err


def test_all_files_that_are_not_there_are_named(task, call):
    code, out, err = call(*task.words("no-such-1", "no-such-2"))
    assert (code, out) == (2, "")
    assert "no-such-1" in err
    assert "no-such-2" in err


# ---------------------------------------------------------------------------------------------------------------------
# Documents: chosen, sliced, merged, explained, missing


def ids_of(task):
    """The gold documents, as far as the text of the gold file tells."""
    gold = Path(task.gold)
    if "crac" in gold.parts:
        files = {name: (gold / f"{name}-corefud-test.conllu").read_text() for name in DATASETS}
        return [f"{name}/{each}" for name, text in files.items() for each in re.findall(r"# newdoc id = (.*)", text)]
    if gold.is_dir():
        return sorted(path.name for path in gold.iterdir())
    text = gold.read_text()
    if gold.suffix == ".tsv":
        return [line.partition("\t")[0] for line in text.splitlines()]
    if gold.suffix == ".jsonl":
        return [json.loads(line)["id"] for line in text.splitlines()]
    if gold.suffix == ".conllu":
        return [line.removeprefix("# newdoc id = ") for line in text.splitlines() if line.startswith("# newdoc")]
    if gold.suffix == ".conll":
        return [line.removeprefix("#begin document ") for line in text.splitlines() if line.startswith("#begin")]
    return [line.removeprefix("#BeginOfDocument ") for line in text.splitlines() if line.startswith("#Begin")]


def without(task, document, target):
    """The first system without one document, as a file or folder of its own."""
    source = Path(task.systems[0])
    if source.is_dir():
        shutil.copytree(source, target)
        for path in list(target.rglob(document)):
            path.unlink()
        return target
    text = source.read_text()
    if source.suffix == ".jsonl":
        kept = [line for line in text.splitlines(keepends=True) if json.loads(line)["id"] != document]
    else:
        kept, inside = [], False
        for line in text.splitlines(keepends=True):
            inside = inside or (line.lower().startswith("#begin") and line.rstrip("\n").endswith(document))
            if not inside:
                kept.append(line)
            inside = inside and not line.lower().startswith("#end")
    path = target.with_suffix(source.suffix)
    path.write_text("".join(kept))
    return path


def test_chosen_documents_are_scored_alone(task, call):
    first, second, *_ = ids_of(task)
    found = data(call, *task.words(task.systems[0]), "--docs", f"{first},{second}" if "," not in first else first)
    assert found["systems"][0]["documents"] in (1, 2)
    code, out, err = call(*task.words(task.systems[0]), "--docs", "no-such-document")
    assert (code, out) == (2, "")
    assert "no-such-document" in err


def test_a_field_that_no_document_has_is_no_slice(task, call):
    code, out, err = call(*task.words(task.systems[0]), "--by", "no-such-field")
    assert (code, out) == (2, "")
    assert "no-such-field" in err


def test_documents_are_clustered_by_the_fields_by_which_they_are_sliced(task, call):
    sliced, _, _ = call(*task.words(task.systems[0]), "--by", "genre")
    code, _, err = call(*task.words(task.systems[0]), "--cluster-by", "genre")
    assert (code, "clusters by genre are too few for intervals" in err) == (2, sliced == 0), err


IN_PYTHON = {
    "coref": ("coref", {}),
    "corefud": ("coref", {"profile": "corefud"}),
    "nugget": ("nugget", {}),
    "eal": ("eal", {"frames": "eal/frames"}),
    "score": ("relation.strict", {}),
    **{family: (family, {"reader": "jsonl"}) for family in RUNS.FAMILIES if family not in RUNS.OF_FAMILY},
}
WHOLE = ("linking", "record")  # clusters go across documents, and a schema is made of all of them


@pytest.mark.parametrize("name", sorted(IN_PYTHON))
def test_documents_that_are_streamed_count_the_same(name, folder):
    task, (first, options) = TASKS[name], IN_PYTHON[name]
    sides = first, task.gold, list(task.systems[:1])
    whole = aj.score(*sides, bootstrap=0, stream=False, **options)
    if name in WHOLE:
        with pytest.raises(AdjudgeError, match="cannot be read a block at a time"):
            aj.score(*sides, bootstrap=0, stream=True, **options)
    else:
        assert aj.score(*sides, bootstrap=0, stream=True, **options) == whole


def test_documents_are_saved_with_a_result_only(task, call):
    if "--compat" in task.more:
        pytest.skip("they are never saved")
    code, _, err = call(*task.words(task.systems[0]), "--save-documents")
    assert (code, err) == (2, "error: --save-documents does nothing without --save, give both, or neither\n")


def test_parts_are_merged_to_the_whole(task, call, tmp_path):
    if task.command in (("kbp", "score"), ("linking", "score")):
        pytest.skip("paths and clusters go across documents, results of parts cannot be merged")
    ids = ids_of(task)
    words = task.words(*task.systems)
    for number, some in enumerate((ids[:3], ids[3:])):
        (tmp_path / f"{number}.txt").write_text("\n".join(some) + "\n")
        data(call, *words, "--docs", str(tmp_path / f"{number}.txt"), "--save", str(tmp_path / f"{number}.json"))
    code, _, err = call("merge", str(tmp_path / "0.json"), str(tmp_path / "1.json"), "-o", str(tmp_path / "all.json"))
    assert code == 0, err
    merged = json.loads((tmp_path / "all.json").read_text())
    whole = data(call, *words)
    assert scores(merged) == scores(whole)


def test_one_document_is_explained_as_it_is_saved_and_shown(task, call, tmp_path, capsys):
    first = ids_of(task)[0]
    if "--compat" in task.more:
        for words in (["--explain", first], ["--save", str(tmp_path / "r.json"), "--save-documents"]):
            code, _, err = call(*task.words(*task.systems), *words)
            assert (code, "a published scorer does not say what became of every item" in err) == (2, True)
        return
    assert run([*task.words(*task.systems), "--explain", first]) == 0
    text = capsys.readouterr().out
    assert run([*task.words(*task.systems), "--explain", first, "--format", "json"]) == 0
    explained = json.loads(capsys.readouterr().out)
    words = [*task.words(*task.systems), "--save", str(tmp_path / "r.json"), "--save-documents"]
    assert call(*words)[0] == 0
    assert call(*words[:-2], str(tmp_path / "two.json"), "--save-documents", "--jobs", "2")[0] == 0
    result = Result.load(tmp_path / "r.json")
    assert result == Result.load(tmp_path / "two.json")
    assert [each.id for each in result.documents] == ids_of(task)
    found = result.explain(first)
    assert "\n\n".join(str(each) for each in found.values()) + "\n" == text
    assert json.loads(json.dumps([each.to_data() for each in found.values()])) == explained
    for data in explained:
        known = {side: [item["id"] for item in data["items"] if item["side"] == side] for side in ("gold", "system")}
        assert all(len(set(names)) == len(names) for names in known.values())
        assert data["metrics"]
        for metric in data["metrics"]:
            assert {pair["outcome"] for pair in metric["pairs"]} <= {"correct", "partial", "wrong"}
    for own in (*result.documents, *(each for system in result.systems for each in system.aligned)):
        for item in own.items:
            assert all(0 <= begin < end for begin, end in item.place)
    assert run(["report", str(tmp_path / "r.json"), "-o", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


def test_saved_documents_change_nothing_that_is_printed(task, call, tmp_path):
    words = task.words(*task.systems)
    for layout in ("text", "json"):
        saved = call(*words, "--format", layout, "--save", str(tmp_path / "r.json"), "--save-documents")
        if saved[0] == 2:
            assert "does not say what became of every item" in saved[2]
        else:
            assert saved == call(*words, "--format", layout)


def test_a_part_of_a_name_that_is_unique_names_a_document(task, call):
    ids = ids_of(task)
    part = next(
        (name[at:] for name in ids for at in range(1, len(name)) if sum(name[at:] in o for o in ids) == 1), None
    )
    if part is not None and "--compat" not in task.more:
        assert run([*task.words(task.systems[0]), "--explain", part]) == 0
    assert run([*task.words(task.systems[0]), "--explain", "no such document"]) == 2


def test_a_document_that_a_system_lacks_is_noted_and_counts(task, call, tmp_path):
    if task.command[0] == "kbp" or "corefud" in task.more:
        pytest.skip("a knowledge base has no documents of its own, and CorefUD must have all of them")
    if "--compat" in task.more:
        pytest.skip("what a program says of missing documents is its own")
    document = ids_of(task)[0]
    path = without(task, document, tmp_path / "lacking")
    code, out, err = call(*task.words(str(path)), "--format", "json")
    assert code == 0, err
    found = json.loads(out)
    whole = data(call, *task.words(task.systems[0]))
    assert found["systems"][0]["documents"] == whole["systems"][0]["documents"]
    codes = [note["code"] for note in found["systems"][0]["notes"]]
    assert "missing-document" in codes


@pytest.mark.parametrize("side", ["gold", "system"])
def test_documents_that_occur_twice_are_never_counted_twice_in_silence(task, side, call, tmp_path):
    source = Path(task.gold if side == "gold" else task.systems[0])
    if source.is_dir():
        pytest.skip("a folder has a name once")
    twice = tmp_path / source.name
    twice.write_bytes(2 * source.read_bytes())
    words = task.words(task.systems[0], gold=str(twice)) if side == "gold" else task.words(str(twice))
    code, out, err = call(*words, "--format", "json")
    if code:
        assert (code, out) == (1, "")
        assert any(name in err for name in ids_of(task)), err
        assert str(twice) in err
    else:
        found, plain = json.loads(out), data(call, *task.words(task.systems[0]))
        answers = task.command == ("kbp", "query") and side == "system"  # rows, of which each counts once
        assert answers or found["systems"][0]["notes"] != plain["systems"][0]["notes"]
        # The official scorer of CorefUD compares sentence by sentence, and a note says that gold has more of them.
        assert "corefud" in task.more or scores(found) == scores(plain)


# ---------------------------------------------------------------------------------------------------------------------
# Every task x every option that all tasks share: it has its effect, or is refused with a reason


def options_are(**expected):
    """Whether a result was made with these options."""
    return lambda found, _: {name: getattr(found["options"], name) for name in expected} == expected


def same_scores(found, plain):
    return scores(found) == scores(plain)


def is_sliced(found, _):
    return any(score["slice"] for system in found["systems"] for score in system["scores"])


def pooled(how):
    ways = {f"pool:{how}", "pool:corpus"}  # what is scored as a whole is never averaged
    return lambda found, _: not ways.isdisjoint(found["signature"].split("|"))


EFFECTS = {
    "--ci 0.9": options_are(level=0.9),
    "--seed 5": options_are(seed=5),
    **{f"--interval {name}": options_are(interval=name) for name in ("jackknife", "percentile", "bca")},
    **{f"--test {name}": options_are(test=name) for name in ("jackknife", "bootstrap", "randomisation")},
    "--pool micro": pooled("micro"),
    "--pool macro": pooled("macro"),
    "--by FIELD": is_sliced,
    "--cluster-by FIELD": lambda found, _: found["options"].clusters >= 5,
    "--docs FIRST": lambda found, _: found["systems"][0]["documents"] == 1,
    "--time-limit 60": same_scores,
    "--exact": same_scores,
    "--jobs 0": same_scores,
    "--no-rank": lambda found, _: not found.get("ranking"),
    "--summary SUMMARY": same_scores,
    "--runs-fixed": lambda found, _: [system["name"] for system in found["systems"]] == ["A"],
}
FIELDS = {"nugget": "type", "kbp": "relation", "crac": "language", "query": "query"}
FEW = "clusters by genre are too few for intervals, at least 5 are needed"
SEARCH = "has no meaning here: no {} needs a search"
ACROSS = "has no meaning here: paths span documents, so there is no mean over documents"
PUBLISHED = [name for name, each in TASKS.items() if "--compat" in each.more]
REFUSED = {
    **{("--cluster-by FIELD", name): FEW for name in ("coref", "corefud", "eal", "score", *RUNS.FAMILIES, *PUBLISHED)},
    **{("--exact", name): "a published scorer does not say which scores are proven" for name in PUBLISHED},
    **{("--jobs 0", name): "a published scorer counts whole files, one after the other" for name in PUBLISHED},
    **{
        (option, name): SEARCH.format(what)
        for option in ("--time-limit 60", "--exact")
        for name, what in (("coref", "chain"), ("corefud", "chain"), ("crac", "chain"), ("eal", "response"))
    },
    ("--exact", "query"): SEARCH.format("query"),
    ("--exact", "kbp"): "has no meaning here: what is not counted in time is not a score",
    ("--pool micro", "kbp"): ACROSS,
    ("--pool macro", "kbp"): ACROSS,
    ("--pool macro", "crac"): "documents of several datasets are not averaged",
    ("--pool macro", "linking"): "is a score of the whole corpus, documents have none to average",
    ("--test randomisation", "linking"): "cannot be exchanged between systems document by document",
    ("--cluster-by FIELD", "nugget"): "these documents have none",
    ("--cluster-by FIELD", "crac"): "documents are drawn within their datasets",
    ("--cluster-by FIELD", "kbp"): "the list of clusters cannot be read",
    **{("--runs-fixed", name): "scores of a whole corpus are not averaged" for name in ("kbp", "linking")},
}


@pytest.mark.parametrize("option", EFFECTS)
def test_an_option_has_its_effect_or_is_refused_with_a_reason(task, option, call, request, tmp_path):
    name = request.node.callspec.params["task"]
    given = {"FIRST": ids_of(task)[0], "FIELD": FIELDS.get(name, "genre"), "SUMMARY": str(tmp_path / "summary.md")}
    words = [given.get(word, word) for word in option.split()]
    runs = [f"A#{number}={path}" for number, path in enumerate(task.systems, 1)]
    systems = runs if option == "--runs-fixed" else task.systems
    saved = tmp_path / "r.json"
    code, out, err = call(*task.words(*systems), *words, "--format", "json", "--save", str(saved))
    if (option, name) in REFUSED:
        assert (code, out) == (2, "")
        assert REFUSED[option, name] in err
        assert err.startswith("error: ")
        assert ", " in err
    else:
        assert code == 0, err
        found = {**json.loads(out), "options": Result.load(saved).options}
        assert EFFECTS[option](found, data(call, *task.words(*task.systems)))
