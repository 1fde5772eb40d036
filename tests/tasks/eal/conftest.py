"""Campaigns to begin with."""

import shutil
from pathlib import Path

import pytest

from adjudge.demo.eal import fill_campaign
from adjudge.tasks.eal.campaign import init_campaign
from eal_campaigns import finish, settle


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign with texts and three submissions."""
    place = tmp_path / "campaign"
    init_campaign(place)
    fill_campaign(place)
    settle(place)
    return place


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("finished") / "campaign"
    init_campaign(place)
    fill_campaign(place)
    settle(place)
    finish(place)
    return place


@pytest.fixture
def done(finished: Path, tmp_path: Path) -> Path:
    """A copy of a finished campaign."""
    return Path(shutil.copytree(finished, tmp_path / "campaign"))
