"""The page and the graphs of a campaign of event arguments, made from what its last step scores."""

from __future__ import annotations

from adjudge.formats.eal_sources import Sources
from adjudge.report.html.charts import standalone
from adjudge.report.html.eal import eal_page
from adjudge.report.html.eal_graphs import graphs_of, rankings_of
from adjudge.tasks.eal.campaign_scores import Inputs, Publisher


def campaign_page(inputs: Inputs) -> str:
    """The ranking, and what became of every response, with the texts."""
    chosen = inputs.chosen()
    return eal_page(
        inputs.key,
        inputs.frames,
        inputs.systems,
        chosen,
        sources=Sources(inputs.base / "sources"),
        docs=inputs.documents,
        by=inputs.settings.by,
        genre_list=inputs.genres(),
        inference=inputs.inference(chosen),
    )


def campaign_graphs(inputs: Inputs) -> dict[str, bytes]:
    """How scores and ranks depend on beta and lambda, and how far the draws spread: SVG files by name."""
    chosen = inputs.chosen()
    campaign = inputs.observe(chosen)
    graphs, _ = graphs_of(campaign.tables(), chosen, rankings_of(inputs.result(campaign), chosen))
    return {f"{graph.name}.svg": standalone(graph.chart).encode() for graph in graphs}


PUBLISHER = Publisher(campaign_page, campaign_graphs)
"""What `run_campaign` needs to write a report and graphs."""
