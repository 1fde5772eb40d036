"""What a scoring run is asked for: the profile, the weights, and which diagnostic view of the documents is scored."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, get_args, get_origin

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.tasks.eal.profiles import SPEC, Profile, get_profile

Taxonomy: TypeAlias = Literal["full", "collapsed", "type-lax"]
Neutral: TypeAlias = Literal["realis", "coref"]
Extra: TypeAlias = Literal["ceaf", "b3", "blanc", "f"]
Cover: TypeAlias = tuple[str, str]  # (covering type, covered type)

DIE: Cover = ("Life.Die", "Life.Injure")
COVERS: dict[str, Cover] = {
    "transaction": ("Transaction.Transfer-Ownership", "Transaction.Transfer-Money"),
    "movement": ("Movement.Transport-Artifact", "Movement.Transport-Person"),
}
"""The extensions that the task description mentions; it does not say which type covers which."""


class Settings(NamedTuple):
    """How systems are scored.

    `covers` are pairs of types: a correct response of the first makes those of the second, with the same role, filler
    and realis, go. `extras` are more measures: of the linking, or of the whole with F1 in place of the linear score.
    """

    profile: Profile = SPEC
    beta: float = 0.25
    lambda_: float = 0.5
    taxonomy: Taxonomy = "full"
    neutralize: Neutral | None = None
    covers: tuple[Cover, ...] = (DIE,)
    extras: tuple[Extra, ...] = ()
    linking: bool = True

    @property
    def argument_weight(self) -> float:
        """The weight of the argument score in the overall score.

        >>> Settings(lambda_=0.25).argument_weight, Settings(get_profile("bbn-2015"), lambda_=0.25).argument_weight
        (0.25, 0.75)
        """
        return self.lambda_ if self.profile.lambda_on == "argument" else 1 - self.lambda_

    def fields(self) -> dict[str, str | float | None]:
        """What a signature says of the settings; what is as usual is left out."""
        covers = ",".join(f"{one}={other}" for one, other in self.covers if (one, other) != DIE)
        return {
            "beta": self.beta,
            "lambda": self.lambda_ if self.linking else None,
            "taxonomy": self.taxonomy if self.taxonomy != "full" else None,
            "neutral": {"realis": "realis", "coref": "realis+coref"}.get(self.neutralize or ""),
            "covers": covers or None,
            "decided": _decided(self.profile),
            "also": "+".join(self.extras) or None,
        }


def _decided(profile: Profile) -> str | None:
    """The decisions that differ from those of the profile of that name."""
    usual = get_profile(profile.name)
    found = {name: other for name, (_, other) in usual.differences(profile).items()}
    return ",".join(f"{name}={value}" for name, value in found.items()) or None


def decide(profile: str | Profile, decisions: Mapping[str, str]) -> Profile:
    """A profile with some decisions changed, which are given as words.

    >>> decide("spec", {"unassessed": "ignore", "x_year": "no"}).unassessed
    'ignore'
    """
    chosen = get_profile(profile)
    known = chosen.decisions()
    changed: dict[str, object] = {}
    for name, text in decisions.items():
        if name not in known:
            hint = did_you_mean(name, known) or f"decisions are {', '.join(known)}"
            raise UsageError(f"no profile decides {name!r}", hint=hint)
        value: object = text
        if isinstance(known[name], bool):
            value = {"yes": True, "true": True, "no": False, "false": False}.get(text.lower(), text)
        elif isinstance(known[name], int):
            value = int(text) if text.isdecimal() else text
        elif isinstance(known[name], tuple):
            value = [each.strip() for each in text.split(",")]
        changed[name] = value
    kinds = {field.name: field.type for field in msgspec.structs.fields(Profile)}
    for name, value in changed.items():
        try:
            changed[name] = msgspec.convert(value, kinds[name])
        except msgspec.ValidationError:
            raise UsageError(f"{name} cannot be {decisions[name]!r}", hint=_possible(kinds[name])) from None
    return msgspec.structs.replace(chosen, **changed)


def _possible(kind: Any) -> str:
    """What a decision may be."""
    if kind is bool:
        return "write yes or no"
    if kind is int:
        return "write a whole number"
    choices = get_args(kind)
    if get_origin(kind) is tuple:
        return f"write one or more of {', '.join(get_args(choices[0]))}, with commas between them"
    return f"it is {' or '.join(choices)}"


def settings(
    profile: str | Profile = "spec",
    *,
    beta: float = 0.25,
    lambda_: float = 0.5,
    taxonomy: str = "full",
    neutralize: str | None = None,
    covers: Iterable[str] = (),
    extras: Iterable[str] = (),
    linking: bool = True,
) -> Settings:
    """Settings from words, or an error that says which are possible.

    `covers` are names of `COVERS`, or COVERING=COVERED.

    >>> settings("bbn-2015", covers=["movement"]).covers[1]
    ('Movement.Transport-Artifact', 'Movement.Transport-Person')
    """
    chosen = get_profile(profile)
    if not (math.isfinite(beta) and beta >= 0):
        raise UsageError(f"beta is {beta:g}", hint="give a number from 0, such as 0.25")
    if not 0 <= lambda_ <= 1:
        raise UsageError(f"lambda is {lambda_:g}", hint="give a number from 0 to 1, such as 0.5")
    for value, known, what in (
        (taxonomy, get_args(Taxonomy), "taxonomy"),
        (neutralize, get_args(Neutral), "diagnostic"),
    ):
        if value is not None and value not in known:
            raise UsageError(f"there is no {what} {value!r}", hint=did_you_mean(value, known) or ", ".join(known))
    more = tuple(dict.fromkeys(extras))
    for name in more:
        if name not in get_args(Extra):
            hint = did_you_mean(name, get_args(Extra)) or f"there are {', '.join(get_args(Extra))}"
            raise UsageError(f"there is no measure {name!r}", hint=hint)
    scored = linking and chosen.linking_layout != "none"
    if more and not scored:
        raise UsageError(f"{', '.join(more)} needs reference frames", hint="score with --frames and a profile of 2015")
    pairs = tuple(dict.fromkeys((DIE, *map(_cover, covers))))
    return Settings(chosen, beta, lambda_, taxonomy, neutralize, pairs, more, scored)  # type: ignore[arg-type]


def _cover(text: str) -> Cover:
    if text in COVERS:
        return COVERS[text]
    one, equals, other = text.partition("=")
    if not (equals and one and other) or one == other:
        hint = did_you_mean(text, COVERS) or f"write COVERING=COVERED, or {' or '.join(COVERS)}"
        raise UsageError(f"{text!r} does not say which type covers which", hint=hint)
    return one, other
