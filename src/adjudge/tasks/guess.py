"""How files fit together: the task, which of them looks like gold, and the command to type next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.errors import AdjudgeError, FormatError, Problem
from adjudge.evaluate.results import offset_notes, spans_in
from adjudge.formats.companions import MEMORY, folder_kind
from adjudge.formats.source import Source, source_name
from adjudge.tasks.doctor import FILES_ONLY, examine
from adjudge.tasks.family import JSONL, families, find_family, find_reader
from adjudge.tasks.fitting import Diagnosis
from adjudge.tasks.readers import GUESS, chosen

_GOLD = ("gold", "key", "ref", "truth", "assess", "test", "dev")
_NEXT: Mapping[str, str] = {
    # What to do with one file of a kind that is not scored as it is, or not on its own; FOLDER is that of the file.
    "brat": "nugget convert --to tbf FILE",
    "nugget-xml": "nugget convert --from ere --to tbf FILE",
    "result": "compare FILE",
    "spec": "metrics FILE",
    "eal-key": "eal assessment check FILE",
    "eal-campaign": "eal campaign run FILE --dry-run",
    "eal-settings": "eal campaign run FOLDER --dry-run",
    "eal-state": "eal campaign run FOLDER --dry-run",
    "eal-lock": "eal assessment check --help",
    "kb-judged": "kbp judged FILE",
    "sample-pool": "sample FILE --size SIZE",
    "estimate": "plan FILE --difference 1.0",
    "item-estimate": "plan FILE --half-width 5",
    "serve-folder": "serve verify FILE",
    "serve-settings": "serve verify FOLDER",
    "serve-store": "serve verify FOLDER",
    "serve-schema": "serve schema FILE",
    "metric-list": "metrics",
    "plan": "plan --help",
    "selection": "select --help",
    "agreement": "agree --help",
    "findings": "doctor --help",
    "explanation": "report --help",
    "kb-explanation": "kbp report --help",
    "proposal-tables": "eal proposal-tables",
    "nugget-comparison": "nugget report --help",
    "eal-provenance": "eal sample --help",
    "eal-report": "eal filter-quotes --help",
    "scores": "compare --help",
    "page": "report --help",
    "graph": "eal graphs --help",
    "similarity": "metrics --help",
    "serve-backup": "serve restore --help",
    "serve-board": "serve board --help",
    "serve-program": "serve program --help",
}
HELPS: Mapping[str, tuple[tuple[str, str], ...]] = {
    # Files that accompany others: the commands that take them, and the option or argument.
    "tokens": (("nugget score", "--tokens"),),
    "links": (("kbp score", "--wiki"),),
    "kb-queries": (("kbp query", "QUERIES"),),
    "kb-answers": (("kbp query", "ANSWERS"),),
    "kb-assessments": (("kbp query", "--assessments"), ("kbp pooling-bias", "--assessments")),
    "kb-aliases": (("kbp score", "--names alias="),),
    "kg-ontology": (("kbp validate", "--ontology"), ("kbp score", "--ontology")),
    "wikievents-clusters": (("event score", "--clusters"),),
    "docred-facts": (("relation score", "--known"),),
    "eal-linking": (("eal score", "--frames"), ("eal frames read", "LINKING")),
    "eal-ontology": (("eal validate", "--ontology"),),
    "eal-quotes": (("eal filter-quotes", "--quotes"), ("eal score", "--quotes")),
    "eal-arguments": (("eal validate", "SUBMISSION"),),
    "list": (
        ("eal score", "--docs"),
        ("nugget validate", "--types"),
        ("kbp score", "--stop"),
        ("ner score", "--labels"),
    ),
    "genres": (("eal score", "--genre-list"),),
    "text-paths": (("eal validate", "--texts"), ("eal score", "--texts"), ("eal filter-quotes", "--texts")),
    "relation-names": (("kbp score", "--gold-relations"), ("kbp score", "--system-relations")),
    "redirects": (("kbp score", "--redirects"), ("kbp score", "--names alias=")),
    "pairs": (("eal score", "--genre-list"), ("kbp score", "--redirects"), ("kbp score", "--gold-relations")),
    "sizes": (("nugget validate", "--sizes"), ("template score", "--docids")),
    "hierarchy": (("event score", "--hierarchy"), ("ner score", "--hierarchy")),
    "texts": (("eal validate", "--texts"), ("nugget tokenize", "--texts"), ("kbp validate", "--texts")),
    "muc4-slots": (("template score", "--slots"),),
    "muc4-history": (("template score", "--history"),),
    "gen-arg": (("event score", "--templates"),),
    "multiplicities": (("event score", "--constrained"),),
    "record-schema": (("record score", "--schema"),),
    "json-schema": (("record score", "--schema"),),
    "marked-text": (("coref score", "RESPONSE"),),
    "design": (("estimate", "--design"), ("eal estimate", "--design"), ("score", "--docs")),
    "labels": (("estimate", "LABELS"), ("judge", "LABELS"), ("sample", "--labels")),
    "judge": (("estimate", "--judge"), ("judge", "--judge")),
    "exhaustive": (("estimate", "--exhaustive"),),
    "serve-export": (("serve verify", "--heads"),),
    "serve-events": (("serve verify", "FOLDER"),),
    "serve-training": (("serve init", "--training"), ("serve import", "--training")),
}


_SMALL = 20  # items of a pool, of which a tenth would be too few
_STDIN = source_name("-")


class Guess(NamedTuple):
    """A task, the readers of both sides (empty where the task detects the format), and the metrics if not the usual.

    Where several families fit, the task is empty, and the metrics are those of all of them.
    """

    task: str
    reader: str = ""
    system_reader: str = ""
    metrics: tuple[str, ...] = ()

    def arguments(self, *files: str) -> list[str]:
        """The command for gold and systems, without `adjudge`."""
        if not self.task:
            return ["score", ",".join(self.metrics), *files, *self.options()]
        return [self.task, *files] if self.task == "compare" else [self.task, "score", *files, *self.options()]

    def options(self) -> list[str]:
        """How the files are read, where it is not the usual way."""
        default = find_family(self.task).default if self.task in families() else "" if self.task else JSONL
        words = ["--metric", ",".join(self.metrics)] if self.task and self.metrics else []
        words += ["--reader", self.reader] if self.reader != default else []
        return words + (["--system-reader", self.system_reader] if self.system_reader != self.reader else [])


def guess(*paths: Source) -> Guess:
    r"""The task for which gold (the first) and systems fit together, and how they are read.

    >>> guess(b"EU B-ORG\nsaid O\n", b"EU B-PER\nsaid O\n")
    Guess(task='ner', reader='bio', system_reader='bio', metrics=())
    """
    found = [examine(each) for each in paths]
    if guesses := fitting(found):
        return guesses[0]
    unread = [each for each in found if not each.uses]
    problems = [_unread(each) for each in unread] or [
        Problem(
            "these are files of different tasks: " + ", ".join(f"{each.path} is {_told(each)}" for each in found),
            path=found[-1].path,
        )
    ]
    raise FormatError(problems)


def fitting(found: Sequence[Diagnosis]) -> list[Guess]:
    """The tasks for which gold (the first) and systems fit together, readers common to all files first.

    If several families fit, their combination comes first.
    """
    if all(each.format is not None and each.format.kind == "result" for each in found):
        return [Guess("compare")]
    guesses: list[Guess] = []
    gold, *systems = found
    for use in gold.uses:
        others = [[each for each in own.uses if each.task == use.task] for own in systems]
        if not all(others) or not _is_pair(use.task, found):
            continue
        same = all(any(each.reader == use.reader for each in own) for own in others)
        readers = {own[0].reader for own in others}
        if same or len(readers) == 1:
            other = use.reader if same or not others else others[0][0].reader
            guesses.append(Guess(use.task, use.reader, other, use.metrics))
    best = [each for each in guesses if each.reader == each.system_reader]
    best = list({each.task: each for each in reversed(best + guesses)}.values())[::-1]
    if len(best) > 1 and all(each.task in families() and not each.metrics for each in best):
        metrics = tuple(metric for each in best for metric in find_family(each.task).metrics)
        best.insert(0, Guess("", best[0].reader, best[0].system_reader, metrics))
    return best


def _is_pair(task: str, found: Sequence[Diagnosis]) -> bool:
    """Whether files form a pair: event arguments go with assessments, and a file with both sides goes with itself."""
    kinds = ["" if each.format is None else each.format.kind for each in found]
    if task == "eal":
        return len(kinds) == 1 or (kinds[0] == "eal-key" and set(kinds[1:]) == {"eal"})
    return True


def _unread(found: Diagnosis) -> Problem:
    if found.failed:
        return found.failed[0][1]
    if found.format is None and (errors := found.findings.problems()):
        return errors[0]
    hint = f"adjudge doctor {shlex.quote(found.path)} says more"
    return Problem(f"this is {_told(found)}, which is not scored", path=found.path, hint=hint)


def _told(found: Diagnosis) -> str:
    return found.format.name if found.format is not None else found.looks or "nothing that is known"


def command(words: Sequence[str]) -> str:
    """A line for the shell.

    >>> command(["ner", "score", "my gold.bio"])
    "adjudge ner score 'my gold.bio'"
    """
    return shlex.join(["adjudge", *("-" if word == _STDIN else word for word in words)])


def gold_of(found: Sequence[Diagnosis]) -> int:
    """The file that looks most like gold, by its format, its name, its documents, and the lack of confidences."""

    def likely(each: Diagnosis) -> float:
        side = "" if each.format is None else each.format.side
        contents = each.contents
        named = any(part in Path(each.path).name.lower() for part in _GOLD)
        documents = len(contents.documents) if contents else 0
        scored = contents is not None and contents.scored
        return 4 * ((side == "gold") - (side == "system")) + 3 * named - 2 * scored + documents / (1 + documents) / 9

    return max(range(len(found)), key=lambda number: (likely(found[number]), -number))


def next_command(found: Sequence[Diagnosis]) -> str:
    """The next command to type; empty if no command applies to the files."""
    known = [each for each in found if each.fits]
    if not known or any(each.path == _STDIN and each.format and each.format.kind in FILES_ONLY for each in known):
        return ""
    if len(known) > 1:
        if words := _estimation(known):
            return command(words)
        scored = [each for each in known if each.uses] or known
        first = gold_of(scored)
        ordered = [scored[first], *(each for number, each in enumerate(scored) if number != first)]
        if len(ordered) > 1 and (guesses := fitting(ordered)):
            best, paths = guesses[0], [each.path for each in ordered]
            words = _unguessed(best, paths).arguments(*paths)
            profile = ["--profile", "corefud"] if all(map(_is_corefud, ordered)) and words[0] == "coref" else []
            return command([*words, *profile, *_options(best.task, known), *_conventions(best, ordered)])
    return _single(known[0])


def _unguessed(guess: Guess, paths: Sequence[str]) -> Guess:
    """The guess without the readers that its command finds by itself."""
    if guess.task not in families() or "-" in paths:
        return guess
    default = find_family(guess.task).default
    try:
        ours, theirs = chosen(guess.task, paths[0], paths[1:], (GUESS, None), default).readers
    except AdjudgeError:
        return guess
    same = (ours, theirs or ours) == (guess.reader, guess.system_reader)
    return guess._replace(reader=default, system_reader=default) if same else guess


_EXPECTED = ("expected", "gold", "target", "reference", "truth")
_ANSWERS = ("answer", "output", "prediction", "response", "completion", "system")


def two_columns(found: Diagnosis) -> list[str]:
    """The columns of a table that look like gold and answers, as options."""
    records = [each for data in (found.contents.data if found.contents else ()) for each in data.get("records", ())]
    names = list(dict.fromkeys(name for each in records for name in each))
    both = [next((name for name in names if name.lower() in known), None) for known in (_EXPECTED, _ANSWERS)]
    if None in both:
        return []
    return ["--gold-column", str(both[0]), "--system-column", str(both[1])]


def _conventions(guess: Guess, ordered: Sequence[Diagnosis]) -> list[str]:
    """The options that make files fit: the other kind of ends, and renamed labels."""
    gold, system = ordered[0], ordered[1]
    if guess.task not in ("ner", "relation", "event") or len(ordered) != 2:
        return []
    words = ["--system-ends", "inclusive"] if guess.system_reader == JSONL and _one_short(gold, system) else []
    for label, usual in renamed_labels(gold, system).items():
        words += ["--map", f"{label}={usual}"]
    return words


def renamed_labels(gold: Diagnosis, system: Diagnosis) -> dict[str, str]:
    """Labels that gold does not have, with the gold labels they seem to correspond to."""
    ours, theirs = (each.contents.items if each.contents else {} for each in (gold, system))
    found: dict[str, str] = {}
    for kind, labels in theirs.items():
        free = [label for label in ours.get(kind, {}) if label and label not in labels]
        for label in labels:
            alike = [each for each in free if label and _is_short(label, each)]
            if label not in ours.get(kind, {}) and len(alike) == 1:
                found[label] = alike[0]
    return found


def _is_short(one: str, other: str) -> bool:
    """Whether one label is a short form of the other, ignoring case."""
    first, second = sorted((one.casefold(), other.casefold()), key=len)
    return len(first) > 2 and second.startswith(first)


def _one_short(gold: Diagnosis, system: Diagnosis) -> str:
    """The hint if almost no span is in gold but most would be with ends one higher; else empty."""
    ours, theirs = _data_by_id(gold), _data_by_id(system)
    known = {(name, *span) for name, each in ours.items() for span in spans_in(each)}
    spans = [(name, *span) for name, each in theirs.items() for span in spans_in(each)]
    equal = sum(each in known for each in spans)
    moved = sum((name, start, end + 1) in known for name, start, end in spans)
    if not spans or equal >= 0.1 * len(spans) or moved < 0.8 * len(spans):
        return ""
    return f"ends: {equal} of {len(spans)} equal a gold span, {moved} would with ends one higher: inclusive"


def _data_by_id(found: Diagnosis) -> dict[str, Any]:
    return {each["id"]: each for each in found.contents.data} if found.contents else {}


def _options(task: str, known: Sequence[Diagnosis]) -> list[str]:
    """The files that accompany the scored ones, as options."""
    words: list[str] = []
    for each in known:
        options = dict(HELPS.get("" if each.format is None else each.format.kind, ()))
        option = options.get(f"{task} score", "")
        fits = option.startswith("--") and option[-1] != "=" and option not in _NOT_ALONE.get(task, ())
        words += [option, each.path] if fits else []
    return words


_NOT_ALONE = {
    # Options that need another one, or whose files look like those of other options.
    "ner": ("--labels", "--hierarchy"),
    "event": ("--hierarchy", "--templates", "--constrained"),
    "kbp": ("--stop", "--redirects", "--gold-relations"),
    "template": ("--docids", "--history", "--slots"),
    "eal": ("--genre-list",),
}


def _estimation(known: Sequence[Diagnosis]) -> list[str]:
    """The estimate that a design, a pool and verdicts are made for, if they are all there."""
    paths = {each.format.kind: each.path for each in known if each.format is not None}
    pool, labels = paths.get("sample-pool"), paths.get("labels")
    given = [pool, labels] if pool and labels else [paths["result"]] if "result" in paths and not pool else []
    if "design" not in paths or not given:
        return []
    more = [(option, paths[kind]) for kind, option in _OF_ESTIMATES if kind in paths]
    return ["estimate", *map(str, given), *(word for each in more for word in each)]


_OF_ESTIMATES = (("design", "--design"), ("judge", "--judge"), ("exhaustive", "--exhaustive"))


def _is_corefud(found: Diagnosis) -> bool:
    return found.format is not None and found.format.kind == "corefud"


def _single(found: Diagnosis) -> str:
    kind = "" if found.format is None else found.format.kind
    events = found.contents is not None and found.contents.items.get("events")
    if kind in HELPS:
        return command([*HELPS[kind][0][0].split(), "--help"])
    if kind == "eal-key" and not found.folder:
        return command(["eal", "score", "--help"])
    if kind in _NEXT and (events or kind != "brat"):
        words, folder = _NEXT[kind].split(), _folder_of(Path(found.path))
        if "FOLDER" in words and folder_kind(folder) is None:
            return command([*words[: words.index("FOLDER")], "--help"])
        entries = found.contents.items.get("entries") if found.contents else None
        size = "50%" if entries and entries.total() < _SMALL else "10%"
        return command([{"FILE": found.path, "FOLDER": str(folder), "SIZE": size}.get(word, word) for word in words])
    if kind == "record-table" and (columns := two_columns(found)):
        return command(["record", "score", found.path, *columns])
    if not found.uses:
        inside = found.contents.documents if found.folder and found.contents else []
        chosen = inside if kind == "folder" else inside[:1]
        return command(["doctor", *(str(Path(found.path) / name) for name in chosen)]) if chosen else ""
    use = found.uses[0]
    own = _unguessed(Guess(use.task, use.reader, use.reader, use.metrics), [found.path])
    reader = find_reader(use.reader, use.task) if use.reader else None
    side = ["--side", "system" if found.format and found.format.side == "system" else "gold"]
    return command([use.task, "validate", found.path, *own.options(), *(side if reader and reader.system else [])])


def _folder_of(path: Path) -> Path:
    """The folder that a file belongs to; what campaigns remember is in a hidden folder of theirs."""
    folder = path if path.is_dir() else path.parent
    return folder.parent if folder.name == MEMORY else folder


class Together(NamedTuple):
    """How some files fit together; `gold` is the index of the one that looks most like gold.

    By the path of each file: `missing` are gold documents it lacks, `unknown` documents only it has, `labels` those
    that gold does not have, `shifts` how its offsets seem to differ.
    """

    gold: int
    common: dict[str, int]
    missing: dict[str, list[str]]
    unknown: dict[str, list[str]]
    labels: dict[str, list[str]]
    shifts: dict[str, list[str]]
    guesses: list[Guess]


def together(found: Sequence[Diagnosis]) -> Together | None:
    """How files fit together, if there are several that could be read."""
    known = [each for each in found if each.contents is not None and each.uses]
    if len(known) < 2:
        return None
    gold = known[gold_of(known)]
    others = [each for each in known if each is not gold]
    ours = dict.fromkeys(gold.contents.documents if gold.contents else ())
    own = {each.path: dict.fromkeys(each.contents.documents) for each in others if each.contents}
    return Together(
        found.index(gold),
        {path: len(ours.keys() & theirs.keys()) for path, theirs in own.items()},
        {path: [name for name in ours if name not in theirs] for path, theirs in own.items()},
        {path: [name for name in theirs if name not in ours] for path, theirs in own.items()},
        {each.path: _new_labels(gold, each) for each in others},
        {each.path: _shifts(gold, each) for each in others},
        fitting([gold, *others]),
    )


def _new_labels(gold: Diagnosis, other: Diagnosis) -> list[str]:
    ours, theirs = (each.contents.items if each.contents else {} for each in (gold, other))
    return [label for kind, labels in theirs.items() if kind in ours for label in labels if label not in ours[kind]]


def _shifts(gold: Diagnosis, other: Diagnosis) -> list[str]:
    """Signs that offsets are counted differently than in gold."""
    if said := _one_short(gold, other):
        return [said]
    ours, theirs = _data_by_id(gold), _data_by_id(other)
    pairs = [(spans_in(ours[name]), spans_in(each)) for name, each in theirs.items() if name in ours]
    return [note.message for note in offset_notes(pairs, unit=(other.unit or "characters").removesuffix("s"))]
