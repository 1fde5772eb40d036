"""A campaign is killed or without room at any moment: the work of people is whole, and a rerun completes."""

import random

from faults.campaigns import STAGES, Stages


def test_killed_or_without_room(stages: Stages) -> None:
    happened = 0
    for stage in STAGES:
        for kind in ("kill", "full"):
            happened += stages.disturb(stage, kind, random.Random(f"{stage} {kind}"))
    assert happened >= len(STAGES)
