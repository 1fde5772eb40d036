"""The page and the graphs of a campaign of event arguments, made from what its last step scores."""

from __future__ import annotations

from adjudge.formats.eal_sources import Sources
from adjudge.report.html.charts import standalone
from adjudge.report.html.eal import eal_page
from adjudge.report.html.eal_graphs import graphs_of, rankings_of
from adjudge.tasks.eal.campaign_scores import Inputs, Publisher
from adjudge.tasks.eal.task import tables_of


def campaign_page(inputs: Inputs) -> str:
    """The ranking, and what became of every response, with the texts."""
    return eal_page(inputs.counted(inputs.chosen(), whole=True), sources=Sources(inputs.base / "sources"))


def campaign_graphs(inputs: Inputs) -> dict[str, bytes]:
    """How scores and ranks depend on beta and lambda, and how far the draws spread: SVG files by name."""
    chosen = inputs.chosen()
    evaluation = inputs.counted(chosen)
    graphs, _ = graphs_of(tables_of(evaluation), chosen, rankings_of(evaluation.result(), chosen))
    return {f"{graph.name}.svg": standalone(graph.chart).encode() for graph in graphs}


PUBLISHER = Publisher(campaign_page, campaign_graphs)
"""What `run_campaign` needs to write a report and graphs."""
