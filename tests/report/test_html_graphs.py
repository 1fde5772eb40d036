"""Graphs of saved results: how scores depend on weights, confidences and the number of hops."""

import msgspec
import pytest
from lxml import html

from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES, SUBMISSIONS
from adjudge.demo.kbp import GOLD, LINKS, SYSTEMS
from adjudge.report.html.result import render_result
from adjudge.report.html.result_graphs import confidence_curves, graphs_of_result
from adjudge.stats.saved import decode_result
from adjudge.tasks.eal.settings import decide, settings
from adjudge.tasks.eal.texts import regions_in
from adjudge.tasks.kbp.scoring import score as score_kbp
from eal_keys import counted


def eal(chosen=None, frames=FRAMES):
    """The bundled campaign, scored and saved."""
    systems = {name: str(path) for name, path in SUBMISSIONS.items()}
    options = {"regions": regions_in(SOURCES), "bootstrap": 0}
    result = counted(ASSESSMENTS, frames, systems, chosen or settings(), **options).result()
    return decode_result(result.to_json(with_tables=True).encode())


@pytest.mark.parametrize(
    ("chosen", "frames"),
    [
        (settings(), FRAMES),
        (settings(beta=0.5, lambda_=0.25), FRAMES),
        (settings(decide("spec", {"lambda_on": "linking"}), lambda_=0.3), FRAMES),
        (settings(linking=False), None),
    ],
)
def test_weights_of_event_arguments(chosen, frames):
    result = eal(chosen, frames)
    figures = {each.name: each for each in graphs_of_result(result)}
    linked = frames is not None
    assert ("scores-lambda" in figures) == ("winners" in figures) == linked
    metric = "eal.overall" if linked else "eal.argument"
    values = [f"{100 * float(system[metric].score):.2f}" for system in result.systems]
    (row,) = [row for row in figures["scores-beta"].rows if row[0] == f"{chosen.beta:g}"]
    assert list(row[1:]) == values
    if linked:
        (row,) = [row for row in figures["scores-lambda"].rows if row[0] == f"{chosen.argument_weight:g}"]
        assert list(row[1:]) == values
    page = html.document_fromstring(render_result(result))
    assert set(figures) <= set(page.xpath("//figure/@data-file"))
    assert page.xpath("//a[@href='#graphs-title']")


def test_weights_that_do_not_give_the_scores_are_not_drawn():
    result = eal()
    system = result.systems[0]
    scores = tuple(
        msgspec.structs.replace(score, value=score.value / 2) if score.metric == "eal.overall" else score
        for score in system.scores
    )
    changed = (msgspec.structs.replace(system, scores=scores), *result.systems[1:])
    assert graphs_of_result(msgspec.structs.replace(result, systems=changed)) == []
    bare = tuple(msgspec.structs.replace(each, table=None) for each in result.systems)
    assert graphs_of_result(msgspec.structs.replace(result, systems=bare)) == []


@pytest.fixture(scope="module")
def bases():
    systems = [str(path) for path in SYSTEMS.values()]
    return score_kbp(str(GOLD), systems, wiki=str(LINKS), by=("confidence",), bootstrap=0)


def test_curves_over_confidence(bases):
    curves = {each.name: each for each in confidence_curves(bases)}
    assert list(curves) == ["confidence-hop1", "confidence-hop2", "confidence-hop3"]
    for hop in (1, 2, 3):
        rows = curves[f"confidence-hop{hop}"].rows
        assert {row[0] for row in rows} == set(SYSTEMS)
        for system in bases.systems:
            # The lowest confidence keeps everything.
            first = next(row for row in rows if row[0] == system.name)
            whole = system[f"kbp.hop{hop}"]
            assert first[2:] == tuple(f"{100 * float(v):.1f}" for v in (whole.precision, whole.recall, whole.f1))
            least = [float(row[1]) for row in rows if row[0] == system.name]
            assert least == sorted(set(least))
            recalls = [float(row[3]) for row in rows if row[0] == system.name]
            assert recalls == sorted(recalls, reverse=True)


def test_hops(bases):
    (hops, *_) = graphs_of_result(bases)
    assert hops.name == "hops"
    assert [row[:2] for row in hops.rows] == [(name, str(hop)) for name in SYSTEMS for hop in (1, 2, 3)]
    for row in hops.rows:
        value = bases.system(row[0])[f"kbp.hop{row[1]}"].f1
        assert row[2].split()[0] == f"{100 * float(value):.1f}"
    page = html.document_fromstring(render_result(bases))
    assert page.xpath("//figure/@data-file")[:2] == ["hops", "confidence-hop1"]


def test_counts_have_a_place_of_their_own(bases):
    page = html.document_fromstring(render_result(bases))
    table = page.xpath("//section[@aria-labelledby='scores-title']//table")[0]
    cells = {
        row.xpath("th")[0].text_content(): row.xpath("td")[0].text_content().strip() for row in table.xpath(".//tr")[1:]
    }
    assert cells["kbp.unaligned"] == "0"
    assert all(cells.values())


def test_other_tasks_have_none():
    result = msgspec.structs.replace(eal(), task="nugget")
    assert graphs_of_result(result) == []
