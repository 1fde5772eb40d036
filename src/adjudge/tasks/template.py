"""The family of templates."""

from __future__ import annotations

from adjudge.tasks.family import Family, Reader

_READ = "adjudge.formats.templates"

FAMILY = Family(
    name="template",
    about="Templates: incidents with slots and their fillers.",
    metrics=("template.muc4",),
    readers={
        "muc4": Reader("MUC-4 key and response files (template.muc4)", "adjudge.formats.muc4:read_muc4"),
        "grit": Reader(
            "gold and output files of GRIT (template.ceaf-ree)",
            f"{_READ}:read_grit",
            f"{_READ}:read_grit_output",
            metrics=("template.ceaf-ree",),
        ),
        "gtt": Reader(
            "gold and output files of GTT (template.fillers, template.gtt-like)",
            f"{_READ}:read_gtt",
            f"{_READ}:read_gtt_output",
            metrics=("template.fillers", "template.gtt-like"),
        ),
        "iterx": Reader(
            "gold files of GTT and output of IterX (template.ceaf-rme)",
            f"{_READ}:read_iterx",
            f"{_READ}:read_iterx_output",
            metrics=("template.ceaf-rme",),
        ),
        "auto-err": Reader(
            "files of error analysis, which have both sides (template.fillers)",
            f"{_READ}:read_both",
            f"{_READ}:read_gtt_output",
            metrics=("template.fillers", "template.gtt-like"),
        ),
    },
    default="muc4",
    example="adjudge template score key.txt response.txt --compat muc4-3.3",
)
