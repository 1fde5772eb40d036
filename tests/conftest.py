"""What all tests share: where the official data files are, if they are anywhere."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The machine may be busy; a slow example is not a wrong one. The same examples every time, so that a failure is about
# the change and not about luck; `pytest --hypothesis-profile=random` looks for new ones, and more of them.
_BUSY = (HealthCheck.too_slow,)
settings.register_profile("adjudge", deadline=None, derandomize=True, max_examples=25, suppress_health_check=_BUSY)
settings.register_profile("random", deadline=None, suppress_health_check=_BUSY)
settings.load_profile("adjudge")


@pytest.fixture
def make_pipe() -> Callable[[Path], None]:
    """Makes a named pipe."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no pipes with names")
    return os.mkfifo


@pytest.fixture(scope="session")
def conformance() -> Path:
    """The folder named by ADJUDGE_CONFORMANCE, by default ../shared next to the project."""
    named = os.environ.get("ADJUDGE_CONFORMANCE")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        where = f"ADJUDGE_CONFORMANCE={named}" if named else "ADJUDGE_CONFORMANCE is not set and ../shared is not there"
        pytest.skip(f"needs the official data files: {where}")
    return folder
