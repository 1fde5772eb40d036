"""What tests of the server share: a database of each kind."""

from collections.abc import Callable, Iterator

import pytest

from serve.postgres import Server, running, skip_without


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, started when the first test asks for one."""
    skip_without()
    with running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def new_database(request: pytest.FixtureRequest) -> Callable[[], str | None]:
    """Makes new databases, on SQLite (no URL) and on PostgreSQL: a test that asks for it runs on both."""
    if request.param == "sqlite":
        return lambda: None
    server: Server = request.getfixturevalue("postgres")
    return server.url


@pytest.fixture
def database(new_database: Callable[[], str | None]) -> str | None:
    """The URL of a new database, or None for SQLite."""
    return new_database()
