"""What the official validator of 2015 did in 43 situations, and what each profile does."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.findings import Finding, Findings
from adjudge.tasks.eal.validation import KINDS, validate

GOLDEN = Path(__file__).parents[2] / "golden" / "eal.json"
TEXT = "<DOC>\nBob killed Ann in Rome on May 4th 2003.\nGuns kill people. Bob and Ann had met in Oslo.\n</DOC>"
Files = dict[str, str | bytes]


def span(text: str, nth: int = 0) -> str:
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(text, start + 1)
    return f"{start}-{start + len(text) - 1}"


FIRST = span("Bob killed Ann in Rome on May 4th 2003.")
LAST = span("Bob and Ann had met in Oslo.")


def line(id: str, role: str, text: str, *, type: str = "Life.Die", at: str | None = None, **more: str) -> str:
    at = at or span(text)
    columns = {
        "id": id,
        "document": "D1",
        "type": type,
        "role": role,
        "cas": text,
        "at": at,
        "because": FIRST,
        "filler": at,
        "additional": "NIL",
        "realis": "Actual",
        "confidence": "0.9",
    }
    return "\t".join({**columns, **more}.values())


LINES = [
    line("1", "Agent", "Bob"),
    line("2", "Victim", "Ann", realis="Other"),
    line("3", "Time", "2003-05-04", at=span("May 4th 2003")),
    line("4", "Entity", "Bob", type="Contact.Meet", at=span("Bob", 1), because=LAST),
    line("5", "Victim", "people", because=span("Guns kill people."), realis="Generic"),
]
FRAMES = ["1\t2\t3", "4"]


def good() -> Files:
    """A submission that is right in every respect."""
    return {
        "sub/arguments/D1": "\n".join(LINES) + "\n",
        "sub/linking/D1": "\n".join(FRAMES) + "\n",
        "sub/arguments/D2": "",
        "sub/linking/D2": "INCOMPLETE\t\n",
        "docs/D1": TEXT,
        "docs/D2": "nothing",
    }


def edited(*changes: tuple[str, str], linking: str | None = None, **more: str | bytes) -> Files:
    """The same with words in the arguments of D1 replaced."""
    files = good()
    text = files["sub/arguments/D1"]
    assert isinstance(text, str)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    files["sub/arguments/D1"] = text
    if linking is not None:
        files["sub/linking/D1"] = linking
    return {**files, **{f"sub/{name.replace('__', '/')}": content for name, content in more.items()}}


def added(*lines: str, linking: str | None = None) -> Files:
    files = edited(linking=linking)
    return {**files, "sub/arguments/D1": f"{files['sub/arguments/D1']}" + "".join(f"{each}\n" for each in lines)}


def without(*names: str) -> Files:
    return {name: content for name, content in good().items() if name not in names}


def first(**more: str) -> Files:
    """With the first response changed."""
    return edited((LINES[0], line("1", "Agent", "Bob", **more)))


SITUATIONS: dict[str, Callable[[], Files]] = {
    "tab_separated_linking": good,
    "space_separated_linking_as_the_spec_says": lambda: edited(linking="1 2 3\n4\n"),
    "non_generic_response_in_no_frame": lambda: edited(linking="1\t2\t3\n"),
    "generic_response_in_a_frame": lambda: edited(linking="1\t2\t3\t5\n4\n"),
    "generic_response_in_no_frame": lambda: edited(linking="\n".join(FRAMES)),
    "response_only_on_INCOMPLETE_line": lambda: edited(linking="1\t2\t3\nINCOMPLETE\t4\n"),
    "comments_and_empty_lines": lambda: edited((LINES[1], f"#why\n\n{LINES[1]}"), linking="# frames\n\n1\t2\t3\n\n4\n"),
    "linking_file_missing": lambda: without("sub/linking/D1"),
    "linking_file_for_document_without_arguments": lambda: without("sub/arguments/D2"),
    "document_not_in_corpus_map": lambda: without("docs/D2"),
    "docid_column_differs_from_file_name": lambda: first(document="D2"),
    "duplicate_response_id": lambda: edited((LINES[3], "1" + LINES[3][1:]), linking="1\t2\t3\n"),
    "identical_response_on_two_lines": lambda: added("6" + LINES[0][1:]),
    "unknown_event_type": lambda: first(type="Life.Dies"),
    "unknown_role": lambda: edited(("Agent", "Attacker")),
    "unknown_realis": lambda: first(realis="Past"),
    "realis_in_upper_case": lambda: first(realis="ACTUAL"),
    "confidence_not_a_number": lambda: first(confidence="high"),
    "confidence_above_1": lambda: first(confidence="1.1"),
    "confidence_nan": lambda: first(confidence="NaN"),
    "ten_columns": lambda: edited((LINES[0], LINES[0].rpartition("\t")[0])),
    "twelve_columns": lambda: edited((LINES[0], f"{LINES[0]}\tmore")),
    "pj_NIL": lambda: first(because="NIL"),
    "pj_does_not_contain_base_filler": lambda: first(filler=span("Bob", 1)),
    "span_end_before_start": lambda: first(filler="9-6"),
    "span_with_colon": lambda: first(filler="6:8"),
    "negative_span": lambda: first(filler="-6-8"),
    "span_end_equals_text_length": lambda: first(because=f"0-{len(TEXT)}"),
    "span_end_equals_text_length_minus_1": lambda: first(because=f"0-{len(TEXT) - 1}"),
    "response_id_not_an_integer": lambda: edited((LINES[0], "one" + LINES[0][1:]), linking="one\t2\t3\n4\n"),
    "time_argument_not_normalised": lambda: edited(("2003-05-04", "May 4th 2003")),
    "empty_files": lambda: {**edited(linking=""), "sub/arguments/D1": "", "sub/linking/D2": ""},
    "line_of_spaces_only": lambda: edited((LINES[1], f"   \n{LINES[1]}")),
    "crlf_line_ends": lambda: {
        name: str(content).replace("\n", "\r\n") if name.startswith("sub") else content
        for name, content in good().items()
    },
    "aj_column_empty_string": lambda: first(additional=""),
    "frame_mixing_event_types": lambda: edited(linking="1\t2\t3\t4\n"),
    "third_directory": lambda: edited(extra__D1="x"),
    "stray_file_beside_the_directories": lambda: edited(README="x"),
    "argument_file_with_tab_suffix": lambda: {
        **without("sub/arguments/D1", "sub/linking/D1"),
        "sub/arguments/D1.tab": good()["sub/arguments/D1"],
        "sub/linking/D1.tab": good()["sub/linking/D1"],
    },
    "two_INCOMPLETE_lines": lambda: edited(linking="INCOMPLETE\t4\n1\t2\t3\n4\nINCOMPLETE\n"),
    "unknown_id_in_linking": lambda: edited(linking="1\t2\t3\n4\t99\n"),
    "same_frame_twice": lambda: edited(linking="1\t2\t3\n4\n3\t2\t1\n"),
    "empty_cas": lambda: first(cas=""),
}
# Where the profile `spec` says something else, and what; a kind in brackets is a warning.
SPEC: dict[str, list[str]] = {
    "space_separated_linking_as_the_spec_says": [],
    "non_generic_response_in_no_frame": ["unlinked"],
    "generic_response_in_a_frame": ["generic-linked"],
    "response_only_on_INCOMPLETE_line": ["unlinked"],
    "linking_file_missing": ["missing-linking"],
    "linking_file_for_document_without_arguments": ["linking-alone", "(missing-document)"],
    "document_not_in_corpus_map": ["unexpected-document"],
    "docid_column_differs_from_file_name": ["document-id"],
    "duplicate_response_id": ["repeated-id", "ambiguous-id", "unlinked", "unlinked"],
    "identical_response_on_two_lines": ["repeated-response"],
    "unknown_event_type": ["type"],
    "unknown_role": ["role"],
    "unknown_realis": ["realis"],
    "confidence_not_a_number": ["confidence"],
    "confidence_above_1": ["confidence"],
    "confidence_nan": ["confidence"],
    "ten_columns": ["columns"],
    "twelve_columns": ["(extra-columns)"],
    "pj_NIL": ["justification"],
    "pj_does_not_contain_base_filler": ["(filler-outside)"],
    "span_end_before_start": ["span"],
    "span_with_colon": ["span"],
    "negative_span": ["span"],
    "span_end_equals_text_length": ["outside"],
    "response_id_not_an_integer": ["(id-form)"],
    "time_argument_not_normalised": ["time"],
    "line_of_spaces_only": ["columns"],
    "aj_column_empty_string": ["span"],
    "frame_mixing_event_types": ["mixed-types"],
    "third_directory": ["layout"],
    "stray_file_beside_the_directories": ["layout"],
    "argument_file_with_tab_suffix": ["document-id", "unexpected-document", "(missing-document)"],
    "two_INCOMPLETE_lines": ["linked-incomplete", "repeated-incomplete"],
    "unknown_id_in_linking": ["unknown-id"],
    "same_frame_twice": ["(repeated-frame)"],
    "empty_cas": ["(empty-cas)"],
}


def observed() -> dict[str, int]:
    rows = json.loads(GOLDEN.read_text(encoding="utf-8"))["validator_2015"]["rows"]
    return {situation: code for situation, code, _ in rows}


def build(folder: Path, files: Files) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / "sub"


def checked(folder: Path, files: Files, **options: Any) -> Findings:
    return validate(build(folder, files), docs=folder / "docs", **options)


def kinds(findings: list[Finding]) -> list[str]:
    return [finding.kind if finding.error else f"({finding.kind})" for finding in findings]


def test_every_situation_is_built() -> None:
    assert list(SITUATIONS) == list(observed())
    assert len(SITUATIONS) == 43


@pytest.mark.parametrize("situation", SITUATIONS)
def test_as_the_official_validator(situation: str, tmp_path: Path) -> None:
    report = checked(tmp_path, SITUATIONS[situation](), profile="bbn-2015", ontology="2015")
    assert bool(report.errors) == bool(observed()[situation]), report.findings


@pytest.mark.parametrize("situation", SITUATIONS)
def test_as_the_task_description(situation: str, tmp_path: Path) -> None:
    report = checked(tmp_path, SITUATIONS[situation]())
    assert sorted(kinds(report.findings)) == sorted(SPEC.get(situation, [])), report.findings
    assert all(finding.problem.hint for finding in report.findings)


def test_every_kind_is_documented() -> None:
    """The table in docs/eal-validation.md has the kinds whose severity can be changed, in this order."""
    page = Path(__file__).parents[3] / "docs" / "eal-validation.md"
    if not page.exists():
        pytest.skip("the documentation is not there")
    table = page.read_text(encoding="utf-8").partition("| kind |")[2].partition("\n\n")[0]
    named = [name for row in table.splitlines()[2:] for name in re.findall(r"`([a-z-]+)`", row.split("|")[1])]
    assert named == list(KINDS)
    assert {kind.strip("()") for kinds in SPEC.values() for kind in kinds} <= set(KINDS)


def test_the_documented_differences(tmp_path: Path) -> None:
    """The table in docs/eal-validation.md names all situations that end differently, and no others."""
    page = Path(__file__).parents[3] / "docs" / "eal-validation.md"
    if not page.exists():
        pytest.skip("the documentation is not there")
    text = page.read_text(encoding="utf-8")
    listed = {
        row.split("|")[1].strip(): row.split("|")[2].strip()
        for row in text.partition("<!-- differences -->")[2].partition("<!-- end -->")[0].splitlines()
        if row.startswith("| ") and "---" not in row and not row.startswith("| situation")
    }
    different = {}
    for number, (situation, code) in enumerate(observed().items()):
        report = checked(tmp_path / str(number), SITUATIONS[situation]())
        if bool(report.errors) != bool(code):
            different[situation.replace("_", " ")] = "refused" if report.errors else "accepted"
    assert listed == different
