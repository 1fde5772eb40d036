"""`adjudge serve init`, `schema`, `import`, `export` as from a shell."""

import json
import math
from collections import defaultdict

import numpy as np
import pytest

from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES, SUBMISSIONS
from adjudge.estimates.documents import Counted, estimate_documents
from adjudge.estimates.files import read_design
from adjudge.estimates.rows import How
from adjudge.serve.campaigns import Names, assign, validity_design
from adjudge.serve.messages import JudgeItem
from adjudge.serve.organise import freeze, reopen
from adjudge.serve.store import Store
from adjudge.serve.store.tables import Item
from adjudge.serve.views import scope_view
from adjudge.serve.workbench import judge
from adjudge.stats.table import StatsTable
from calling import caller
from estimate_simulation import made_corpus
from serve.demo_campaign import desk as demo_desk
from serve.readers import server_of

serve, eal = caller("serve"), caller("eal")


def init(serve, folder, *more):
    return serve("init", folder, "--schema", "eal-2015", "--answers", ASSESSMENTS, "--texts", SOURCES, *more)


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_init_import_export(serve, tmp_path):
    folder = tmp_path / "demo"
    code, said, _ = init(serve, folder, "--frames", FRAMES)
    assert (code, said) == (0, f"{folder}: 348 items in 12 scopes, 348 new, 348 newly answered\n")
    assert init(serve, folder)[0] == 2
    assert (folder / "secret.key").stat().st_mode & 0o077 == 0
    code, said, _ = serve("export", folder, "-o", tmp_path / "out")
    assert code == 0
    for kind, source in (("assessments", ASSESSMENTS), ("frames", FRAMES)):
        here, there = (
            {each.name: each.read_bytes() for each in at.iterdir()} for at in (source, tmp_path / "out" / kind)
        )
        assert here == there
    code, _, said = serve("export", folder)
    assert (code, said) == (2, "error: there is no campaign folder to write into, give -o DIR\n")
    assert serve("export", folder, "-o", tmp_path / "out")[0] == 2
    assert serve("export", folder, "-o", tmp_path / "out", "--overwrite")[0] == 0
    code, _, said = serve("import", folder)
    assert code == 2
    assert "there is nothing to import" in said
    code, _, said = serve("import", folder, "--scope", "domo")
    assert (code, said) == (2, "error: there is no campaign 'domo', did you mean demo?\n")


def test_an_offline_pack(serve, tmp_path):
    folder, pack = tmp_path / "demo", tmp_path / "pack"
    init(serve, folder)
    code, _, said = serve("export", folder, "--for", "ann", "-o", pack)
    assert (code, said) == (2, "error: nothing waits for 'ann' in 'demo', assign something first\n")
    assert not pack.exists()
    unanswered = tmp_path / "unanswered"
    unanswered.mkdir()
    document = "MINI_NW_07"
    lines = (ASSESSMENTS / document).read_text().splitlines()
    rows = ["\t".join((*line.split("\t")[:11], *["UNANNOTATED"] * 7)) for line in lines]
    (unanswered / document).write_text("".join(f"{row}\n" for row in rows))
    folder = tmp_path / "small" / "demo"
    folder.parent.mkdir()
    assert serve("init", folder, "--schema", "eal-2015", "--answers", unanswered, "--texts", SOURCES)[0] == 0
    with Store.open(folder) as store:
        assign(store, "demo", "ann")
    code, said, _ = serve("export", folder, "--for", "ann", "-o", pack)
    assert (code, said.split(";")[0]) == (0, f"{pack}: 1 scope for ann")
    with Store.open(pack) as store:
        item = scope_view(demo_desk(store), document)["items"][0]
        judge(demo_desk(store), document, [JudgeItem({"aet": "W"}, "k1", 0, 0, item=item["id"])])
    code, said, _ = serve("import", folder, "--merge", pack)
    assert (code, said) == (0, f"{folder}: 1 event of ann taken back, 0 answered differently\n")
    with Store.open(folder) as store:
        assert scope_view(demo_desk(store), document)["items"][0]["answers"] == {"aet": "W"}


def test_mistakes_in_files(serve, tmp_path):
    (tmp_path / "in").mkdir()
    good = (ASSESSMENTS / "MINI_NW_07").read_bytes()
    (tmp_path / "in" / "MINI_NW_07").write_bytes(good)
    (tmp_path / "in" / "MINI_NW_06").write_bytes(
        good.replace(b"MINI_NW_07", b"MINI_NW_06").replace(b"\tC\tC", b"\tC\tZ")
    )
    code, said, _ = serve(
        "init", tmp_path / "a", "--schema", "eal-2015", "--answers", tmp_path / "in", "--texts", SOURCES
    )
    assert code == 1
    assert "MINI_NW_06:1:" in said
    assert said.endswith(f"{tmp_path / 'a'}: 2 items in 1 scope, 2 new, 2 newly answered\n")
    assert serve("init", tmp_path / "b", "--answers", tmp_path / "in")[0] == 2
    assert serve("import", tmp_path / "a", "--answers", tmp_path / "in", "--as", "a/b")[0] == 2
    assert serve("init", tmp_path / "d", "--name", "a/b")[0] == 2
    assert not (tmp_path / "d").exists()
    assert serve("init", tmp_path / "c", "--campaign", tmp_path / "in")[0] == 2
    assert not (tmp_path / "c").exists()


def test_schema(serve, tmp_path):
    assert serve("schema", "eal-2015")[:2] == (
        0,
        "eal-2015: eal-2015, 6 questions, stages assess, group, link, no mistakes\n",
    )
    code, _, said = serve("schema", tmp_path / "none.toml")
    assert (code, "none.toml" in said) == (2, True)


def test_suggestions_and_the_validity_sample(serve, tmp_path):
    folder = tmp_path / "demo"
    assert init(serve, folder, "--validity", "0.5")[0] == 0
    options = ("--answers", ASSESSMENTS, "--texts", SOURCES, "--suggestions", "model")
    code, said, _ = serve("import", folder, *options)
    assert (code, said) == (0, f"{folder}: 348 new suggestions of model\n")
    assert serve("import", folder, *options)[1] == f"{folder}: 0 new suggestions of model\n"
    assert serve("import", folder, *options, "--as", "ben")[0] == 2
    with Store.open(folder, read_only=True) as store:
        with store.read() as snapshot:
            items = snapshot.items("demo")
        drawn = {item.scope for item in items if item.validity}
        assert {item.p for item in items} == {0.5}
        assert all(item.validity == (item.scope in drawn) for item in items)
        for scope in {item.scope for item in items}:
            suggested = [item["suggestion"] for item in scope_view(demo_desk(store), scope)["items"]]
            assert all((each is None) == (scope in drawn) for each in suggested)
    assert serve("export", folder, "-o", tmp_path / "out")[0] == 0
    design = read_design(tmp_path / "out" / "validity.design.jsonl")
    assert (design.drawn, design.unit, design.rounds[0].sampling) == (drawn, "document", "poisson")
    assert {row.probability for row in design.rows} == {0.5}


def test_the_validity_sample_is_a_design_that_scores_are_estimated_from(serve, eal, tmp_path):
    """Written by the server, read by `eal estimate`: scores of the drawn documents, for all of them."""
    folder, out = tmp_path / "demo", tmp_path / "out"
    assert init(serve, folder, "--frames", FRAMES, "--validity", "0.8")[0] == 0
    assert serve("export", folder, "-o", out)[0] == 0
    design = read_design(out / "validity.design.jsonl")
    runs = []
    for name in ("granite", "marble"):
        assert eal("filter-quotes", SUBMISSIONS[name], "--texts", SOURCES, "-o", tmp_path / f"clean-{name}")[0] == 0
        assert eal("trim", tmp_path / f"clean-{name}", "-o", tmp_path / name)[0] == 0
        runs.append(tmp_path / name)
    people = (out / "assessments", *runs, "--frames", out / "frames")
    judge = ("--judge", ASSESSMENTS, "--judge-frames", FRAMES)
    words = ("--design", out / "validity.design.jsonl", "--format", "json")
    code, said, problem = eal("estimate", *people, *words)
    assert (code, problem) == (0, "")
    found = json.loads(said)
    assert (found["n"], found["of"], found["rounds"][0]["sampling"]) == (len(design.drawn), 12, "poisson")
    assert "interval   95 % (jackknife, logit)" in eal("estimate", *people, *words[:2])[1]
    drawn, everything = (_argument(eal, people, more) for more in (("--docs", ",".join(sorted(design.drawn))), ()))
    assert _rows(found) == pytest.approx(drawn, abs=1e-12)
    perfect = json.loads(eal("estimate", *people, *judge, *words)[1])
    assert _rows(perfect) == pytest.approx(everything, abs=1e-12)


def _rows(found):
    return {row["system"]: row["value"] for row in found["scores"] if row["metric"] == "eal.argument"}


def _argument(eal, people, more):
    systems = json.loads(eal("score", *people, *more, "--bootstrap", "0", "--format", "json")[1])["systems"]
    return {
        system["name"]: score["value"]
        for system in systems
        for score in system["scores"]
        if (score["metric"], score["part"]) == ("eal.argument", "score") and not score.get("slice")
    }


def test_scores_from_validity_samples_are_unbiased():
    """Drawn by the server again and again, also with a share that was changed on the way, and a judge that is wrong."""
    corpus = made_corpus(np.random.default_rng([21, 5]), "mixed")
    judge = {
        name: StatsTable(table.ids, table.columns, [[0.5 * x + 1.5, c, 0.5 * link] for x, c, link in table.values])
        for name, table in corpus.judge.items()
    }
    wanted = {(name, *key): value for name, own in corpus.true().items() for key, value in own.items()}
    shares = {"equal": lambda at: 0.25, "changed": lambda at: 0.25 if at % 2 else 0.4}
    for way, share in shares.items():
        errors, covered = defaultdict(list), []
        for number in range(500):
            names = Names(b"%d" % number, "demo", ())
            items = [
                Item("demo", scope, scope, at, scope, {}, None, drawn["validity"], drawn["p"], 0, None)
                for at, scope in enumerate(corpus.ids)
                if (drawn := names.drawn(scope, share(at)))
            ]
            design = validity_design(items)
            people = {name: table.select(sorted(design.drawn)) for name, table in corpus.people.items()}
            for row in estimate_documents(Counted(corpus.measures, people, judge), design, How()).scores:
                true = wanted[row.system, row.metric, row.part]
                errors[row.system, row.metric].append(row.value - true)
                covered.append(row.low <= true <= row.high)
        for own in errors.values():  # within four standard errors; a ratio is unbiased but for the square of its error
            assert abs(np.mean(own)) < 4 * np.std(own) / math.sqrt(500) + np.var(own), way
        assert 0.93 - 0.02 < np.mean(covered) < 0.97 + 0.02, way


def test_a_new_key_changes_no_name_of_an_item(serve, tmp_path):
    folder = tmp_path / "demo"
    init(serve, folder, "--frames", FRAMES, "--validity", "0.5")

    def items():
        with Store.open(folder, read_only=True) as store, store.read() as snapshot:
            return {item.id: item.validity for item in snapshot.items("demo")}, snapshot.last()

    before = items()
    assert serve("rotate", folder)[0] == 0
    options = ("--answers", ASSESSMENTS, "--texts", SOURCES, "--frames", FRAMES)
    code, said, _ = serve("import", folder, *options)
    assert (code, said) == (0, f"{folder}: 348 items in 12 scopes, 0 new, 0 newly answered\n")
    assert items() == before
    code, said, _ = serve("invite", folder, "robot", "--role", "judge", "--token")
    assert (code, said.splitlines()[1][:22]) == (0, "for programs of robot,")


def test_an_export_as_it_was_after_an_event(serve, tmp_path):
    folder = tmp_path / "demo"
    init(serve, folder)
    assert serve("export", folder, "-o", tmp_path / "before")[0] == 0
    event = json.loads((tmp_path / "before" / "manifest.json").read_bytes())["event"]
    with Store.open(folder) as store:
        assign(store, "demo", "ann")
        ann = demo_desk(store)
        reopen(ann, "MINI_NW_07", "assess", "once more", "r", "olga")
        item = scope_view(ann, "MINI_NW_07")["items"][0]
        judge(ann, "MINI_NW_07", [JudgeItem({"aet": "W"}, "k1", 0, 0, item=item["id"])])
        freeze(ann, True, "f", "olga")
    assert serve("export", folder, "-o", tmp_path / "now")[0] == 0
    assert serve("export", folder, "-o", tmp_path / "again", "--event", event)[0] == 0
    trees = [
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (tmp_path / "before", tmp_path / "again", tmp_path / "now")
    ]
    assert trees[0] == trees[1] != trees[2]
    code, _, said = serve("export", folder, "-o", tmp_path / "never", "--event", 10**6)
    assert (code, said) == (2, f"error: there is no event 1000000, the last one is {event + 5}\n")
    assert not (tmp_path / "never").exists()
    assert serve("export", folder, "--event", 1)[0] == 2


def test_links_lead_to_where_the_server_listens(serve, tmp_path):
    folder = tmp_path / "demo"
    init(serve, folder)
    code, said, _ = serve("invite", folder, "ann", "--role", "assessor")
    link, _, guess = said.splitlines()
    assert (code, link[:27]) == (0, "http://127.0.0.1:8765/join/")
    assert guess.startswith("the link is for this machine and port 8765: give --url")
    for options in ((), ("--host", "0.0.0.0", "--behind-proxy", "127.0.0.1")):
        with server_of(folder, *options) as (url, _):
            port = url.rpartition(":")[2]
            code, said, _ = serve("invite", folder, "ben", "--role", "assessor")
        assert (code, said[: len(port) + 22]) == (0, f"http://127.0.0.1:{port}/join")
        outside = [f"the link is for this machine and port {port}: give --url"] if options else []
        assert [line[: len(outside[0])] for line in said.splitlines()[2:]] == outside
    _, said, _ = serve("invite", folder, "ben", "--role", "assessor", "--url", "https://a.example/")
    assert said.startswith("https://a.example/join/")
    assert len(said.splitlines()) == 2


def test_a_campaign_without_responses_says_how_to_go_on(serve, eal, tmp_path):
    assert eal("campaign", "init", tmp_path / "old", "--demo", "--quiet")[0] == 0
    code, said, _ = serve("init", tmp_path / "autumn", "--campaign", tmp_path / "old")
    assert (code, said.splitlines()[1]) == (
        0,
        f"nothing to assess yet: once there are responses, run adjudge serve import {tmp_path / 'autumn'}",
    )


def test_training(serve, tmp_path):
    folder = tmp_path / "demo"
    init(serve, folder)
    lesson = {"document": "MINI_NW_07", "item": {"role": "nobody"}, "answers": {"aet": "W"}}
    (tmp_path / "training.jsonl").write_text(json.dumps(lesson))
    code, _, said = serve("import", folder, "--training", tmp_path / "training.jsonl")
    assert code == 1
    assert f"{tmp_path / 'training.jsonl'}:1:1: no item of 'MINI_NW_07' is like this, name a scope" in said


def test_what_cannot_be_imported_leaves_nothing_behind(tmp_path, monkeypatch, capsys):
    from adjudge.cli import run

    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.jsonl").write_text("{\n")
    words = ["serve", "init", "autumn", "--answers", "answers.jsonl", "--schema", "records"]
    assert run(words) == 1
    first = capsys.readouterr().err
    assert not (tmp_path / "autumn").exists()
    assert run(words) == 1
    assert capsys.readouterr().err == first
