"""Commands called as from a shell, in this process."""

from collections.abc import Callable

import pytest

from adjudge.cli import run

Ran = tuple[int, str, str]


def caller(*words: str) -> Callable[..., object]:
    """A fixture that runs a command with more arguments: exit code, standard output, standard error."""

    @pytest.fixture
    def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
        return lambda *more: (run([*words, *map(str, more)]), *capsys.readouterr())

    return call
