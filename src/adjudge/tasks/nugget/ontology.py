"""The event types of the tasks, and lists of types from files."""

from __future__ import annotations

from pathlib import Path

from adjudge.errors import Problem, UsageError
from adjudge.model.whereabouts import not_utf8

YEARS = ("2015", "2016")


def read_types(name: str | Path) -> tuple[str, ...]:
    """The types of a task by its year (38 in 2015, 18 in 2016), or the lines of a file that are not blank.

    How a type is spelled does not matter: "conflict attack" is Conflict_Attack.

    >>> len(read_types("2015")), len(read_types("2016")), read_types("2016")[0]
    (38, 18, 'Conflict_Attack')
    """
    path = Path(__file__).with_name(f"types_{name}.txt") if str(name) in YEARS else Path(name)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(not_utf8(error, str(name))) from None
    except (OSError, ValueError) as error:  # a ValueError is a path with a null character
        reason = getattr(error, "strerror", None) or str(error)
        hint = f"give a file with one type per line, or {' or '.join(YEARS)}"
        raise UsageError(Problem(f"the list of types cannot be read ({reason})", path=str(name), hint=hint)) from None
    types = tuple(line.strip() for line in lines if line.strip())
    if not types:
        raise UsageError(Problem("the list names no types", path=str(name), hint="write one type per line"))
    return types
