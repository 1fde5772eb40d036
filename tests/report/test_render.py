"""A result in every layout: readable by the programs it is for, and never broken by a name."""

import csv
import io
import json
import re
import unicodedata
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.report.render import render
from adjudge.report.tables import Table, escape_latex, markdown_table, render_listing, text_table, width
from adjudge.stats.result import Result
from adjudge.stats.saved import json_schema
from adjudge.tasks.scoring import score

GOLD = [{"id": f"d{i}", "genre": "a&b|c" if i % 2 else "nw", "items": list(range(i, i + 4))} for i in range(10)]
GOOD = [{**each, "items": each["items"][:3]} for each in GOLD]
POOR = [{**each, "items": [*each["items"][:1], 99, 98]} for each in GOLD[:-1]]


def result(**options: Any) -> Result:
    systems = {"sys_1 $x$": GOOD, "sys|2": POOR}
    return score("record.set", GOLD, systems, **{"by": ["genre"], "bootstrap": 200, **options})


def test_json_is_the_contract() -> None:
    for options in ({}, {"bootstrap": 0}, {"profile": "undefined"}):
        data = json.loads(render(result(**options), "json"))
        jsonschema.validate(data, json_schema())
        assert [system["name"] for system in data["systems"]] == ["sys_1 $x$", "sys|2"]
        assert "table" not in data["systems"][0]


def test_csv_has_every_score_unrounded() -> None:
    made = result()
    rows = list(csv.DictReader(io.StringIO(render(made, "csv"))))
    scores = [(system.name, each) for system in made.systems for each in system.scores]
    assert len(rows) == len(scores)
    for row, (name, each) in zip(rows, scores, strict=True):
        assert (row["system"], row["metric"], row["part"], row["pool"]) == (name, each.metric, each.part, each.pool)
        assert json.loads(row["slice"] or "{}") == each.slice
        for field in ("value", "low", "high", "level", "numerator", "denominator"):
            assert (float(row[field]) if row[field] else None) == getattr(each, field)


def test_csv_of_comparisons() -> None:
    made = result()
    rows = list(csv.DictReader(io.StringIO(render(made, "csv", rows="comparisons"))))
    assert [float(row["p_holm"]) for row in rows] == [each.p_holm for each in made.comparisons]
    assert {row["b"] for row in rows} == {"sys|2"}


def test_markdown_tables_keep_their_columns() -> None:
    text = render(result(), "md")
    tables = [block for block in text.split("\n\n") if block.startswith("|")]
    assert len(tables) == 2
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    assert r"sys\|2" in text
    assert "- signature: `score|" in text
    assert "> note: sys\\|2: 1 gold document has no system output" in text


def test_latex_is_escaped_and_marks_what_is_significant() -> None:
    made = result()
    text = render(made, "latex", pairs=True)
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")]
    rows = [line for line in body.splitlines()[1:] if line]
    columns = {len(re.findall(r"(?<!\\)&", row)) for row in rows}
    assert columns == {4}
    assert r"sys\_1 \$x\$$^{a}$" in rows[0]
    assert rows[0].count("$^{b}$") == rows[0].count(r"\textbf") == 1  # the better system's f1
    assert "$^{a}$" not in rows[1].replace(r"sys\textbar{}2$^{b}$", "")
    assert r"a\&b\textbar{}c" in text
    assert escape_latex(made.signature) in text.replace(r"\allowbreak{}", "")
    assert text.count(r"\allowbreak{}") == made.signature.count("|")  # a line of a paper has less room
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    assert "$^{" not in render(result(bootstrap=0), "latex", pairs=True)


def test_quiet_is_numbers_only() -> None:
    made = result()
    for layout in ("text", "md", "latex"):
        assert "ignature" in render(made, layout)
        quiet = render(made, layout, quiet=True)
        assert "ignature" not in quiet
        assert "no system output" not in quiet
        assert "precision" in quiet


def test_text_is_what_printing_gives() -> None:
    made = result()
    assert render(made) == str(made) + "\n"


def test_unknown_layouts() -> None:
    with pytest.raises(UsageError, match="there is no format 'jsn', did you mean json"):
        render(result(bootstrap=0), "jsn")


TEXT = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=8)
ROWS = st.lists(st.fixed_dictionaries({"name": TEXT, "about": TEXT}), max_size=4)


@settings(deadline=None)
@given(ROWS)
def test_listings_in_every_layout(rows: list[dict[str, str]]) -> None:
    columns = ("name", "about")
    assert json.loads(render_listing(rows, columns, "json")) == rows
    read = list(csv.DictReader(io.StringIO(render_listing(rows, columns, "csv"), newline="")))
    cells = [(one[name], other[name]) for one, other in zip(rows, read, strict=True) for name in columns]
    for text, cell in cells:
        formula = text.lstrip().startswith(("=", "+", "-", "@"))
        if text.isprintable():
            assert cell == (f"'{text}" if formula else text)
        assert not any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in cell)
    assert len(render_listing(rows, columns, "text").split("\n")) == len(rows) + 2
    markdown = render_listing(rows, columns, "md").split("\n")
    assert len(markdown) == len(rows) + 3
    for line in markdown[:-1]:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3
    latex = render_listing(rows, columns, "latex").split("\n")
    assert len(latex) == len(rows) + 7
    for line in latex[4:-3]:
        assert len(re.findall(r"(?<!\\)&", line)) == 1


@settings(deadline=None)
@given(st.text(max_size=20))
def test_latex_has_no_live_characters(text: str) -> None:
    escaped = escape_latex(text)
    assert not re.search(r"(?<!\\)[&%$#_]", escaped)
    assert not set("~^<>|\n") & set(escaped)


@settings(deadline=None)
@given(st.lists(st.tuples(st.text("aé日\u0301", max_size=5), st.text("12.", max_size=4)), max_size=4))
def test_text_columns_line_up(rows: list[tuple[str, str]]) -> None:
    lines = text_table(Table(("name", "number"), tuple(rows), frozenset({1}))).split("\n")
    size = width(lines[0])
    for (_, number), line in zip(rows, lines[1:], strict=True):
        if number:
            assert width(line) == size
    assert "**t**" in markdown_table(Table(("a",), (), title="t"))


def test_marks_belong_to_the_slice_and_not_to_its_text() -> None:
    kinds: list[Any] = [1, "1", True, "true"]
    gold = [{"id": f"d{i}-{j}", "k": k, "items": ["x"]} for i in range(12) for j, k in enumerate(kinds)]
    # b misses what is in the documents with the text "1", and nothing else
    worse = [each if each["k"] != "1" else {**each, "items": ["y"]} for each in gold]
    found = score("record.set", gold, {"a": gold, "b": worse}, by=["k"], bootstrap=200)
    rows = [line for line in render(found, "latex", pairs=True).splitlines() if line.startswith("k=")]
    marked = [line.split(" & ")[0] for line in rows if "100.0$^{b}$" in line]
    assert marked == ['k="1"']
    assert [line.split(" & ")[0] for line in rows[::2]] == ["k=1", 'k="1"', "k=true", 'k="true"']


def test_cells_that_another_program_would_obey() -> None:
    names = ["=1+1", "+x", "-x", "@x", "\t=x", "plain", "a\nb"]
    listed = render_listing([{"name": name, "about": 1.5} for name in names], ("name", "about"), "csv")
    rows = list(csv.DictReader(io.StringIO(listed)))
    assert [row["name"] for row in rows] == ["'=1+1", "'+x", "'-x", "'@x", "\\t=x", "plain", "a\\nb"]
    differences = render(score("record.set", GOLD, {"=a": POOR, "b": GOOD}, bootstrap=0), "csv", rows="comparisons")
    (row,) = csv.DictReader(io.StringIO(differences))
    assert row["a"] == "'=a"
    assert float(row["difference"]) < 0
    assert render_listing([{"name": "[2cm] evil"}, {"name": "* x"}], ("name",), "latex").count("{}[2cm]") == 1
