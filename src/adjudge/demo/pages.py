"""The pages of the bundled campaigns, with the numbers that `adjudge demo` prints."""

from __future__ import annotations

from collections.abc import Callable


def demo_page(task: str) -> str:
    """The page of a campaign as a whole HTML file.

    >>> page = demo_page("coref")
    >>> page.startswith("<!doctype html>"), "maple" in page
    (True, True)
    """
    return _PAGES[task]()


def _extraction() -> str:
    from adjudge.demo import GOLD, METRICS, SYSTEMS
    from adjudge.report.page import render_result
    from adjudge.tasks.scoring import score

    result = score(list(METRICS), GOLD, [str(path) for path in SYSTEMS.values()], documents=True)
    return render_result(result, title="Relations and events")


def _coref() -> str:
    from adjudge.demo.coref import KEY, METRICS, SYSTEMS
    from adjudge.report.page import render_result
    from adjudge.tasks.coref import score

    result = score(KEY, [str(path) for path in SYSTEMS.values()], metric=METRICS, align=True)
    return render_result(result, title="Coreference")


def _nugget() -> str:
    from adjudge.demo.nugget import GOLD, SYSTEMS, TEXTS, TOKENS
    from adjudge.evaluate.engine import evaluate
    from adjudge.evaluate.task import Run
    from adjudge.report.page import render_result
    from adjudge.tasks.nugget.task import NuggetTask

    paths = [str(path) for path in SYSTEMS.values()]
    task = NuggetTask(tokens=TOKENS, texts=TEXTS)
    result = evaluate(task, GOLD, paths, Run(align=True, pool="micro")).result()
    return render_result(result, title="Event nuggets")


def _eal() -> str:
    from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES, SUBMISSIONS
    from adjudge.evaluate.task import Run
    from adjudge.formats.eal_sources import Sources
    from adjudge.report.page import render_result
    from adjudge.tasks.eal.ranking import ranked
    from adjudge.tasks.eal.task import EalTask, Gold, count
    from adjudge.tasks.eal.texts import regions_in

    task = EalTask(regions=regions_in(SOURCES), texts=Sources(SOURCES))
    result = count(task, Gold(ASSESSMENTS, FRAMES), SUBMISSIONS, Run(align=True)).result()
    return render_result(ranked(result, task.settings), title="Event arguments and linking")


def _kbp() -> str:
    from adjudge.demo.kbp import GOLD, LINKS, SYSTEMS
    from adjudge.report.page import render_result
    from adjudge.tasks.kbp.scoring import score

    paths = [str(path) for path in SYSTEMS.values()]
    result = score(str(GOLD), paths, wiki=str(LINKS), by="relation", align=True)
    return render_result(result, title="Knowledge bases")


_PAGES: dict[str, Callable[[], str]] = {
    "extraction": _extraction,
    "coref": _coref,
    "nugget": _nugget,
    "eal": _eal,
    "kbp": _kbp,
}
