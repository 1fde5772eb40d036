"""All examples of docs/which-number.md; formats that only write the same thing differently are made from one."""

from __future__ import annotations

from which_number_facts import GRAPHS, LINKING, RELATIONS, TEMPLATES
from which_number_records import RECORDS
from which_number_text import AMR, COREFERENCE, COREFUD, EVENTS, NER, TREES

INTRODUCTION = """\
# Which number is it?

"F1 of 62" does not say what was counted. This page scores one small example per field in the ways that published
work does, explains why the numbers differ, and says which one we would report: the rows in **bold**. Every number comes
from a command below its table. `python docs/which_number.py --files FOLDER` writes the files that the commands
need, and `make docs-numbers` regenerates this page; a test compares it with what the commands print today.

The examples are deliberately difficult. On the output of a real system most of these differences are a few points, not
tens of points; but published systems differ by no more than that.

Whatever you report, name the scorer with its version, say what a pair has to share to be correct, and give an
interval. The signature below every adjudge table contains all of this. Numbers here are percentages; P is precision
and R recall.
"""

FIELDS = (EVENTS, NER, COREFERENCE, COREFUD, TREES, AMR, RELATIONS, TEMPLATES, LINKING, GRAPHS, RECORDS)
