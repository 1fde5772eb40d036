"""Knowledge bases that systems have built, scored against annotated documents or gold triples.

The steps, one module each: validation of the files; alignment of mentions and entities within a document;
linking of gold entities across documents; triples; paths of several hops, counted and resampled by document. The model
is `adjudge.model.kbp`, the formats are `adjudge.formats.kb_*`.

    import adjudge as aj

    print(aj.kbp.score("gold.tsv", ["granite.tsv", "marble.tsv"], hops=3))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.tasks.kbp.inputs import read_inputs
    from adjudge.tasks.kbp.mapping import map_systems
    from adjudge.tasks.kbp.options import KbOptions, make_options
    from adjudge.tasks.kbp.scoring import score, score_mapped, score_triples
    from adjudge.tasks.kbp.validation import repair, validate

__all__ = [
    "KbOptions",
    "make_options",
    "map_systems",
    "read_inputs",
    "repair",
    "score",
    "score_mapped",
    "score_triples",
    "validate",
]

# Loaded when first used: the command line takes what it needs from the modules themselves.
_HOMES = {
    "KbOptions": "options",
    "make_options": "options",
    "map_systems": "mapping",
    "read_inputs": "inputs",
    "repair": "validation",
    "score": "scoring",
    "score_mapped": "scoring",
    "score_triples": "scoring",
    "validate": "validation",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
