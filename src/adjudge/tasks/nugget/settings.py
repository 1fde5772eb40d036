"""How nuggets are scored: the profile, the attributes, coreference, and which types count."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias, cast

from adjudge.errors import UsageError, did_you_mean

Profile: TypeAlias = Literal["spec", "evmeval-2015", "evmeval-1.8"]
Mode: TypeAlias = Literal["token", "char"]
Attribute: TypeAlias = Literal["type", "realis"]

PROFILES = {
    "spec": "the specification of 20 August 2015 to the letter",
    "evmeval-2015": "as the official program counted in 2015 (v1.6.2)",
    "evmeval-1.8": "as the last release of the official program counts (v1.8)",
}
ATTRIBUTES: tuple[Attribute, ...] = ("type", "realis")
MAPPINGS = ("span", "type", "realis", "type+realis")
"""The attribute combinations, each with a mapping of its own."""

INVISIBLE = frozenset(
    ("the", "a", "an", "I", "you", "he", "she", "we", "my", "your", "her", "our", "who", "what", "where", "when")
)
"""Words that are ignored when spans are compared (footnote 4 of the specification)."""


class Settings(NamedTuple):
    """Validated settings. `coref` and `sequencing` are None if they are scored when there is anything to score."""

    profile: Profile = "spec"
    attributes: tuple[Attribute, ...] = ATTRIBUTES
    coref: bool | None = None
    sequencing: bool | None = None
    threshold: float = 1.0  # the least Dice at which a pair is one mention for coreference
    mapping: str = "type"  # the mapping used for coreference and sequencing
    types: frozenset[str] | None = None  # canonical names of the types that count
    any_links: bool = False  # whether a link and its reverse are scored instead of refused

    @property
    def official(self) -> bool:
        """Whether the official program is followed where it departs from the specification."""
        return self.profile != "spec"

    @property
    def scored(self) -> tuple[str, ...]:
        """The attribute combinations that are scored.

        >>> Settings(attributes=("type",)).scored
        ('span', 'type')
        """
        return _combinations(self.attributes)

    @property
    def mapped(self) -> tuple[str, ...]:
        """The mappings that are needed: those that are scored and the one of coreference."""
        return _needed(self.attributes, self.mapping)

    @property
    def spelling(self) -> Callable[[str], str] | None:
        """The normalisation of attribute values before they are compared; None if there is none."""
        return {"spec": None, "evmeval-2015": without_punctuation, "evmeval-1.8": canonical}[self.profile]

    @property
    def invisible(self) -> frozenset[str]:
        """The invisible words in lower case.

        The program of 2015 lower-cases the token but not its list, so it sees the word "I"; v1.8 has no list.

        >>> [len(Settings(profile=profile).invisible) for profile in PROFILES]
        [16, 15, 0]
        """
        if self.profile == "spec":
            return frozenset(word.lower() for word in INVISIBLE)
        return INVISIBLE - {"I"} if self.profile == "evmeval-2015" else frozenset()

    def fields(self) -> dict[str, str | float | None]:
        """The settings as the signature has them."""
        from hashlib import sha256

        listed = None if self.types is None else sha256("\n".join(sorted(self.types)).encode()).hexdigest()[:4]
        return {
            "attr": "+".join(self.attributes) or "none",
            "undefined": "none" if self.official else "0",
            "coref-mapping": None if self.mapping == "type" else self.mapping,
            "coref-threshold": None if self.threshold == 1.0 else self.threshold,
            "types": None if listed is None else f"{len(self.types or ())}#{listed}",
        }


def settings(
    profile: str = "spec",
    *,
    attributes: str | Iterable[str] = ATTRIBUTES,
    coref: bool | None = None,
    sequencing: bool | None = None,
    coref_threshold: float = 1.0,
    coref_mapping: str = "type",
    types: Iterable[str] | None = None,
    any_links: bool = False,
) -> Settings:
    """The settings, or an error that names the valid ones.

    >>> settings("evmeval-1.8", attributes="type", coref_mapping="span").mapped
    ('span', 'type')
    """
    _check(profile, "profile", PROFILES)
    names = [each.strip() for each in attributes.split(",")] if isinstance(attributes, str) else list(attributes)
    for name in names:
        if name not in ("", "none"):
            _check(name, "attribute", ATTRIBUTES)
    _check(coref_mapping, "mapping", MAPPINGS)
    if not 0 < coref_threshold <= 1:
        hint = "give a number above 0 and up to 1"
        raise UsageError(f"a coreference threshold of {coref_threshold:g} is out of range", hint=hint)
    listed = None if types is None else frozenset(filter(None, map(canonical, types)))
    return Settings(
        cast("Profile", profile),
        tuple(name for name in ATTRIBUTES if name in names),
        coref,
        sequencing,
        coref_threshold,
        coref_mapping,
        listed or None,  # an empty list means that all types count
        any_links,
    )


@lru_cache
def _combinations(attributes: tuple[str, ...]) -> tuple[str, ...]:
    sizes = range(1, len(attributes) + 1)
    return ("span", *("+".join(each) for size in sizes for each in combinations(attributes, size)))


@lru_cache
def _needed(attributes: tuple[str, ...], mapping: str) -> tuple[str, ...]:
    return tuple(name for name in MAPPINGS if name in _combinations(attributes) or name == mapping)


@lru_cache(maxsize=4096)
def canonical(value: str) -> str:
    """ASCII letters and digits only, in lower case: how v1.8 compares types and realis values, and type lists.

    >>> canonical("Movement_Transport-Person"), canonical("conflict attack"), canonical("é")
    ('movementtransportperson', 'conflictattack', '')
    """
    return "".join([c for c in value if c.isascii() and c.isalnum()]).lower()


_DROPPED = str.maketrans(string.ascii_uppercase, string.ascii_lowercase, string.punctuation + string.whitespace)


@lru_cache(maxsize=4096)
def without_punctuation(value: str) -> str:
    """Without ASCII blanks and punctuation, in lower case: how v1.6.2 compares them.

    >>> without_punctuation("Movement_Transport-Person"), without_punctuation("É É")
    ('movementtransportperson', 'ÉÉ')
    """
    return value.translate(_DROPPED)


def _check(name: str, what: str, known: Iterable[str]) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or f"choose from {', '.join(known)}"
        raise UsageError(f"there is no {what} {name!r}", hint=hint)
