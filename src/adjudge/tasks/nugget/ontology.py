"""The event types of the tasks, and lists of types from files."""

from __future__ import annotations

from pathlib import Path

from adjudge.errors import UsageError

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
    except (OSError, ValueError) as error:  # a ValueError is a path with a null character, or text that is not UTF-8
        reason = getattr(error, "strerror", None) or str(error)
        hint = f"give a file with one type per line, or {' or '.join(YEARS)}"
        raise UsageError(f"{name}: the list of types cannot be read ({reason})", hint=hint) from None
    types = tuple(line.strip() for line in lines if line.strip())
    if not types:
        raise UsageError(f"{name}: the list names no types", hint="write one type per line")
    return types
