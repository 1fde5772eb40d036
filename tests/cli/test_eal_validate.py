"""`adjudge eal validate`."""

import io
import json
import os
import tarfile
import tempfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from adjudge.cli import run

TEXT = "Bob met Ann in Rome."
LINES = (
    "1\tD1\tContact.Meet\tEntity\tBob\t0-2\t0-19\t0-2\tNIL\tActual\t0.9\n"
    "2\tD1\tContact.Meet\tPlace\tRome\t15-18\t0-19\t15-18\tNIL\tOther\t0.5\n"
    "3\tD1\tContact.Meet\tEntity\tAnn\t8-10\t0-19\t8-10\tNIL\tGeneric\t1.0\n"
)
FILES = {"arguments/D1": LINES.encode(), "linking/D1": b"1\t2\nINCOMPLETE\t\n"}
TOTAL = "1 document, 3 responses, 1 frame, 0 errors, 0 warnings (profile spec, ontology 2015, offsets in code points)\n"


def pack_zip(path: str, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def pack_tar(path: str, files: dict[str, bytes], **fields: object) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for key, value in fields.items():
                setattr(member, key, value)
            archive.addfile(member, io.BytesIO(content))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "work"))
    for name, content in {
        **{f"sub/{name}": each for name, each in FILES.items()},
        "docs/D1.txt": TEXT.encode(),
    }.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)
    pack_zip("sub.zip", FILES)
    pack_tar("sub.tar.gz", FILES)
    pack_tar("sub.tgz", FILES)
    return tmp_path


@pytest.mark.parametrize("name", ["sub", "sub.zip", "sub.tar.gz", "sub.tgz"])
def test_a_good_submission(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eal", "validate", name, "--docs", "docs", "--ontology", "2015", "--doc-list", "D1", "--strict"]) == 0
    assert capsys.readouterr() == (f"{name}: {TOTAL}", "")
    assert run(["eal", "validate", name, "--docs", "docs", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert list((folder / "work").iterdir()) == []


def test_without_source_documents(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sub/arguments/D1").write_text(LINES.replace("0-19", "0-999"))
    assert run(["eal", "validate", "sub", "--profile", "bbn-2015"]) == 0
    assert capsys.readouterr().out.endswith(
        "(profile bbn-2015, ontology 2015, no source documents: offsets not checked)\n"
    )


def test_problems_have_a_place_and_a_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sub/arguments/D1").write_text(LINES.replace("Contact.Meet", "Contact.Met", 1).replace("15-18\t0", "15-19\t0"))
    Path("sub/linking/D1").write_text("1 2 3\n")
    assert run(["eal", "validate", "sub", "--docs", "docs"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "sub/arguments/D1:1:6: error: there is no event type 'Contact.Met' in 2015, did you mean Contact.Meet?",
        "sub/arguments/D1:2:25: warning: the CAS 'Rome' is not the text at 15-19, which is 'Rome.', it is at 15-18",
        "sub/linking/D1:1:5: error: the response 'Ann' (Contact.Meet, Entity) is generic, but in a frame, "
        "take its id off the line",
        "sub: 1 document, 3 responses, 1 frame, 2 errors, 1 warning "
        "(profile spec, ontology 2015, offsets in code points)",
    ]


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sub/arguments/D1").write_text(LINES.replace("Actual", "Past"))
    arguments = ["eal", "validate", "sub", "sub.zip", "--docs", "docs", "--format", "json", "-o", "out.json"]
    assert run(arguments) == 1
    assert capsys.readouterr() == ("", "")
    report = json.loads(Path("out.json").read_text())
    (finding,) = report["findings"]
    assert (finding["kind"], finding["severity"], finding["document"]) == ("realis", "error", "D1")
    assert [finding[name] for name in ("path", "line", "column", "count")] == ["sub/arguments/D1", 1, 47, 1]
    assert finding["message"] == "there is no realis 'Past' in column 10 (realis)"
    assert finding["hint"] == "write Actual, Generic or Other"
    first, second = report["files"]
    assert first.pop("decisions")["linking_separator"] == "any"
    assert first == {
        "path": "sub",
        "profile": "spec",
        "severity": {},
        "ontology": "2015",
        "layout": "2015",
        "offsets": "code-points",
        "source_documents": True,
        "documents": 1,
        "without_responses": 0,
        "responses": 2,
        "frames": 1,
        "errors": 1,
        "warnings": 0,
    }
    assert (second["path"], second["errors"]) == ("sub.zip", 0)


def test_dump(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eal", "validate", "sub.zip", "--docs", "docs", "--dump"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "D1: 3 responses, 1 frame\n\nframe 1: Contact.Meet\n"
        "  1  Contact.Meet  Entity  'Bob'  Actual  0.9\n"
        "      CAS          0-2   Bob\n      base filler  0-2   Bob\n      because      0-19  Bob met Ann in Rome.\n"
    )
    assert "\ngeneric:\n  3  Contact.Meet  Entity  'Ann'  Generic  1\n" in shown
    assert shown.endswith(f"sub.zip: {TOTAL}")
    before = set(Path().iterdir())
    assert run(["eal", "validate", "sub.zip", "--docs", "docs", "--dump", "-o", "dump.txt"]) == 0
    assert Path("dump.txt").read_text() == shown
    assert set(Path().iterdir()) - before == {Path("dump.txt")}
    assert run(["eal", "validate", "sub", "none", "--dump", "-o", "dump.txt"]) == 2
    assert Path("dump.txt").read_text() == shown
    assert run(["eal", "validate", "sub.zip", "--docs", "docs", "--dump", "-o", os.devnull]) == 0


def test_options_reach_the_checks(capsys: pytest.CaptureFixture[str]) -> None:
    Path("docs/D1.txt").write_text(f"\U0001f600{TEXT}")
    shifted = LINES.replace("0-2\t", "2-4\t").replace("15-18", "17-20").replace("8-10", "10-12").replace("0-19", "0-21")
    Path("sub/arguments/D1").write_text(shifted)
    assert run(["eal", "validate", "sub", "--docs", "docs"]) == 1
    assert "with --offsets utf16" in capsys.readouterr().out
    assert run(["eal", "validate", "sub", "--docs", "docs", "--offsets", "utf16"]) == 0
    assert run(["eal", "validate", "sub", "--docs", "docs", "--profile", "bbn-2015"]) == 0
    assert run(["eal", "validate", "sub", "--docs", "docs", "--profile", "bbn-2015", "--offsets", "codepoints"]) == 1
    Path("list").write_text("# all\nD1\n\nD2\n")
    assert run(["eal", "validate", "sub", "--doc-list", "list"]) == 1
    assert "the document 'D2' is missing" in capsys.readouterr().out
    Path("types").write_text("Contact.Meet\tEntity\n")
    assert run(["eal", "validate", "sub", "--ontology", "types"]) == 0
    assert run(["eal", "validate", "sub", "--layout", "2014"]) == 1
    assert "linking" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["none.zip"],
        ["sub", "--texts", "none"],
        ["sub", "--docs", "sub.zip"],
        ["sub", "--ontology", "2051"],
        ["sub", "--profile", "bbn"],
        ["sub", "--offsets", "bytes"],
        ["sub", "--layout", "2013"],
        ["sub", "--doc-list", ","],
        ["sub", "--dump", "--format", "json"],
        ["sub", "--dump", "--save", "found.json"],
        ["sub.zip", "-o", "sub.zip"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eal", "validate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err
    assert "Traceback" not in err


HOSTILE = {
    "leads out of the archive": ("a.zip", {"../up": b"x"}, {}),
    "is a symbolic link": ("a.tgz", {"arguments/D2": b""}, {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}),
    "unpacks to more than": ("a.tar.gz", {"arguments/D1": bytes(40 << 20)}, {}),
}
"""One of each kind; `tests/formats/test_archive.py` and `test_archive_attacks.py` have all of them."""


@pytest.mark.parametrize("reason", HOSTILE)
def test_hostile_archives_are_refused_and_touch_nothing(
    reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, files, fields = HOSTILE[reason]
    (pack_zip if name.endswith(".zip") else pack_tar)(name, files, **fields)
    before = snapshot(folder)
    assert run(["eal", "validate", name, "--docs", "docs", "--format", "json"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    report = json.loads(out)
    assert {finding["kind"] for finding in report["findings"]} == {"archive"}
    said = [f"{finding['message']} {finding['hint']}" for finding in report["findings"]]
    assert any(reason in each for each in said), said
    assert snapshot(folder) == before


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_size)
        for path in folder.rglob("*")
        if path != folder / "work"  # its time changes when something is unpacked there for a while
    }


def test_layouts_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    pack_zip("wrapped.zip", {f"run1/{name}": content for name, content in FILES.items()})
    assert run(["eal", "validate", "wrapped.zip"]) == 1
    assert "everything is inside the folder run1/" in capsys.readouterr().out
    pack_zip("mac.zip", {**FILES, "__MACOSX/arguments/._D1": b"x"})
    assert run(["eal", "validate", "mac.zip"]) == 1
    assert "zip -d mac.zip" in capsys.readouterr().out
    pack_zip("third.zip", {**FILES, "extra/D1": b"x", "README": b"x"})
    assert run(["eal", "validate", "third.zip"]) == 1
    assert capsys.readouterr().out.count("not belong here") == 2


def test_wrong_encodings(capsys: pytest.CaptureFixture[str]) -> None:
    pack_zip("latin.zip", {**FILES, "arguments/D1": LINES.replace("Ann", "Ané").encode("latin-1")})
    assert run(["eal", "validate", "latin.zip"]) == 1
    assert "latin.zip/arguments/D1:3:28: error: the byte 0xe9 is not UTF-8" in capsys.readouterr().out
    pack_zip("wide.zip", {**FILES, "arguments/D1": LINES.encode("utf-16")})
    assert run(["eal", "validate", "wide.zip"]) == 1
    assert "the file is in UTF-16" in capsys.readouterr().out


def test_memory_does_not_grow_with_the_documents(capsys: pytest.CaptureFixture[str]) -> None:
    """Ten times the documents take next to no more memory; kept responses would be megabytes."""
    peaks = []
    for count in (10, 100):
        files: dict[str, bytes] = {}
        for number in range(count):
            row = f"{{}}\tE{number}\tContact.Meet\tEntity\tBob\t0-2\t0-19\t0-2\t{{}}-999\tActual\t0.9\n"
            files[f"arguments/E{number}"] = "".join(row.format(n, n) for n in range(100)).encode()
            files[f"linking/E{number}"] = "\t".join(map(str, range(100))).encode()
        for name, content in files.items():
            path = Path(f"many{count}", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        run(["eal", "validate", f"many{count}", "--quiet"])
        tracemalloc.start()
        assert run(["eal", "validate", f"many{count}"]) == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 300_000, peaks


def test_severities_are_the_organisers(capsys: pytest.CaptureFixture[str]) -> None:
    """Column 5 is a normalised string: "United States" may stand at "U.S."."""
    Path("sub/arguments/D1").write_text(LINES.replace("\tBob\t", "\tRobert\t").replace("\tPlace\t", "\tTime\t"))
    usual = ["eal", "validate", "sub", "--docs", "docs"]
    assert run(usual) == 1
    out = capsys.readouterr().out
    assert "sub/arguments/D1:1:26: warning: the CAS 'Robert' is not the text at 0-2, which is 'Bob'" in out
    assert "sub/arguments/D1:2:24: error: 'Rome' is not a date" in out
    assert run([*usual, "--severity", "time=warning"]) == 0
    assert "0 errors, 2 warnings (profile spec, ontology 2015, time warning, offsets" in capsys.readouterr().out
    assert run([*usual, "--severity", "time=off", "--severity", "cas-text=off", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["files"][0]["severity"], report["findings"]) == ({"time": "off", "cas-text": "off"}, [])
