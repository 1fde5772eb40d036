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
    from adjudge.report.html.result import render_result
    from adjudge.tasks.scoring import score

    result = score(list(METRICS), GOLD, [str(path) for path in SYSTEMS.values()], documents=True)
    return render_result(result, title="Relations and events")


def _coref() -> str:
    from adjudge.demo.coref import KEY, METRICS, SYSTEMS
    from adjudge.report.html.result import render_result
    from adjudge.tasks.coref import score

    return render_result(score(KEY, [str(path) for path in SYSTEMS.values()], metric=METRICS), title="Coreference")


def _nugget() -> str:
    from adjudge.demo.nugget import GOLD, SYSTEMS, TEXTS, TOKENS
    from adjudge.evaluate.run import Run
    from adjudge.report.html.nugget import nugget_page
    from adjudge.tasks.nugget.task import NuggetTask, evaluate_nuggets

    paths = [str(path) for path in SYSTEMS.values()]
    evaluation = evaluate_nuggets(NuggetTask(tokens=TOKENS), GOLD, paths, Run(keep=True, pool="micro"))
    return nugget_page(evaluation, texts=TEXTS)


def _eal() -> str:
    from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES, SUBMISSIONS
    from adjudge.evaluate.run import Run
    from adjudge.formats.eal_sources import Sources
    from adjudge.report.html.eal import eal_page
    from adjudge.tasks.eal.task import EalTask, Gold, count
    from adjudge.tasks.eal.texts import regions_in

    task = EalTask(regions=regions_in(SOURCES), whole=True)
    return eal_page(count(task, Gold(ASSESSMENTS, FRAMES), SUBMISSIONS, Run()), sources=Sources(SOURCES))


def _kbp() -> str:
    from adjudge.demo.kbp import GOLD, LINKS, SYSTEMS
    from adjudge.report.html.kbp import kbp_page
    from adjudge.tasks.kbp.inputs import read_inputs
    from adjudge.tasks.kbp.options import make_options

    read = read_inputs(str(GOLD), [str(path) for path in SYSTEMS.values()], wiki=str(LINKS))
    return kbp_page(read, make_options())


_PAGES: dict[str, Callable[[], str]] = {
    "extraction": _extraction,
    "coref": _coref,
    "nugget": _nugget,
    "eal": _eal,
    "kbp": _kbp,
}
