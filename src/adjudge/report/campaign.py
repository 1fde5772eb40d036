"""The page and the graphs of a campaign of event arguments, made from the scores of its last step."""

from __future__ import annotations

from adjudge.tasks.eal.campaign_scores import Inputs, Publisher


def campaign_page(inputs: Inputs) -> str:
    """The ranking, and the outcome of every response, with the texts."""
    from adjudge.report.page import render_result
    from adjudge.tasks.eal.ranking import can_be_ranked, ranked

    chosen = inputs.chosen()
    result = inputs.counted(chosen, align=True).result()
    result = ranked(result, chosen) if can_be_ranked(result) else result
    return render_result(result, title="Event arguments and linking")


def campaign_graphs(inputs: Inputs) -> dict[str, bytes]:
    """How scores and ranks depend on beta and lambda, and how far the draws spread: SVG files by name."""
    from adjudge.report.charts import drawn
    from adjudge.tasks.eal.panels import rankings_of, weight_panels
    from adjudge.tasks.eal.task import tables_of

    chosen = inputs.chosen()
    evaluation = inputs.counted(chosen)
    panels = weight_panels(tables_of(evaluation), chosen, rankings_of(evaluation.result(), chosen))
    return drawn(panels, list(evaluation.systems))


PUBLISHER = Publisher(campaign_page, campaign_graphs)
"""What `run_campaign` needs to write a report and graphs; pages and charts are loaded if there is something to draw."""
