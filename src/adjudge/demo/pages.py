"""The results of the bundled campaigns as `adjudge demo` prints them, and their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adjudge.demo import GOLD, METRICS, SYSTEMS, coref, eal, kbp, nugget

if TYPE_CHECKING:
    from adjudge.stats.result import Result

_CAMPAIGNS: dict[str, tuple[str, Any, Any, Any, dict[str, Any]]] = {
    # The title of the page, what is scored, gold, systems, and options.
    "extraction": ("Relations and events", list(METRICS), GOLD, SYSTEMS, {}),
    "coref": ("Coreference", "coref", coref.KEY, coref.SYSTEMS, {"metric": coref.METRICS}),
    "nugget": (
        "Event nuggets",
        *("nugget", nugget.GOLD, nugget.SYSTEMS),
        {"tokens": nugget.TOKENS, "texts": nugget.TEXTS, "pool": "micro"},
    ),
    "eal": ("Event arguments and linking", "eal", eal.ASSESSMENTS, eal.SUBMISSIONS, {"frames": eal.FRAMES}),
    "kbp": ("Knowledge bases", "kbp", str(kbp.GOLD), kbp.SYSTEMS, {"wiki": str(kbp.LINKS)}),
}


def demo_result(task: str, **more: Any) -> Result:
    """The scores of a campaign; with `documents` also the outcome of every item."""
    from adjudge.tasks.scoring import score

    _, what, gold, systems, options = _CAMPAIGNS[task]
    if task == "eal":
        from adjudge.tasks.eal.texts import regions_in

        more["regions"] = regions_in(eal.SOURCES)
    return score(what, gold, [str(path) for path in systems.values()], **options, **more)


def demo_page(task: str) -> str:
    """The page of a campaign as a whole HTML file.

    >>> page = demo_page("coref")
    >>> page.startswith("<!doctype html>"), "maple" in page
    (True, True)
    """
    from adjudge.report.page import render_result

    result = demo_result(task, documents=True, **({"by": "relation"} if task == "kbp" else {}))
    if task == "eal":
        from adjudge.tasks.eal.ranking import ranked
        from adjudge.tasks.eal.settings import settings

        result = ranked(result, settings())
    return render_result(result, title=_CAMPAIGNS[task][0])
