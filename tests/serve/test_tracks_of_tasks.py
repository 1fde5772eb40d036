"""Tracks of tasks with files of their own: what the server makes of a run is what the command line makes of it."""

import io
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.demo import coref, eal, nugget
from adjudge.serve.intake import Upload, hand_in
from adjudge.serve.jobs import Runner
from adjudge.serve.store import Store, now
from adjudge.serve.store.tables import Phase, Track
from adjudge.serve.tracks import add_member, settings_of
from serve.tracks import documents, finished

OURS = "adjudge.metrics.ner:strict"


def packed(folder):
    """A submission of event arguments as teams send it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        archive.add(folder, ".")
    return buffer.getvalue()


def tasks(root):
    """The task, its gold, options, and a run."""
    lines = "".join(f'{{"id": "d{n}", "value": {{"name": "Ada", "age": {n}}}}}\n' for n in range(3))
    (root / "records.jsonl").write_text(lines)
    (root / "invoice.yaml").write_text("name: text\nage: number\n")
    yield "coref", coref.KEY, [], "linden.conll", coref.SYSTEMS["linden"].read_bytes()
    yield "nugget", nugget.GOLD, [f"tokens={nugget.TOKENS}"], "heron.tbf", nugget.SYSTEMS["heron"].read_bytes()
    frames = [f"frames={eal.FRAMES}", "ontology=2015", "unassessed=ignore"]
    yield "eal", eal.ASSESSMENTS, frames, "slate.tgz", packed(eal.SUBMISSIONS["slate"])
    schema = [f"schema={root / 'invoice.yaml'}", "field=value"]
    yield "record", root / "records.jsonl", schema, "run.jsonl", lines.replace("Ada", "Ida").encode()


def test_scores_of_all_kinds_of_tasks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = list(tasks(tmp_path))
    assert run(["serve", "init", "folder"]) == 0
    for task, gold, options, _, _ in given:
        more = [part for each in options for part in ("--with", each)]
        assert run(["serve", "track", "folder", task, "--task", task, "--gold", str(gold), *more]) == 0
    with Store.open(tmp_path / "folder") as store:
        made = []
        for task, *_, file, data in given:
            team = add_member(store, task, "fast", "tess")
            upload = Upload(task, team, file, store.put_blob(data, "submission"), len(data), now())
            made.append(hand_in(store, upload, "tess").submission)
        with Runner(store, 2):
            rows = finished(store, *made)
        for row, (task, gold, options, file, data) in zip(rows, given, strict=True):
            assert row.state == "scored", (task, row.reason, store.get_blob(row.files["log"]).decode())
            assert "report" in row.files
            with store.read() as snapshot:
                line = settings_of(snapshot.get(Track, task)).score
            place = tmp_path / f"home-{task}"
            place.mkdir()
            (place / file).write_bytes(data)
            words = {name: text for name, _, text in (each.partition("=") for each in options)}
            words |= {"gold": str(gold), "system": file, "name": row.name, "result": "r.json"}
            home = [part.format_map(words) if "{" in part else part for part in line]
            subprocess.run([sys.executable, "-m", "adjudge", *home], cwd=place, check=True, capture_output=True)
            assert store.get_blob(row.files["result"]) == (place / "r.json").read_bytes(), task


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["--track", "nre", "--gold", "gold"], "did you mean ner"),
        (["--track", "ner"], "--gold"),
        (["--track", "ner", "--gold", "none"], "no such file"),
        (["--track", "ner", "--gold", "gold", "--with", "redaer=bio"], "reader"),
        (["--track", "score", "--gold", "gold"], "which metric"),
        (["--track", "score", "--gold", "gold", "--with", f"metric={OURS}"], "--trust-code"),
        (["--gold", "gold"], "--track"),
    ],
)
def test_a_track_that_cannot_be_made_leaves_nothing(tmp_path, monkeypatch, capsys, line, said):
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text("{}\n")
    assert run(["serve", "init", "folder", *line]) in (1, 2)
    assert said in capsys.readouterr().err
    assert not Path("folder").exists()
    if OURS in str(line):
        Path("gold").write_bytes(documents(1))
        assert run(["serve", "init", "folder", *line, "--trust-code"]) == 0
        shutil.rmtree("folder")


def golds(folder):
    """The phases of all tracks and their gold."""
    with Store.open(folder) as store, store.read() as snapshot:
        return [(each.track, each.id, each.gold) for each in snapshot.find(Phase)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["ner"], "the field 'type' is missing, did you mean tpye?"),
        (["ner", "--with", "reader=bio"], "error"),
        (["ner", "--with", "reader=bio", "--with", "gold-reader=jsonl"], "did you mean tpye?"),
        (["score", "--with", "metric=ner.strict"], "did you mean tpye?"),
        (["coref"], "no clusters"),
        (["kbp", "--with", "gold-reader=json"], "triple 1"),
        (["eal"], "gold"),
    ],
)
def test_gold_has_to_fit_its_task(tmp_path, monkeypatch, capsys, line, said):
    """What the task's own command finds is printed, and nothing is made or changed."""
    monkeypatch.chdir(tmp_path)
    gold = Path("gold")
    gold.write_bytes(documents(1).replace(b'"type"', b'"tpye"'))
    assert run(["serve", "init", "folder", "--track", line[0], "--gold", "gold", *line[1:]]) == 1
    shown = capsys.readouterr()
    assert said in shown.out + shown.err
    assert f"gold: this gold does not fit the task {line[0]}, correct it" in shown.err
    assert not Path("folder").exists()
    if line == ["ner"]:
        wrong = gold.read_bytes()
        gold.write_bytes(documents(1))
        assert run(["serve", "init", "folder", "--track", "ner", "--gold", "gold"]) == 0
        before = golds(Path("folder"))
        gold.write_bytes(wrong)
        assert run(["serve", "track", "folder", "ner", "--gold", "gold"]) == 1
        assert run(["serve", "track", "folder", "other", "--task", "ner", "--gold", "gold"]) == 1
        assert golds(Path("folder")) == before
