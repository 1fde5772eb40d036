"""The settings of a campaign, a commented file that people edit, and how a campaign begins."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from adjudge import temporary
from adjudge.bounded import file_bytes
from adjudge.errors import FormatError, Problem, UsageError, did_you_mean, refusing
from adjudge.files import write_atomically
from adjudge.findings import SEVERITIES, Severity
from adjudge.formats.eal_layout import is_junk
from adjudge.formats.json_file import parse_toml
from adjudge.model.whereabouts import find_name, not_utf8
from adjudge.tasks.eal.campaign_state import digest_of
from adjudge.tasks.eal.diagnostics import FIELDS
from adjudge.tasks.eal.ontology import YEARS
from adjudge.tasks.eal.settings import PROFILES, Profile, decide
from adjudge.tasks.eal.validation import KINDS

FILE = "campaign.toml"
BY = (*FIELDS, "genre")

TEMPLATE = """\
# A campaign of event arguments and linking. `adjudge eal campaign run` performs every step that is due; when a setting
# is changed, it does again what depends on it.

profile = "spec"                # where sources disagree: spec (the task description), bbn-2015 or bbn-2014
ontology = "2015"               # event types and roles: 2014, 2015, 2016, or a file of your own
documents = []                  # ids that are pooled and scored, or a file with one on each line; [] is every text
decisions = {}                  # what the profile decides and you decide otherwise, such as {unlinked = "singleton"}
runs_per_team = 5               # how many runs a team may hand in; [teams] says whose they are
missing = "error"               # a submission without a file for a document is left out, or counts as "empty" there

[severity]                      # what a kind of problem of a submission is: "error", "warning" or "off"
# cas-text = "error"            # a CAS that differs from the text at its offsets; kinds: adjudge eal validate --help

[teams]                         # runs of one team, the one that it expects to be best first; others are teams
# acme = ["acme-1", "acme-2"]

[filters]                       # what happens to each submission before it is pooled and scored, in this order
expand_justifications = false   # widen predicate justifications to whole sentences
quotes = true                   # remove responses that stand in <quote> ... </quote>
trim = true                     # keep the best of responses that differ in base filler and justifications only
nested = false                  # with trim: responses whose CASes stand inside each other compete, too
top = 0                         # keep the N most confident responses, but first the best of each hopper; 0 keeps all
top_per = "submission"          # N responses of each submission, or of each "document"

[assessment]
expand_realis = false           # give a response with the wrong realis a copy with the right one, as in 2014 and 2015

[scoring]
beta = 0.25                     # what a false positive costs
lambda = 0.5                    # the weight of the argument score in the overall score
bootstrap = 1000                # corpora that are drawn for ranking and intervals; 0 does without
# seed = 13                     # of these draws; without it that of the profile
by = []                         # also score by "type", "role", "genre"
genres = ""                     # a file with document id, TAB, genre on each line; without it ids tell by their prefix

[diagnostics]                   # more scores, in scores/diagnostics
genre = false                   # each genre by itself
macro = false                   # the mean of documents instead of the sum of their counts
collapsed = false               # Contact, Movement and Transaction as one type each, and no Manufacture
neutral = []                    # "realis" does not matter; "coref": neither realis nor which string of the filler

[output]
report = false                  # scores/report.html: the ranking, and the outcome of every response
graphs = false                  # scores/graphs: how scores and ranks depend on beta, lambda and the draws
"""


class CampaignSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `campaign.toml` says; see the comments in `TEMPLATE`."""

    profile: str = "spec"
    ontology: str = "2015"
    documents: str | tuple[str, ...] = ()
    runs_per_team: int = 5
    teams: dict[str, tuple[str, ...]] = {}
    missing: Literal["error", "empty"] = "error"
    severity: dict[str, Severity] = {}
    expand_justifications: bool = False
    quotes: bool = True
    trim: bool = True
    nested: bool = False
    top: int = 0
    top_per: Literal["submission", "document"] = "submission"
    expand_realis: bool = False
    beta: float = 0.25
    lambda_: float = 0.5
    bootstrap: int = 1000
    seed: int | None = None
    by: tuple[str, ...] = ()
    genres: str = ""
    genre: bool = False
    macro: bool = False
    collapsed: bool = False
    neutral: tuple[Literal["realis", "coref"], ...] = ()
    report: bool = False
    graphs: bool = False
    decisions: dict[str, str] = {}

    def rules(self) -> Profile:
        """The profile with the decisions of the campaign."""
        return decide(self.profile, self.decisions)

    def convention(self) -> str:
        """The profile and the decisions as canonical text."""
        return self.profile if not self.decisions else f"{self.profile} {settings_record(self.decisions)}"

    def filters(self) -> dict[str, Any]:
        """The settings that decide what the filters keep of a submission."""
        names = ("expand_justifications", "quotes", "trim", "nested", "top", "top_per")
        return {name: getattr(self, name) for name in names}

    def scoring(self) -> dict[str, Any]:
        """The settings that decide scores."""
        names = ("beta", "lambda_", "bootstrap", "seed", "by", "genres", *(["teams"] if self.teams else []))
        return {name: getattr(self, name) for name in names}

    def diagnostics(self) -> dict[str, Any]:
        """The settings that request more scores; empty if none does."""
        chosen = {name: getattr(self, name) for name in ("genre", "macro", "collapsed", "neutral")}
        return chosen if any(chosen.values()) else {}


Check: TypeAlias = "Callable[[Any], str | None]"


class _Setting(NamedTuple):
    """A setting: its types, their description, and further constraints."""

    types: tuple[type, ...]
    wanted: str
    check: Check | None = None


def _one_of(*known: str) -> Check:
    def check(value: str) -> str | None:
        return None if value in known else did_you_mean(value, known) or f"choose one of {', '.join(known)}"

    return check


def _from(*known: str) -> Check:
    return lambda value: f"choose from {', '.join(known)}" if any(each not in known for each in value) else None


def _ids(value: str | list[Any]) -> str | None:
    wrong = isinstance(value, list) and not all(isinstance(each, str) and each.strip() for each in value)
    return "write ids in quotes" if wrong else None


_LARGEST = 1e300  # what a float holds


def _between(low: float, high: float, remedy: str) -> Check:
    return lambda value: None if low <= value <= high and value <= _LARGEST else remedy


_SWITCH = _Setting((bool,), "write true or false")
_WHOLE = _Setting((int,), "write a whole number from 0", _between(0, 2**31 - 1, "write a whole number from 0"))
_LEVELS = ", ".join(f'"{each}"' for each in SEVERITIES)
_TABLES: dict[str, dict[str, _Setting]] = {
    "": {
        "profile": _Setting((str,), "write the name of a profile in quotes", _one_of(*PROFILES)),
        "ontology": _Setting((str,), f"write {', '.join(YEARS)} or the name of a file, in quotes"),
        "documents": _Setting((str, list), 'write a list such as ["DOC1", "DOC2"], or the name of a file', _ids),
        "runs_per_team": _Setting(
            (int,), "write a whole number from 1", _between(1, 1000, "write a number from 1 to 1000")
        ),
        "missing": _Setting((str,), 'write "error" or "empty"', _one_of("error", "empty")),
    },
    "severity": dict.fromkeys(KINDS, _Setting((str,), f"write {_LEVELS}", _one_of(*SEVERITIES))),
    "filters": {
        "expand_justifications": _SWITCH,
        "quotes": _SWITCH,
        "trim": _SWITCH,
        "nested": _SWITCH,
        "top": _WHOLE,
        "top_per": _Setting((str,), 'write "submission" or "document"', _one_of("submission", "document")),
    },
    "assessment": {"expand_realis": _SWITCH},
    "scoring": {
        "beta": _Setting((int, float), "write a number", _between(0, math.inf, "write a number from 0, such as 0.25")),
        "lambda": _Setting((int, float), "write a number", _between(0, 1, "write a number from 0 to 1, such as 0.5")),
        "bootstrap": _WHOLE,
        "seed": _WHOLE,
        "by": _Setting((list,), 'write a list such as ["type", "genre"]', _from(*BY)),
        "genres": _Setting((str,), "write the name of a file in quotes"),
    },
    "diagnostics": {
        "genre": _SWITCH,
        "macro": _SWITCH,
        "collapsed": _SWITCH,
        "neutral": _Setting((list,), 'write a list such as ["realis", "coref"]', _from("realis", "coref")),
    },
    "output": {"report": _SWITCH, "graphs": _SWITCH},
}
_DECISIONS = "decisions"
_TEAMS = "teams"


def read_settings(folder: Path) -> CampaignSettings:
    """The settings of the campaign in a folder; all errors are raised at once."""
    path = folder / FILE
    with refusing("cannot be read", path, "name the folder of a campaign"):
        try:
            data = file_bytes(path)
        except FileNotFoundError:
            message, hint = f"there is no campaign here: no file {FILE}", f"adjudge eal campaign init {folder}"
            raise UsageError(Problem(message, path=str(folder), hint=f"make one with: {hint}")) from None
    return parse_settings(data, str(path))


def parse_settings(data: bytes, place: str = FILE) -> CampaignSettings:
    """Settings from the bytes of a file.

    >>> parse_settings(TEMPLATE.encode()) == CampaignSettings()
    True
    >>> parse_settings(b"[scoring]\\nlambda = 2")
    Traceback (most recent call last):
    adjudge.errors.FormatError: campaign.toml:2: lambda is 2, write a number from 0 to 1, such as 0.5
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(not_utf8(error, place)) from None
    content = parse_toml(text, place)
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    decisions = content.pop(_DECISIONS, {})
    values[_DECISIONS] = _decisions(decisions, str(content.get("profile", "spec")), text, place, problems)
    teams = content.pop(_TEAMS, {})
    values[_TEAMS] = _teams(teams, content.get("runs_per_team", 5), text, place, problems)
    for name, value in content.items():
        if name in _TABLES and isinstance(value, dict):
            for inner, each in value.items():
                _take(values, name, inner, each, text, place, problems)
        else:
            _take(values, "", name, value, text, place, problems)
    if problems:
        raise FormatError(sorted(problems, key=lambda problem: problem.line or 0))
    return CampaignSettings(**values)


def _decisions(given: Any, profile: str, text: str, place: str, problems: list[Problem]) -> dict[str, str]:
    """Decisions as words, each of which the profile must know."""
    if not isinstance(given, dict):
        hint = 'write {unlinked = "singleton"} and the like'
        problems.append(Problem(f"{_DECISIONS} is {_shown(given)}", path=place, line=1, hint=hint))
        return {}
    chosen: dict[str, str] = {}
    for name, value in given.items():
        word = ",".join(map(str, value)) if isinstance(value, list) else _shown(value).strip("'")
        try:
            decide(profile if profile in PROFILES else "spec", {name: word})
            chosen[name] = word
        except UsageError as error:
            line = _line(text, _DECISIONS, name)
            problems += [Problem(each.message, path=place, line=line, hint=each.hint) for each in error.problems]
    return chosen


def _teams(given: Any, most: Any, text: str, place: str, problems: list[Problem]) -> dict[str, tuple[str, ...]]:
    """The runs of each team in its declared order; a run has one team, and the number of runs is limited."""
    if not isinstance(given, dict):
        hint = 'write [teams] and below it acme = ["acme-1", "acme-2"]'
        problems.append(Problem(f"{_TEAMS} is {_shown(given)}", path=place, line=1, hint=hint))
        return {}
    whose: dict[str, str] = {}
    for team, runs in given.items():
        line = _line(text, _TEAMS, team)
        if not isinstance(runs, list) or not runs or not all(isinstance(run, str) and run for run in runs):
            hint = 'write the names of its submissions, such as ["acme-1", "acme-2"]'
            problems.append(Problem(f"{team} is {_shown(runs)}", path=place, line=line, hint=hint))
            continue
        if isinstance(most, int) and len(runs) > most:
            hint = "take some out, or change runs_per_team"
            problems.append(Problem(f"{team} has {len(runs)} runs, at most {most}", path=place, line=line, hint=hint))
        for run in runs:
            if run in whose:
                hint = "a run belongs to one team, and is named once"
                problems.append(Problem(f"{run} is a run of {whose[run]}, too", path=place, line=line, hint=hint))
            whose.setdefault(run, team)
    return {team: tuple(runs) for team, runs in given.items() if isinstance(runs, list)}


def _take(
    values: dict[str, Any], table: str, name: str, value: Any, text: str, place: str, problems: list[Problem]
) -> None:
    def complain(message: str, hint: str) -> None:
        problems.append(Problem(message, path=place, line=_line(text, table, name), hint=hint))

    setting = _TABLES[table].get(name)
    if setting is None:
        complain(f"there is no setting {name}" + (f" in [{table}]" if table else ""), _elsewhere(table, name))
    elif not isinstance(value, setting.types) or (isinstance(value, bool) and bool not in setting.types):
        complain(f"{name} is {_shown(value)}", setting.wanted)
    else:
        hint = setting.check(value) if setting.check is not None else None
        if hint is not None:
            complain(f"{name} is {_shown(value)}", hint)
        elif table == "severity":
            values.setdefault(table, {})[name] = value
        elif isinstance(value, list):
            values[name] = tuple(value)
        else:
            values["lambda_" if name == "lambda" else name] = value


def _elsewhere(table: str, name: str) -> str:
    for other, settings in _TABLES.items():
        if name in settings and other != "severity":
            return f"it belongs in [{other}]" if other else "it belongs at the top, before the first [...]"
    known = [*_TABLES[table], *filter(None, _TABLES), _DECISIONS] if not table else list(_TABLES[table])
    if not table and name in _TABLES:
        return f"write [{name}] and its settings below"
    if table == "severity":
        close = did_you_mean(name, known)
        return f"{close} Kinds are {', '.join(known)}" if close else f"kinds are {', '.join(known)}"
    return did_you_mean(name, known) or f"there are {', '.join(known)}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, str) else str(value)


def _line(text: str, table: str, name: str) -> int:
    """The line of a setting, which tomllib does not report."""
    current = ""
    pattern = re.compile(rf"\s*[\"']?{re.escape(name)}[\"']?\s*[=.]")
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line)
        if header:
            current = header[1].strip("\"'")
            if not table and current.partition(".")[0] == name:
                return number
        elif current == table and pattern.match(line):
            return number
    return find_name(text, table, name)[0]  # written in another form, such as scoring = {seed = 1}


def settings_record(settings: Mapping[str, Any]) -> str:
    """Settings as canonical text."""
    return msgspec.json.encode(dict(sorted(settings.items()))).decode()


FOLDERS = ("sources", "submissions", "pool", "assessments", "frames", "scores")

Fill: TypeAlias = "Callable[[Path], Sequence[Path]]"


def init_campaign(folder: str | Path, *, fill: Fill | None = None) -> list[Path]:
    """Create a campaign, and return what was made; existing files are not changed.

    `fill` puts something into it, and gives what. The settings come last: without them there is no campaign, and what
    was made before is made again.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     made = init_campaign(Path(place) / "new")
    >>> [path.name for path in made]
    ['campaign.toml', 'sources', 'submissions', 'pool', 'assessments', 'frames', 'scores']
    """
    shown, folder = str(folder), Path(folder)
    with refusing("cannot be made", shown, temporary.advice):
        _refuse_second(folder, shown)
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside the folder, or in it, because it may be a disk of its own or that in which somebody stands.
        place = folder / FILE if folder.is_dir() else Path(os.path.realpath(folder))
        with temporary.guarded(place, wait=True):
            temporary.sweep(place)
            _refuse_second(folder, shown)  # another process may have made one in the meantime
            name, handle = temporary.make_folder(place)
            stage = Path(name)
            try:
                for room in FOLDERS:
                    (stage / room).mkdir()
                filled = [] if fill is None else [path.relative_to(stage) for path in fill(stage)]
                write_atomically(stage / FILE, TEMPLATE.encode(), sweep=False)
                _move_in(stage, folder, shown)
            finally:
                temporary.remove(name)
                if handle is not None:
                    os.close(handle)
    return [folder / FILE, *(folder / name for name in FOLDERS), *(folder / each for each in filled)]


def _refuse_second(folder: Path, shown: str) -> None:
    if (folder / FILE).exists():
        hint = f"continue it with: adjudge eal campaign run {shown}"
        raise UsageError(Problem("there is a campaign already", path=shown, hint=hint))


def _move_in(stage: Path, folder: Path, shown: str) -> None:
    if not folder.is_dir():
        stage.rename(folder)
        return
    there = {each.name for each in folder.iterdir() if not is_junk(each.name)}
    # What a killed process made is exactly what is made now.
    if any(not (stage / name).exists() or digest_of(stage / name) != digest_of(folder / name) for name in there):
        hint = "choose a new folder, or an empty one"
        raise UsageError(Problem("the folder is not empty", path=shown, hint=hint))
    for each in sorted(stage.iterdir(), key=lambda path: path.name == FILE):
        if each.name not in there:
            each.rename(folder / each.name)
