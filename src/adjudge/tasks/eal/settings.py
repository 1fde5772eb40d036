"""How submissions are read, checked and scored: profiles of decisions, weights, and diagnostic views.

A profile has one named decision for each question on which the task description and the official programs disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args, get_origin

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.formats.eal_fields import is_valid
from adjudge.model.eal import TIME_ROLES, Assessment

if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.formats.eal_store import KeyStore, Store

_DEAREST = 1_000_000  # what a false positive may cost; sums of much more than that are not numbers any more


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """The decisions where sources disagree; the defaults are those of the profile `spec`."""

    name: str = "spec"
    about: str = "the task description of 15 July 2015, and where it is silent the official program"

    # Files
    linking_separator: Literal["any", "tab"] = "any"
    """Ids in linking files: separated by TABs or blanks, or by TABs only."""
    linking_layout: Literal["2015", "none"] = "2015"
    """Whether a submission has linking files."""
    repeated_response: Literal["error", "best"] = "error"
    """The same response on two lines: an error, or the more confident one counts."""
    repeated_incomplete: Literal["error", "last"] = "error"
    """Several INCOMPLETE lines: an error, or the last counts."""
    offsets: Literal["code-points", "utf-16"] = "code-points"
    """What offsets count."""
    quote_tags: Literal["any-case", "exact"] = "any-case"
    """Quotations: also in capitals, and one that is never closed reaches to the end of the document, with a warning; or
    <quote> in small letters only, and one that is never closed is an error."""
    missing_document: Literal["empty", "error"] = "empty"
    """A document without system output: as if it were empty, with a warning, or an error."""

    # Validation
    checked_ids: Literal["unique-32-bit", "unique-number", "unique"] = "unique-32-bit"
    """The first column: unique, and if it is a number one of 32 bits; or a number in any case; or unique alone."""
    check_times: bool = True
    """Whether the filler of a time role must be a date."""
    check_cas_text: bool = True
    """Whether the CAS is compared with the text at its offsets."""
    check_frame_types: bool = True
    """Whether the responses of a frame must have one event type."""
    check_entity_types: bool = True
    """Whether one filler may have roles that no entity can have together (table 2 of the task description)."""
    program_roles: bool = False
    """Whether the roles are those of the official programs, where they differ from the task description."""
    check_documents: bool = True
    """Whether missing documents, and linking files without arguments, are reported."""

    # Times
    x_year: bool = True
    """Whether XXXX-05-04 is a date."""
    lower_x: bool = True
    """Whether a small x may stand for an unknown digit."""
    repair_lower_x: Literal["no", "2014", "all"] = "no"
    """Whether xx becomes XX before scoring: never, for the measures of 2014, or for all."""
    broken_time: Literal["wrong", "error"] = "wrong"
    """A time assessed as correct that is not a date: its CAS becomes wrong, or an error."""
    broken_time_in_reference: Literal["drop", "keep"] = "drop"
    """Whether such a time still counts in the reference frames, where nobody can earn it."""
    time_rule_requires: Literal["cas", "good"] = "cas"
    """Which assessment removes less specific times: a correct CAS, or a good response."""
    time_rule_same_realis: bool = False
    """Whether less specific times are removed only where the realis is the same."""
    time_rule_digits: Literal["each-part", "from-the-end"] = "each-part"
    """Which dates say less: those with fewer digits in any part, or those with digits cut off at its end."""
    time_rule_sides: Literal["both", "system"] = "both"
    """Whether they are removed from the key and the frames as well."""

    # Linking
    unlinked: Literal["error", "drop", "singleton"] = "error"
    """A non-generic response in no frame: an error, is left out, or is a frame of its own."""
    neutralised_generic: Literal["keep", "drop"] = "keep"
    """Generic responses when realis is neutralised: stay, or vanish because no frame has them."""
    check_reference: bool = True
    """Whether wrong responses in the reference frames, and good ones missing there, are reported."""

    # Scores
    unassessed: Literal["error", "false-positive", "ignore"] = "error"
    """A system response that nobody has assessed."""
    trim_unassessed: bool = True
    """Whether redundant responses are removed before their assessments are looked up, as before pooling."""
    unassessed_misses: bool = True
    """Whether a class whose representative is unassessed counts as missed, too."""
    missing_coref: Literal["singleton", "error", "lenient"] = "singleton"
    """A CAS without a cluster: its own cluster, an error, or (2014) clusters count only for acceptable CASes."""
    repeated_cluster: Literal["join", "error"] = "join"
    """A CAS in two clusters: joins them, because coreference is transitive, or is an error."""
    one_spelling: bool = True
    """Whether Contact.Correspondance and Contact.Correspondence are one type."""
    link_precision: Literal["found", "reference"] = "found"
    """What weights the link precision of a document: the classes of the system, or those of the reference."""
    empty_reference: Literal["null", "one"] = "null"
    """The link score of a single document whose reference has no frames."""
    replacement: Literal["smallest", "table"] = "smallest"
    """Which good response replaces another if coreference is neutralised: the first in the text or in a hash table."""
    draws: Literal["numpy", "java"] = "numpy"
    """Which generator draws the corpora of the bootstrap."""
    bootstrap_seed: int = 13
    """The seed of the bootstrap, unless another one is given."""
    percentiles: Literal["linear", "nist"] = "linear"
    """How percentiles lie between samples."""
    clip_documents: bool = True
    """Whether the score of a single document is at least 0."""
    undefined_document: Literal["null", "nan"] = "null"
    """How 0/0 of a single document is shown."""
    lambda_on: Literal["argument", "linking"] = "argument"
    """Which part of the overall score lambda weighs."""
    measures: tuple[Literal["standard", "strict", "lax"], ...] = ("standard", "strict", "lax")
    """The measures of 2014 that are computed."""

    def open_store(self, path: str | Path) -> Store:
        """A submission, read with these conventions."""
        from adjudge.formats.eal_store import open_store

        return open_store(path, **self.reading())

    def open_key(self, path: str | Path) -> KeyStore:
        """A store of assessments, read with these conventions."""
        from adjudge.formats.eal_store import open_key

        return open_key(path, repeated_cluster=self.repeated_cluster)

    def is_date(self, text: str) -> bool:
        """Whether a string is a date.

        >>> SPEC.is_date("XXXX-05-04"), BBN_2015.is_date("XXXX-05-04")
        (True, False)
        """
        return is_valid(text, x_year=self.x_year, lower_x=self.lower_x)

    def is_broken(self, role: str, text: str, assessment: Assessment) -> bool:
        """Whether a time was assessed as acceptable although it is not a date; `text` is that of its CAS."""
        return role in TIME_ROLES and assessment.cas in ("C", "I") and not self.is_date(text)

    def reading(self) -> dict[str, Any]:
        """The settings for the readers of a submission."""
        return {
            "repeats": self.repeated_response,
            "separator": self.linking_separator,
            "repeated_incomplete": self.repeated_incomplete,
        }

    def decisions(self) -> dict[str, object]:
        """Every decision by name, as a result prints it.

        >>> SPEC.decisions()["x_year"], BBN_2015.decisions()["x_year"]
        (True, False)
        """
        return {name: getattr(self, name) for name in self.__struct_fields__ if name not in ("name", "about")}

    def differences(self, other: Profile) -> dict[str, tuple[object, object]]:
        """The decisions in which two profiles differ.

        >>> BBN_2015.differences(BBN_2014_09)["lower_x"]
        (True, False)
        """
        mine, theirs = self.decisions(), other.decisions()
        return {name: (mine[name], theirs[name]) for name in mine if mine[name] != theirs[name]}


SPEC = Profile()
BBN_2015 = Profile(
    name="bbn-2015",
    about="as the official program of October 2015 reads and counts",
    linking_separator="tab",
    repeated_incomplete="last",
    offsets="utf-16",
    quote_tags="exact",
    missing_document="error",
    checked_ids="unique",
    check_times=False,
    check_cas_text=False,
    check_frame_types=False,
    check_entity_types=False,
    program_roles=True,
    check_documents=False,
    x_year=False,
    broken_time_in_reference="keep",
    time_rule_same_realis=True,
    time_rule_digits="from-the-end",
    unlinked="drop",
    neutralised_generic="drop",
    check_reference=False,
    missing_coref="error",
    repeated_cluster="error",
    repair_lower_x="2014",
    trim_unassessed=False,
    unassessed_misses=False,
    one_spelling=False,
    link_precision="reference",
    empty_reference="one",
    replacement="table",
    draws="java",
    bootstrap_seed=0,
    percentiles="nist",
    clip_documents=False,
    undefined_document="nan",
    lambda_on="linking",
    measures=("standard",),
)
BBN_2014 = msgspec.structs.replace(
    BBN_2015,
    name="bbn-2014",
    about="as the scorer for 2014 that the official program of October 2015 still has: arguments only",
    linking_layout="none",
    missing_document="empty",
    repair_lower_x="all",
    measures=("standard", "strict", "lax"),
)
BBN_2014_09 = msgspec.structs.replace(
    BBN_2014,
    name="bbn-2014-09",
    about="as the official program of September 2014 reads and counts: arguments only",
    lower_x=False,
    repair_lower_x="no",
    broken_time="error",
    time_rule_sides="system",
    unassessed="false-positive",
    unassessed_misses=True,
    missing_coref="lenient",
)
PROFILES = {profile.name: profile for profile in (SPEC, BBN_2015, BBN_2014, BBN_2014_09)}


def get_profile(name: str | Profile) -> Profile:
    """A profile by its name.

    >>> get_profile("bbn-2015").unlinked
    'drop'
    """
    if isinstance(name, Profile):
        return name
    if name not in PROFILES:
        hint = did_you_mean(name, PROFILES) or f"profiles are {', '.join(PROFILES)}"
        raise UsageError(f"there is no profile {name!r}", hint=hint)
    return PROFILES[name]


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
        """The settings as the signature has them; defaults are left out."""
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
    usual = PROFILES[profile.name]
    if profile == usual:
        return None
    found = {name: other for name, (_, other) in usual.differences(profile).items()}
    return ",".join(f"{name}={value}" for name, value in found.items())


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
    """The valid values of a decision."""
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
    if not 0 <= beta <= _DEAREST:
        raise UsageError(f"beta is {beta:g}", hint=f"give a number from 0 to {_DEAREST}, such as 0.25")
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
