"""The bundled campaign of knowledge bases: ten short documents, the pages of their names, and three systems.

Two systems are Cold Start files, one has its extractions document by document.

adjudge kbp report GOLD SYSTEM... --wiki LINKS -o report.html
"""

from __future__ import annotations

from adjudge.demo import DATA

FOLDER = DATA / "kbp"
GOLD = FOLDER / "gold.jsonl"
LINKS = FOLDER / "links.csv"
SYSTEMS = {
    "delta": FOLDER / "delta.tsv",
    "fjord": FOLDER / "fjord.tsv",
    "geyser": FOLDER / "geyser.jsonl",
}
