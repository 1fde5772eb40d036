"""How documents are compared: the profile, singletons, and when two mentions are the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias, cast

from adjudge.errors import UsageError, did_you_mean

Profile: TypeAlias = Literal["conll-8.01", "clean", "strict"]
Singletons: TypeAlias = Literal["keep", "drop"]
Match: TypeAlias = Literal["exact", "head", "partial"]
Rule: TypeAlias = Literal["8.01", "2014"]

PROFILES = {
    "conll-8.01": "the reader, repeated-mention rules and BLANC rule of the reference scorer 8.01",
    "clean": "repeated mentions are removed on both sides, BLANC as in the paper of 2014",
    "strict": "as conll-8.01, but repeats, unmatched documents and unequal numbers of tokens are errors",
}
SINGLETONS = ("keep", "drop")
MATCHES = ("exact", "head", "partial")
OVERLAP = 0.5


class Settings(NamedTuple):
    """Checked choices; `overlap` is the least |A & B| / |A | B| at which two mentions match in part."""

    profile: Profile = "conll-8.01"
    singletons: Singletons = "keep"
    match: Match = "exact"
    overlap: float | None = None

    @property
    def rule(self) -> Rule:
        """What BLANC is when one kind of links is missing."""
        return "2014" if self.profile == "clean" else "8.01"

    def fields(self) -> dict[str, str | float]:
        """What the signature says of it."""
        declared: dict[str, str | float] = {"blanc": self.rule, "singletons": self.singletons, "match": self.match}
        if self.overlap is not None:
            declared["overlap"] = self.overlap
        return declared


def settings(
    profile: str = "conll-8.01", singletons: str = "keep", match: str = "exact", overlap: float | None = None
) -> Settings:
    """The choices, or an error that names the possible ones.

    >>> settings(match="partial").overlap
    0.5
    """
    _check(profile, "profile", PROFILES)
    _check(singletons, "way to treat singletons", SINGLETONS)
    _check(match, "way to match mentions", MATCHES)
    if match != "partial" and overlap is not None:
        raise UsageError("an overlap is used only when mentions match in part", hint="add match=partial")
    if match == "partial":
        overlap = OVERLAP if overlap is None else overlap
        if not 0 < overlap <= 1:
            raise UsageError(f"an overlap of {overlap:g} is not possible", hint="give a number above 0 and up to 1")
    return Settings(cast("Profile", profile), cast("Singletons", singletons), cast("Match", match), overlap)


def _check(name: str, what: str, known: Iterable[str]) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or f"choose from {', '.join(known)}"
        raise UsageError(f"there is no {what} {name!r}", hint=hint)
