"""The bundled campaign of event nuggets: ten short documents, their tokens and texts, and three systems.

adjudge nugget report GOLD SYSTEM -t TOKENS --texts TEXTS -o report.html
"""

from __future__ import annotations

from adjudge.demo import DATA

FOLDER = DATA / "nugget"
GOLD = FOLDER / "gold.tbf"
SYSTEMS = {name: FOLDER / f"{name}.tbf" for name in ("heron", "kestrel", "wren")}
TOKENS = FOLDER / "tokens"
TEXTS = FOLDER / "texts"
