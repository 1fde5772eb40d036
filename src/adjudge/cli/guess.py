"""`adjudge GOLD SYSTEM...`: which command it stands for, by what the files look like; one file alone is looked at."""

from __future__ import annotations

import shlex
from itertools import takewhile

from adjudge.cli.options import named
from adjudge.cli.output import say
from adjudge.errors import visible


def guessed(arguments: list[str]) -> list[str]:
    """The full command for files and options that were given without one; says on standard error what it is."""
    from adjudge.tasks.guess import guess

    files = list(takewhile(lambda each: not each.startswith("-"), arguments))
    if len(files) < 2:
        return ["doctor", *arguments]
    found = guess(files[0], *(named(each)[1] for each in files[1:]))
    words = found.arguments(*files)
    more = words.index("--reader") if "--reader" in words and "--reader" in arguments else len(words)
    full = [*words[:more], *arguments[len(files) :]]
    say(f"guessed: {visible(shlex.join(['adjudge', *full]))}")
    return full
