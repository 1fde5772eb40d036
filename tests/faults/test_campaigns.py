"""A campaign is killed or refused something at any moment: nothing is made of what is there only in part."""

import random

import pytest

from faults.campaigns import STAGES, Stages

ERRORS = ("ENOSPC", "EIO", "EACCES", "EROFS", "EMFILE", "EDQUOT")


def test_killed_or_without_room(stages: Stages) -> None:
    happened = 0
    for stage in STAGES:
        for kind in ("kill", "full", "interrupt"):
            happened += stages.disturb(stage, kind, random.Random(f"{stage} {kind}"))
    assert happened >= len(STAGES)


@pytest.mark.parametrize("stage", STAGES)
def test_one_operation_fails(stages: Stages, stage: str) -> None:
    draw = random.Random(stage)
    events = stages.events[stage]
    happened = 0
    for number in range(10):  # spread over the whole stage
        at = draw.randint(number * events // 10 + 1, (number + 1) * events // 10)
        happened += stages.disturb_once(stage, ERRORS[number % len(ERRORS)], at)
    assert happened >= 3


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", ["ENOSPC", "EIO", "EACCES", "kill"])
def test_every_operation_fails(stages: Stages, stage: str, kind: str) -> None:
    for at in range(1, stages.events[stage] + 1):
        stages.disturb_once(stage, kind, at)
