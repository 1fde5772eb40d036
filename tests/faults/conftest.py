"""What the tests of faults share: one process whose children are disturbed, and the grounds on which they work."""

from collections.abc import Iterator

import pytest

from faults.campaigns import Stages
from faults.harness import Ground, Nursery


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory, nursery: Nursery) -> Ground:
    return Ground(tmp_path_factory.mktemp("writers"), nursery)


@pytest.fixture(scope="session")
def stages(tmp_path_factory: pytest.TempPathFactory, nursery: Nursery) -> Stages:
    return Stages(tmp_path_factory.mktemp("campaigns"), nursery)
