"""Assessed tracks: what teams hand in is pooled, and the board is that of the campaign as files."""

import itertools
import json
import shutil

import pytest

from adjudge.demo.eal import fill_campaign
from adjudge.serve import intake, scorings
from adjudge.serve.campaigns import create_campaign, import_sources
from adjudge.serve.codecs import codec_of
from adjudge.serve.exchange import campaign_sources
from adjudge.serve.folder import Folder
from adjudge.serve.jobs import Keeper
from adjudge.serve.schema import named_schema
from adjudge.serve.store import Store, Write, now, stream_of
from adjudge.serve.store.tables import Scoring
from adjudge.serve.tracks import add_member, parse_settings, set_phase, set_track
from adjudge.tasks.eal.campaign import init_campaign, run_campaign
from serve.tracks import finished, row, until, working

SETTINGS = {"task": "eal", "score": ["eal", "campaign", "run", "autumn"], "campaign": "autumn"}


@pytest.fixture
def home(tmp_path):
    """The bundled campaign, with nothing handed in yet."""
    init_campaign(tmp_path / "home", fill=fill_campaign)
    settings = tmp_path / "home" / "campaign.toml"
    text = (
        settings.read_text("utf-8")
        .replace("macro = false", "macro = true")
        .replace("neutral = []", 'neutral = ["realis"]')
    )
    settings.write_text(text, "utf-8")
    (tmp_path / "home" / "submissions").rename(tmp_path / "runs")
    shutil.make_archive(str(tmp_path / "runs" / "slate"), "zip", tmp_path / "runs" / "slate")
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path, home):
    return Folder.create(tmp_path / "folder", f"[server]\nname = 'autumn'\n[campaign.autumn]\nfolder = {str(home)!r}\n")


@pytest.fixture
def store(folder, home):
    with Store.open(folder.path) as made:
        schema = named_schema("eal-2015")
        create_campaign(made, "autumn", schema, codec_of(schema).settings(home))
        set_track(made, "arguments", parse_settings("arguments", SETTINGS))
        set_phase(made, "arguments", "test", {"show": "hidden"})
        yield made


def hand_in(store, path, team):
    add_member(store, "arguments", team, f"of-{team}")
    sha256 = store.put_blob(path.read_bytes(), "submission")
    given = intake.Upload("arguments", f"arguments/{team}", path.name, sha256, path.stat().st_size, now())
    return intake.hand_in(store, given, f"of-{team}").submission


def board(store):
    with store.read() as snapshot:
        return scorings.board_of(store, scorings.shown(snapshot, "arguments", "test"))


def items(store):
    with store.read() as snapshot:
        return len(snapshot.items("autumn"))


def assess(store, folder, home, documents):
    """People answer, in the files."""
    for part in ("assessments", "frames"):
        for name in documents:
            shutil.copyfile(home / "answers" / part / name, home / part / name)
    import_sources(store, folder.secret, "autumn", campaign_sources(home))


def official(home, place, runs, documents):
    """The ranking of the same campaign as files."""
    init_campaign(place)
    for part, source in (("sources", home / "sources"), ("submissions", runs)):
        shutil.copytree(source, place / part, dirs_exist_ok=True)
    text = (home / "campaign.toml").read_text("utf-8")
    (place / "campaign.toml").write_text(
        text.replace("documents = []", f"documents = {json.dumps(documents)}"), "utf-8"
    )
    run_campaign(place)
    for part in ("assessments", "frames"):
        for name in documents:
            shutil.copyfile(home / "answers" / part / name, place / part / name)
        run_campaign(place)
    return json.loads((place / "scores" / "ranking.json").read_bytes())["standings"]


def test_from_the_pool_to_the_official_ranking(store, folder, home, tmp_path):
    runs, keeper = tmp_path / "runs", Keeper(folder, store)
    files = {"granite": "granite.zip", "marble": "marble.tar.gz", "slate": "slate.zip"}
    names = {team: hand_in(store, runs / file, team) for team, file in files.items() if team != "slate"}
    with working(store):
        until(lambda: all(row(store, name).state == "pooled" for name in names.values()))
        keeper.look()
        assert board(store) is None
        fewer = items(store)
        names["slate"] = hand_in(store, runs / files["slate"], "slate")
        until(lambda: row(store, names["slate"]).state == "pooled")
    keeper.look()
    assert 0 < fewer < items(store) == 348
    documents = sorted(path.name for path in (home / "answers" / "assessments").iterdir())
    assess(store, folder, home, documents[:4])
    keeper.look()
    (runs / "granite.zip").rename(runs / "granite.1.zip")
    (runs / "marble.tar.gz").rename(runs / "marble.1.tar.gz")
    (runs / "slate.zip").rename(runs / "slate.1.zip")
    shutil.rmtree(runs / "slate")
    for asked, note in ((documents[:4], "Provisional: 4 of 12 documents"), (documents, "Official: all 12 documents")):
        wanted = official(home, tmp_path / f"files-{len(asked)}", runs, asked)
        found = board(store)
        assert found.note.startswith(note)
        lines = [
            (f"{line.team}.{line.number}", line.value, line.low, line.high, line.ranks) for line in found.best[0].lines
        ]
        names_ = ("system", "median", "low", "high")
        assert lines == [(*(each[name] for name in names_), tuple(each["ranks"])) for each in wanted]
        following = [line.beats_next for line in found.best[0].lines[:-1]]
        assert following == [each["wins"][after["system"]] for each, after in itertools.pairwise(wanted)]
        views = {tab.of: tab for tab in found.all if tab.of and tab.metric == found.all[0].metric}
        assert list(views) == ["macro", "neutral-realis"]
        for name, tab in views.items():
            saved = tmp_path / f"files-{len(asked)}" / "scores" / "diagnostics" / f"{name}.json"
            scores = {
                system["name"]: {(each["metric"], each["part"]): each["value"] for each in system["scores"]}
                for system in json.loads(saved.read_bytes())["systems"]
            }
            values = {f"{line.team}.{line.number}": line.value for line in tab.lines}
            assert values == {system: own[tab.metric, tab.part] for system, own in scores.items()}
        if asked is not documents:
            assert row(store, names["slate"]).state == "pooled"
            assess(store, folder, home, documents)
            freeze = Write(stream_of("autumn"), "freeze", "autumn", {"frozen": True}, "olga", "freeze")
            store.write([freeze])
            keeper.look()
    assert {each.state for each in finished(store, *names.values())} == {"scored"}
    assert row(store, names["granite"]).score["value"] == wanted[0]["median"]
    assert scorings.freeze(store, "arguments", "test", "olga")
    again, before = scorings.rescore(store, "arguments", "test", "olga"), board(store)
    keeper.look()
    with store.read() as snapshot:
        assert scorings.board_of(store, snapshot.get(Scoring, again)) == before
    assert {each.state for each in finished(store, *names.values())} == {"scored"}


QUERIES = "query\tnode\ttype\tname\tplaces\tslots\nQ1\tana\t-\t-\t-\tchild\tschool\nQ2\tBen\t-\t-\t-\tspouse\n"
ANSWERS = {"elm": "Q1\tBen\nQ1\tBen\tHill School\n", "fir": "Q1\tBen\nQ2\tEva\n", "oak": "no answer at all\n"}
JUDGED = "Q1\tC\t1\tBen\nQ1\tC\t1:1\tBen\tHill School\nQ2\tC\t1\tEva\n"
KB_SCORE = "kbp query --queries {queries} --assessments {assessments} {systems} --save {result} --format json"


def test_answers_to_queries_are_pooled_and_scored_by_what_people_say(folder, tmp_path):
    from adjudge.serve.codecs import Sources
    from adjudge.serve.tracks import keep_file

    (tmp_path / "queries.tab").write_text(QUERIES, "utf-8")
    (tmp_path / "judged.tab").write_text(JUDGED, "utf-8")
    with Store.open(folder.path) as store:
        create_campaign(store, "facts", named_schema("kb-answers-2017"), {})
        kept = {"queries": keep_file(store, tmp_path / "queries.tab")}
        table = {"task": "kbp", "score": KB_SCORE.split(), "campaign": "facts"}
        set_track(store, "arguments", parse_settings("arguments", table, kept))
        set_phase(store, "arguments", "test", {})
        names = {}
        for team, text in ANSWERS.items():
            (tmp_path / f"{team}.tab").write_text(text, "utf-8")
            names[team] = hand_in(store, tmp_path / f"{team}.tab", team)
        with working(store):
            until(lambda: all(row(store, name).state == "pooled" for name in names.values()))
        keeper = Keeper(folder, store)
        keeper.look()
        with store.read() as snapshot:
            assert sorted(item.body["value"] for item in snapshot.items("facts")) == ["Ben", "Eva", "Hill School"]
        assert row(store, names["oak"]).state == "invalid"
        assert b"oak.1.tab:1" in store.get_blob(row(store, names["oak"]).files["text"])
        import_sources(store, folder.secret, "facts", Sources(tmp_path / "judged.tab"))
        keeper.look()
        found = board(store)
        assert found.note == "Provisional: 2 of 2 documents are finished."
        tab = next(tab for tab in found.best if tab.metric == "kbp.query")
        assert {line.team: round(line.value, 9) for line in tab.lines} == {"elm": 0.8, "fir": 0.8}
        store.write([Write(stream_of("facts"), "freeze", "facts", {"frozen": True}, "olga", "freeze")])
        keeper.look()
        assert {row(store, names[team]).state for team in ("elm", "fir")} == {"scored"}


def test_what_no_query_asks_is_in_no_pool(folder, tmp_path, capsys, monkeypatch):
    """One run with other answers would give people what nobody wants to know, and spoil the board of all."""
    from adjudge.cli import run
    from adjudge.serve.assessed import preset
    from adjudge.serve.tracks import keep_file

    monkeypatch.chdir(tmp_path)
    (tmp_path / "queries.tab").write_text(QUERIES, "utf-8")
    runs = {"elm": ANSWERS["elm"], "ash": "Q1\tBen\nQ7\tEva\n", "yew": "Q2\tEva\tAnn\n", "fig": "\n"}
    with Store.open(folder.path) as store:
        create_campaign(store, "facts", named_schema("kb-answers-2017"), {})
        task, lines, files = preset(folder, store, "facts", ["queries=queries.tab"])
        kept = {name: keep_file(store, path) for name, path in files.items()}
        set_track(store, "arguments", parse_settings("arguments", {"task": task, **lines, "campaign": "facts"}, kept))
        set_phase(store, "arguments", "test", {})
        names = {}
        for team, text in runs.items():
            (tmp_path / f"{team}.tab").write_text(text, "utf-8")
            names[team] = hand_in(store, tmp_path / f"{team}.tab", team)
        with working(store):
            until(lambda: all(row(store, name).state in ("pooled", "invalid") for name in names.values()))
        Keeper(folder, store).look()
        assert {team: row(store, name).state for team, name in names.items()} == {
            "elm": "pooled",
            **dict.fromkeys(("ash", "yew", "fig"), "invalid"),
        }
        for team in ("ash", "yew", "fig"):
            assert run(["kbp", "validate", f"{team}.tab", "--queries", "queries.tab"]) == 1
            assert store.get_blob(row(store, names[team]).files["text"]).decode() == capsys.readouterr().out
        with store.read() as snapshot:
            assert [scope.id for scope in snapshot.scopes("facts")] == ["Q1"]


def test_what_readers_need_not_link_is_an_event_alone(store, folder, home):
    from adjudge.serve.campaigns import schema_of, written_scopes
    from adjudge.serve.codecs.eal import completed, key_of, linking_of

    shutil.copytree(home / "answers" / "assessments", home / "assessments", dirs_exist_ok=True)
    shutil.copytree(home / "answers" / "frames", home / "frames", dirs_exist_ok=True)
    import_sources(store, folder.secret, "autumn", campaign_sources(home))
    with store.read() as snapshot:
        scopes = list(written_scopes(snapshot, schema_of(store, "autumn"), "autumn"))
    linked = [scope for scope in scopes if scope.links]
    for scope in linked:
        assert completed(scope).links["events"] == scope.links["events"]
        scope.links = {"events": dict(list(scope.links["events"].items())[1:])}
        made = completed(scope)
        key, responses = key_of(made)
        assert not linking_of(made, key, responses)[1].incomplete
        assert made.links["events"].items() >= scope.links["events"].items()
    assert len(linked) > 8
