"""The bundled campaign of coreference: eight short documents of three genres, and three systems."""

from __future__ import annotations

from adjudge.demo import DATA

FOLDER = DATA / "coref"
KEY = FOLDER / "key.conll"
SYSTEMS = {name: FOLDER / f"{name}.conll" for name in ("linden", "maple", "rowan")}
METRICS = "muc,b3,ceafe,conll"
