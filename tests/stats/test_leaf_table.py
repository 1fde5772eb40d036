"""Records field by field: gold and system in one table, elements of lists in tables inside of it."""

from __future__ import annotations

import json

from adjudge.cli import run

GOLD = [{"n": "x", "tags": ["p", "q"], "o": [{"k": 1, "l": [{"z": 1}, {"z": 2}]}, {"k": 7, "w": 3}]}]
SYSTEM = [
    {"n": "X", "tags": ["q", "r"], "m": 2, "o": [{"k": 7, "w": 4}, {"k": 1, "l": [{"z": 2}]}, {"k": 9}]},
    {"n": "y"},
]

SHOWN = """\
records[0]
  field    gold  system  outcome
  m              2       hallucinated
  n        x     X       correct
  tags[*]        r       hallucinated
  tags[*]  p             omitted
  tags[*]  q     q       correct
  o[0]
    field    gold  system  outcome
    k        1     1       correct
    l[0]
      field    gold  system  outcome
      z        1             omitted
    l[1]
      field    gold  system  outcome
      z        2     2       correct
  o[1]
    field    gold  system  outcome
    k        7     7       correct
    w        3     4       wrong
  +o[2]
    field    gold  system  outcome
    k              9       hallucinated
+records[1]
  field    gold  system  outcome
  n              y       hallucinated
"""


UNREAD = """\
records[0]
  field    gold  system  outcome
  n        x             omitted
  tags[*]  p             omitted
  tags[*]  q             omitted
  o[0]
    field    gold  system  outcome
    k        1             omitted
    l[0]
      field    gold  system  outcome
      z        1             omitted
    l[1]
      field    gold  system  outcome
      z        2             omitted
  o[1]
    field    gold  system  outcome
    k        7             omitted
    w        3             omitted
"""


def explained(tmp_path, capsys, system, gold=GOLD):
    for name, line in (("gold", {"id": "d1", "records": gold}), ("system", {"id": "d1", **system})):
        (tmp_path / name).write_text(json.dumps(line) + "\n")
    sides = [str(tmp_path / "gold"), str(tmp_path / "system")]
    assert run(["record", "score", *sides, "--metric", "record.fields", "--explain", "d1"]) == 0
    first, _, rest = capsys.readouterr().out.partition("\n")
    return first, rest


def test_gold_and_system_stand_side_by_side(tmp_path, capsys):
    first, shown = explained(tmp_path, capsys, {"records": SYSTEM})
    assert shown == SHOWN
    assert "read" not in first


def test_an_answer_that_cannot_be_read_says_so_and_omits_every_field_where_it_stands(tmp_path, capsys):
    first, shown = explained(tmp_path, capsys, {"output": "no"})
    assert first.endswith("; the answer could not be read (there is no JSON in it)")
    assert shown == UNREAD


def test_what_gold_does_not_have_at_all_is_the_systems(tmp_path, capsys):
    _, shown = explained(tmp_path, capsys, {"records": [{"o": [{"k": 1}]}]}, gold=[])
    assert [line.strip() for line in shown.splitlines()][:2] == ["+records[0]", "+o[0]"]


def test_names_may_have_numbers_and_brackets(tmp_path, capsys):
    records = [{"a[0]": 1, "line2": [{"price": 3}], "[1]": [[{"k": 1}]]}]
    _, shown = explained(tmp_path, capsys, {"records": records}, gold=records)
    rows = [line.split()[0] for line in shown.splitlines() if line.endswith("correct")]
    tables = [line.strip() for line in shown.splitlines() if "  " not in line.strip()]
    assert tables == ["records[0]", '"[1]"[0]', "[0]", "line2[0]"]
    assert rows == ['"a[*]"', "k", "price"]
