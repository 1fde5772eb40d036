"""The bundled miniature campaign: 24 short documents, gold relations and events, and three systems."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"
GOLD = DATA / "gold.jsonl"
SYSTEMS = {name: DATA / f"{name}.jsonl" for name in ("alder", "birch", "cedar")}
METRICS = ("relation.strict", "event.trigger-cls", "event.argument-cls")
