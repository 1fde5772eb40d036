"""MUC-4: the reports of the scorer 3.3 on all responses of the archive, and the published case."""

import gzip
import io
import json
import tarfile
from functools import cache
from pathlib import Path

import pytest

from adjudge.formats.muc4 import read_history, read_templates
from adjudge.formats.muc4_slots import muc4_slots, read_slots
from adjudge.scorers.muc4 import Asked, compare, report, run
from adjudge.scorers.muc4_align import filtering, slot_rows, summary_rows

CASES = {case["id"]: case for case in json.loads((Path(__file__).parent / "published.json").read_text())["cases"]}
HISTORY = {"tst3": "final-history-nrad.tst3.gz", "tst4": "final-cumulative-hist.tst4.gz"}
SYSTEMS = 17


@pytest.fixture(scope="session")
def folder(conformance):
    found = conformance / "conformance" / "published" / "muc4"
    if not found.is_dir():
        pytest.skip("needs the MUC-4 files")
    return found


@cache
def members(archive):
    with tarfile.open(archive) as opened:
        return {Path(each.name).name: opened.extractfile(each).read() for each in opened if each.isfile()}


def tally_row(tally):
    return [
        *(tally.possible, tally.actual, tally.correct, tally.partial, tally.incorrect),
        *(tally.decided, tally.decided_partial, tally.spurious, tally.missing, tally.blank),
    ]


def from_report(text):
    """The part of a report that is ours: without the lines about the configuration."""
    return text[text.index("Report of ") :]


@pytest.mark.parametrize("test", ["tst3", "tst4"])
@pytest.mark.parametrize("archive", ["rerun_v3.3_no_history", "rerun_v3.3_with_final_history"])
def test_whole_reports_of_all_systems(folder, archive, test):
    """Every character: 17 systems, all pairs of templates, all slots, percentages, fallout and F."""
    key = read_templates(folder / f"key-{test}.v2.gz")
    history = read_history(folder / HISTORY[test]) if "with" in archive else None
    reports = {name: data for name, data in members(folder / f"{archive}.tar.gz").items() if name.endswith(test)}
    responses = members(folder / f"responses.{test}.tar.gz")
    assert len(reports) == SYSTEMS
    for name, data in reports.items():
        compared = compare(key, read_templates(responses[name]), muc4_slots(), history=history)
        assert report(compared, muc4_slots(), Asked(report="full")) == from_report(data.decode()), name


def test_text_filtering_of_a_published_report(folder):
    """The report of SRI on the second test is the only one in the archive that has this row."""
    published = members(folder / "published_scores_v3.4.tst4.tar.gz")["sri.tst4"].decode()
    (line,) = [line for line in published.splitlines() if line.startswith("TEXT FILTERING")]
    key = gzip.decompress((folder / "key-tst4.v2.gz").read_bytes())
    text = run(key, members(folder / "responses.tst4.tar.gz")["sri.tst4"], text_filtering=True).text
    assert line in text.splitlines()


def test_muc4_mini(folder):
    expected = CASES["muc4-mini"]["expected"]
    key, response = (read_templates(folder / "mini" / name) for name in ("key", "resp"))
    names = [f"TST3-MUC4-{number:04}" for number in range(1, 101)]
    compared = compare(key, response, muc4_slots(), messages=names)
    text = report(compared, muc4_slots(), Asked(report="full"))
    assert text == from_report((folder / "mini" / "expected_report.txt").read_bytes().decode())
    found = {
        (message.id, pair.key.id, pair.response.id): pair for message in compared for pair in message.pairs if pair.key
    }
    for each in expected["templates"]:
        pair = found.get((each["message"], each["key"], each["response"]))
        rows = slot_rows([pair], muc4_slots()) if pair is not None else {}
        for slot, counts in each["slots"].items():
            if slot != "TOTAL" and pair is not None:
                assert tally_row(rows[slot]) == counts
    pairs = [pair for message in compared for pair in message.pairs]
    summary = summary_rows(pairs, muc4_slots())
    for row, counts in expected["summary"].items():
        if row in summary:
            assert tally_row(summary[row]) == counts, row
    assert [f"{value:g}" for value in expected["F_measures_P&R_2P&R_P&2R"]] == text.split()[-3:]


def configuration(slots):
    """The slots of the sample set, which has other labels, in our form."""
    types = {"id": "message", "template-id": "template", "element": "set"}

    def paths(values, above=""):
        for value in values:
            name = value if isinstance(value, str) else value["value"]
            yield above + name
            if not isinstance(value, str):
                yield from paths(value["children"], f"{above}{name} > ")

    ours = muc4_slots()
    return {
        "slots": [
            {
                "id": slot["id"],
                "label": slot["label"],
                "type": types.get(slot["type"], slot["type"]),
                "refers": slot.get("xref", []),
                "values": list(paths(slot.get("set", []))),
            }
            for slot in slots
        ],
        "alignment": {"type": ours.kind.id, "content": [slot.id for slot in ours.content]},
        "totals": {name: list(members) for name, members in ours.totals.items()},
    }


def test_the_sample_set_with_its_own_labels(folder):
    sample = folder / "sample"
    slots = read_slots(json.dumps(configuration(json.loads((sample / "slot_config.json").read_text()))).encode())
    key, response = (read_templates(sample / name, slots) for name in ("key-templates", "response-templates"))
    compared = compare(key, response, slots)
    expected = (sample / "expected_report_no_history.txt").read_bytes().decode()
    totals = expected[expected.index(" * * * TOTAL") :].splitlines()
    ours = report(compared, slots, Asked(table="matched-missing")).splitlines()
    # Two messages of the run have neither key nor response; they show as irrelevant ones.
    differing = [
        (one, two)
        for one, two in zip((line for line in totals if "FILTERING" not in line), ours, strict=True)
        if one != two
    ]
    assert [one.split("\t")[0] for one, _ in differing] == ["template-id"]
    assert filtering(compared).correct == 7


def test_totals_of_the_archive(folder):
    """The summary rows as they are listed in totals.json, through the public entry."""
    listed = json.loads((folder / "totals.json").read_text())["systems"]
    assert len(listed) == 2 * SYSTEMS
    name = "tst3/GE"
    response = members(folder / "responses.tst3.tar.gz")["GE.tst3"]
    published = run(io.BytesIO((folder / "key-tst3.v2.gz").read_bytes()), response, history=folder / HISTORY["tst3"])
    expected = listed[name]["rerun_v3.3_final_history"]["ALL TEMPLATES"]
    totals = {part: sum(row[f"template.muc4:{part}"] for _, row in published.rows) for part in ("possible", "actual")}
    assert [totals["possible"], totals["actual"]] == expected[:2]
