"""Spellings of options that have moved still mean what they meant, and are not in `--help`."""

from pathlib import Path

import pytest

from adjudge.demo import DATA

KEY = (str(DATA / "eal/assessments"), str(DATA / "eal/submissions/slate"), "--frames", str(DATA / "eal/frames"))
SOURCES, SLATE = str(DATA / "eal/sources"), str(DATA / "eal/submissions/slate")
KB = (str(DATA / "kbp/gold.jsonl"), str(DATA / "kbp/delta.tsv"), "--wiki", str(DATA / "kbp/links.csv"))
NONE = ("--bootstrap", "0", "--unassessed", "ignore", "--unlinked", "singleton")
SAME = {  # the command; what it was; what it is
    "quotations": (("eal", "score", *KEY, *NONE), ("--docs-text", SOURCES), ("--quotes-in", SOURCES)),
    "texts to validate": (("eal", "validate", SLATE), ("--docs", SOURCES), ("--texts", SOURCES)),
    "documents to validate": (("eal", "validate", SLATE), ("--doc-list", "X1"), ("--docs", "X1")),
    "both to validate": (
        ("eal", "validate", SLATE),
        ("--docs", SOURCES, "--doc-list", "X1"),
        ("--texts", SOURCES, "--docs", "X1"),
    ),
    "texts of a page": (("eal", "report", *KEY, *NONE), ("--docs", SOURCES), ("--texts", SOURCES)),
    "documents of a page": (
        ("eal", "report", *KEY, *NONE),
        ("--docs", SOURCES, "--only", "MINI_NW_01"),
        ("--texts", SOURCES, "--docs", "MINI_NW_01"),
    ),
    "texts of a knowledge base": (
        ("kbp", "validate", str(DATA / "kbp/delta.tsv")),
        ("--docs", SOURCES),
        ("--texts", SOURCES),
    ),
    "formats": (
        ("kbp", "score", *KB, "--bootstrap", "0"),
        ("--gold-format=documents", "--system-format", "coldstart"),
        ("--gold-reader", "documents", "--system-reader", "coldstart"),
    ),
}


@pytest.mark.parametrize("what", SAME)
def test_an_old_spelling_means_the_same(adjudge, what: str) -> None:
    command, old, new = SAME[what]
    then, now = adjudge(*command, *old), adjudge(*command, *new)
    assert now.out
    assert (then.code, then.out) == (now.code, now.out)
    shown = adjudge(*command[:2], "--help").out
    assert all(f"{each.partition('=')[0]} " in shown for each in new if each.startswith("--"))
    assert not any(f"{each} " in shown for each in ("--docs-text", "--doc-list", "--only", "--gold-format"))


def test_quotations_are_found_and_written(adjudge, campaign: Path) -> None:
    for number, option in enumerate(("--docs", "--texts")):
        assert adjudge("eal", "filter-quotes", SLATE, option, SOURCES, "-o", f"out{number}").code == 0
    first, second = (
        {each.name: each.read_bytes() for each in (campaign / name / "arguments").iterdir()}
        for name in ("out0", "out1")
    )
    assert first == second


def test_readers_of_one_side(adjudge, campaign: Path) -> None:
    (campaign / "gold.bio").write_text("EU B-ORG\nleft O\n")
    line = '{"id": "sentence-1", "entities": [{"span": {"start": 0, "end": 1}, "type": "ORG"}]}\n'
    (campaign / "system.jsonl").write_text(line)
    command = ("ner", "score", "gold.bio", "system.jsonl", "--bootstrap", "0", "--quiet")
    told = [("--system-reader", "jsonl"), ("--reader", "jsonl", "--gold-reader", "bio")]
    told.append(("--gold-reader", "bio", "--system-reader", "jsonl"))
    assert len({adjudge(*command, *each).out for each in told}) == 1
    assert "ner.strict   100.0" in adjudge(*command, *told[0]).out
