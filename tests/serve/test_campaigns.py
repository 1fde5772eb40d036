"""Files in, files out: what comes back from a store is what went into it."""

import json

import pytest

from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES, fill_campaign
from adjudge.errors import UsageError
from adjudge.formats.eal_assessments import write_key
from adjudge.formats.eal_linking import write_linking
from adjudge.formats.eal_store import open_frames, open_key
from adjudge.model.eal import AnswerKey, Frame, Linking
from adjudge.serve.campaigns import assign, check_campaign, files_of, import_sources
from adjudge.serve.codecs import Sources
from adjudge.serve.desk import Desk
from adjudge.serve.exchange import campaign_sources, export_folder, export_home, import_answers
from adjudge.serve.messages import JudgeItem
from adjudge.serve.store import Store, Write, stream_of
from adjudge.serve.views import campaign_view, scope_view
from adjudge.serve.workbench import judge, operate
from adjudge.tasks.eal.campaign import init_campaign, run_campaign
from adjudge.tasks.eal.frames import format_linking
from serve.demo_campaign import NAME, SECRET, campaign, desk, make
from serve.test_workbench import assess, keys

DOCUMENT = "MINI_NW_01"


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def store_of(folder, key=None, linking=b""):
    """A store of one document."""
    for name, data in (("assessments", key), ("frames", linking)):
        (folder / name).mkdir(parents=True)
        if data:
            (folder / name / DOCUMENT).write_bytes(data)
    return Sources(folder / "assessments", SOURCES, folder / "frames")


def exported(tmp_path, sources):
    """What comes out again, and what was found."""
    with Store.open(tmp_path / "serve") as store:
        done = make(store, sources=sources)
        return dict(files_of(store, NAME)), done.findings


@pytest.fixture(scope="module")
def stored():
    with open_key(ASSESSMENTS) as keys_, open_frames(FRAMES) as frames:
        key = keys_.key(DOCUMENT)
        return key, frames.linking(key)


def test_the_bundled_stores_come_back(tmp_path, database):
    with campaign(tmp_path, database) as store:
        files = dict(files_of(store, NAME))
        again = import_sources(store, SECRET, NAME, Sources(ASSESSMENTS, SOURCES, FRAMES))
        assert {each["stage"] for each in campaign_view(desk(store, None))["scopes"]} == {"done"}
    for kind, folder in (("assessments", ASSESSMENTS), ("frames", FRAMES)):
        here = content(folder)
        assert {name.split("/")[1]: data for name, data in files.items() if name.startswith(f"{kind}/")} == here
    assert (again.new, again.decided, again.withdrawn, again.findings) == (0, 0, 0, [])
    manifest = json.loads(files["manifest.json"])
    assert manifest["files"].keys() == files.keys() - {"manifest.json"}
    assert len(files["events.jsonl"].splitlines()) == manifest["event"]


def strange_stores(key, linking):
    """Stores as adjudge writes them, which are not like the bundled ones."""
    responses = list(key.assessed)
    waiting = AnswerKey(key.document, {each: key.assessed[each] for each in responses[9:]}, responses[:9], key.coref)
    named = Linking(key.document, [Frame(frame.responses, f"h{at}") for at, frame in enumerate(linking.frames)])
    linked = write_linking(linking)
    part = Linking(key.document, [*linking.frames[:2], Frame(frozenset(list(linking.frames[2].responses)[:1]))])
    open_ = Linking(key.document, linking.frames[1:], linking.frames[0].responses)
    return {
        "UNANNOTATED, with clusters": (write_key(waiting), b""),
        "nobody has assessed": (write_key(AnswerKey(key.document, {}, responses, {})), b""),
        "ids of 2014": (write_key(key, ids="2014"), b""),
        "names of 2016": (write_key(key), write_linking(named, layout="2016")),
        "some of a class": (write_key(key), write_linking(part)),
        "not all linked": (write_key(key), write_linking(open_)),
        "for people": (write_key(key), format_linking(open_, key, comments=True)),
        "linked": (write_key(key), linked),
        "empty": (b"", b""),
    }


STRANGE = (
    "UNANNOTATED, with clusters",
    "nobody has assessed",
    "ids of 2014",
    "names of 2016",
    "some of a class",
    "not all linked",
    "for people",
    "linked",
    "empty",
)


@pytest.mark.parametrize("name", STRANGE)
def test_stores_that_adjudge_wrote_come_back(tmp_path, stored, name):
    key, linking = strange_stores(*stored)[name]
    files, findings = exported(tmp_path, store_of(tmp_path / "in", key or b"#\n", linking))
    assert files.get(f"assessments/{DOCUMENT}", b"") == key
    assert files.get(f"frames/{DOCUMENT}", b"") == linking
    assert not [each for each in findings if each.error]


def test_what_the_check_refuses_is_said_and_left_out(tmp_path, stored):
    data = write_key(stored[0]).replace(b"\tC\tC\tC\tC\t", b"\tC\tC\tC\tNIL\t", 1)
    files, findings = exported(tmp_path, store_of(tmp_path / "in", data))
    assert f"assessments/{DOCUMENT}" not in files
    assert [finding.kind for finding in findings] == ["assessment-missing"]
    assert f"{DOCUMENT}:1:" in str(findings[0].problem)


def test_late_responses_open_a_document_again(tmp_path, stored, database):
    """Only what is new is asked for; what was decided stays, and a decision of the server beats a file."""
    key, _ = stored
    responses = list(key.assessed)
    early = AnswerKey(DOCUMENT, {}, responses[:-2], {})
    sources = store_of(tmp_path / "early", write_key(early))
    with Store.open(tmp_path / "serve", database) as store:
        make(store, sources=sources, readers=["ann"])
        ann = desk(store)
        assess(ann, DOCUMENT)
        assert operate(ann, DOCUMENT, "assess", 0, [{"op": "finish"}], next(keys))["stage"] == "group"
        (tmp_path / "early" / "assessments" / DOCUMENT).write_bytes(write_key(AnswerKey(DOCUMENT, {}, responses, {})))
        done = import_sources(store, SECRET, NAME, sources)
        assert (done.new, done.items) == (2, len(responses))
        view = scope_view(ann, DOCUMENT)
        assert (view["stage"], view["state"]) == ("assess", "open")
        open_ = [item for item in view["items"] if not item["complete"]]
        assert 1 <= len(open_) <= 2
        (listed,) = campaign_view(ann)["scopes"]
        assert listed["items"] - listed["done"] == 2
        assess(ann, DOCUMENT)
        assert operate(ann, DOCUMENT, "assess", 0, [{"op": "finish"}], next(keys))["stage"] == "group"
        wrong = write_key(key).replace(b"\tC\tC\tC\tC\t", b"\tC\tC\tC\tW\t", 1)
        (tmp_path / "early" / "assessments" / DOCUMENT).write_bytes(wrong)
        done = import_sources(store, SECRET, NAME, sources)
        assert [(finding.kind, finding.error) for finding in done.findings] == [("decided", False)]
        (tmp_path / "early" / "assessments" / DOCUMENT).write_bytes(write_key(early))
        assert import_sources(store, SECRET, NAME, sources).withdrawn == 2


def test_what_became_wrong_is_said(tmp_path):
    """A document that is opened again keeps its frames, and the check says which of them are no longer right."""
    with campaign(tmp_path, readers=["ann"]) as store:
        assert [each for each in check_campaign(store, NAME) if each.error] == []
        stream = stream_of(NAME, DOCUMENT, "=decided")
        store.write([Write(stream, "reopen", "assess", {"why": "a slip"}, "org", next(keys))])
        ann = desk(store)
        item = next(each for each in scope_view(ann, DOCUMENT)["items"] if each["label"] == "Instrument a police van")
        judge(ann, DOCUMENT, [JudgeItem({"aet": "W"}, next(keys), 0, 0, item=item["id"])])
        assert operate(ann, DOCUMENT, "assess", 0, [{"op": "finish"}], next(keys))["stage"] == "group"
        found = [each for each in check_campaign(store, NAME) if each.error]
        assert [(each.kind, each.document) for each in found] == [("frame-wrong", DOCUMENT)]
        assert "a police van" in str(found[0].problem)


def test_files_become_a_reader(tmp_path):
    with campaign(tmp_path, answers=False, readers=["ann"]) as store:
        done = import_answers(Desk(store, NAME, "ben", SECRET), Sources(ASSESSMENTS, SOURCES, FRAMES))
        assert (done.scopes, done.decided, done.findings) == (12, 348, [])
        files = dict(files_of(store, NAME))
        for kind, folder in (("assessments", ASSESSMENTS), ("frames", FRAMES)):
            assert {name: files[f"by-reader/ben/{kind}/{name}"] for name in content(folder)} == content(folder)
        assert b"UNANNOTATED" in files["assessments/MINI_NW_07"]
        ann = desk(store)
        assert all(not item["answers"] for item in scope_view(ann, "MINI_NW_07")["items"])
        assess(ann, "MINI_NW_07")
        assert operate(ann, "MINI_NW_07", "assess", 0, [{"op": "finish"}], next(keys))["stage"] == "group"
    with Store.open(tmp_path / "alone") as store:
        make(store, answers=False)
        import_answers(Desk(store, NAME, "ben", SECRET), Sources(ASSESSMENTS, SOURCES, FRAMES))
        assert {each["stage"] for each in campaign_view(desk(store, None))["scopes"]} == {"done"}


def test_a_server_and_eal_campaign_run_on_one_folder(tmp_path):
    folder = tmp_path / "campaign"
    init_campaign(folder, fill=fill_campaign)
    run_campaign(folder)
    with Store.open(tmp_path / "serve") as store:
        sources = campaign_sources(folder)
        make(store, sources=sources)
        assert all(item["answers"] == {} for item in scope_view(desk(store, None), DOCUMENT)["items"])
        with store.read() as snapshot:
            from adjudge.serve.store.tables import Origin

            assert {each.submission for each in snapshot.find(Origin)} == {"granite", "marble", "slate"}
        import_answers(Desk(store, NAME, "ann", SECRET), Sources(ASSESSMENTS, SOURCES))
        home = export_home(store, NAME, folder)
        assert {name.split("/")[0] for name in home.written} == {"assessments"}
        assert content(folder / "assessments") == content(ASSESSMENTS)
        assert (export_home(store, NAME, folder).written, export_home(store, NAME, folder).same) == ([], 12)
        steps = {step.step: step for step in run_campaign(folder)}
        assert steps["score"].status == "waiting"
        import_sources(store, SECRET, NAME, sources)
        assert {each["stage"] for each in campaign_view(desk(store, None))["scopes"]} <= {"link", "done"}
        import_answers(Desk(store, NAME, "ann", SECRET), Sources(ASSESSMENTS, SOURCES, FRAMES))
        (folder / "frames" / DOCUMENT).write_bytes(b"# mine\n" + (folder / "frames" / DOCUMENT).read_bytes())
        with pytest.raises(UsageError, match=f"{DOCUMENT}: the file was changed since"):
            export_home(store, NAME, folder)
        import_sources(store, SECRET, NAME, sources)
        export_home(store, NAME, folder)
        steps = {step.step: step for step in run_campaign(folder)}
        assert steps["score"].status == "done"
        assert export_folder(store, NAME, tmp_path / "out") > 48
        with pytest.raises(UsageError, match="it already exists"):
            export_folder(store, NAME, tmp_path / "out")


KB = "\n".join(
    (
        "a1\tQ1:per:children\td:0-9\tBen Ruiz\td:0-7\tC\tNAM\tC\tQ1:1\tNAM",
        "a2\tQ1:per:children\td:20-40\tBenjamin Ruiz\td:20-32\tC\tNAM\tC\tQ1:1\tNAM",
        "a3\tQ1:per:children\td:50-60\tNed\td:50-52\tW\t0\tW\t0\t0",
        "a4\tQ1:per:children\td:50-60\tthe baker\td:54-58\tS\tNOM\tC\tQ1:2\tNOM",
        "a5\tQ1_{}:per:schools_attended\td:70-90\tHill School\td:70-80\tC\tNAM\tC\tQ1:1:1\tNAM",
    )
)
TEXT = "Ben Ruiz, a son of hers, Benjamin Ruiz says. Not Ned, who is a baker in Brennick. Hill School is his school."


def test_answers_of_a_knowledge_base(tmp_path):
    from adjudge.model.kbp_queries import follow_up

    data = (KB.format(follow_up("Q1", "Ben Ruiz", "d:0-7").removeprefix("Q1_")) + "\n").encode()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "judged.tsv").write_bytes(data)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "d.txt").write_text(TEXT)
    sources = Sources(tmp_path / "in", tmp_path / "texts")
    with campaign(tmp_path / "a", schema="kb-answers-2017", sources=sources) as store:
        assert dict(files_of(store, NAME))["assessments/judged.tsv"] == data
    with campaign(tmp_path / "b", schema="kb-answers-2017", sources=sources, answers=False, readers=["ann"]) as store:
        ann = desk(store)
        items = {item["fields"]["value"]: item for item in scope_view(ann, "Q1")["items"]}
        assert list(items) == ["Ben Ruiz", "Benjamin Ruiz", "Ned", "the baker", "Hill School"]
        assert items["Hill School"]["claim"] == "Ben Ruiz > per:schools_attended is Hill School"
        text = scope_view(ann, "Q1")["text"]
        assert [text[s:e] for s, e in items["Ben Ruiz"]["marks"]["line"]] == ["Ben Ruiz"]
        right = {"class": "1", "level": "NAM"}
        given = {"Ben Ruiz": right, "Benjamin Ruiz": right, "Ned": {"judgment": "W"}, "the baker": {"judgment": "S"}}
        given["Hill School"] = right
        said = [JudgeItem(answers, next(keys), 0, 0, item=items[name]["id"]) for name, answers in given.items()]
        assert all(each["complete"] for each in judge(ann, "Q1", said))
        assert operate(ann, "Q1", "assess", 0, [{"op": "finish"}], next(keys))["stage"] == "done"
        written = dict(files_of(store, NAME))["assessments/judged.tsv"].decode().splitlines()
        assert [line.split("\t")[5:] for line in written] == [
            ["C", "NAM", "C", "Q1:1", "NAM"],
            ["C", "NAM", "C", "Q1:1", "NAM"],
            ["W", "0", "W", "0", "0"],
            ["S", "NOM", "C", "Q1:2", "NOM"],  # as the file has it, since nothing else was said
            ["C", "NAM", "C", "Q1:1:1", "NAM"],
        ]


def test_records(tmp_path):
    lines = [
        {"document": "d1", "record": "r1", "path": "date", "value": "5 May", "evidence": [[3, 8]], "judgment": "C"},
        {"document": "d1", "record": "r1", "path": "date", "value": "May 5", "evidence": [[3, 8]]},
        {"document": "d2", "record": "r2", "path": "city", "value": "Oslo", "evidence": [], "run": "x"},
    ]
    lines[0]["class"] = "1"
    data = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    source = tmp_path / "records.jsonl"
    source.write_bytes(data)
    with campaign(tmp_path / "a", schema="records", sources=Sources(source), readers=["ann"]) as store:
        assert dict(files_of(store, NAME))["assessments/records.jsonl"] == data
        one, other = scope_view(desk(store), "d1")["items"]
        assert "run" not in scope_view(desk(store), "d2")["items"][0]["fields"]
        assert (one["complete"], other["complete"]) == (True, False)
        judge(desk(store), "d1", [JudgeItem({"class": "1"}, "k", 0, 0, item=other["id"])])
        assert operate(desk(store), "d1", "assess", 0, [{"op": "finish"}], "f")["stage"] == "done"
        made = dict(files_of(store, NAME))["assessments/records.jsonl"].splitlines()
        assert json.loads(made[1])["judgment"] == "C"
    bad = [b"{", b'{"document": "d1", "size": 3}', b'{"document": "d1", "judgment": "X"}', b'{"value": 1}', data[:9]]
    source.write_bytes(b"\n".join(bad))
    with Store.open(tmp_path / "b") as store:
        found = make(store, schema="records", sources=Sources(source)).findings
        assert [finding.problem.line for finding in found] == [1, 2, 3, 4, 5]
        assert assign(store, NAME, "ann") == 0
