"""`adjudge doctor` and `adjudge GOLD SYSTEM...`: what files are, what looks wrong with them, and what to type next."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from adjudge.cli.findings import findings_record
from adjudge.cli.options import command, flag, format_option, named, output_option
from adjudge.cli.output import check_targets, emit, emit_json, say
from adjudge.errors import visible
from adjudge.findings import counted, finding_lines

if TYPE_CHECKING:
    from adjudge.tasks.contents import Contents
    from adjudge.tasks.fitting import Diagnosis
    from adjudge.tasks.guess import Together


_LABELS = 8  # labels listed per kind of items
_NAMES = 3
_NOTES = 12
_GUESSES = 3
_LABEL, _WIDE = 12, 32  # the column of labels, and its maximum width
_NAME = 72  # the longest format name used for aligning the others
_SEVERAL = "this may also be "
_LACKS = {"relation": "no relations", "linking": "no ids"}


@command(
    "doctor",
    click.Argument(["files"], metavar="FILE...", nargs=-1, required=True),
    flag("--full", "Read large files to their ends, not only the first megabyte."),
    format_option("text", "json"),
    output_option,
    examples=["adjudge doctor gold.jsonl system.jsonl"],
)
def doctor(files: tuple[str, ...], **options: Any) -> int:
    """Report what a file or folder is, what looks wrong with it, which commands can read it, and what to run next.

    FILE can be annotation, system output, a saved result, a metric specification or a folder; - is standard input. For
    several files it also reports how they fit together, and which one looks like gold. The exit code is 1 if none of
    them is in a known format.
    """
    from adjudge.tasks.doctor import examine
    from adjudge.tasks.guess import next_command, together

    check_targets(options, inputs=files)
    found = [examine(name, full=options["full"]) for name in dict.fromkeys(files)]
    joint = together(found)
    line = next_command(found)
    if options["format_"] == "json":
        record = findings_record("doctor", [each.findings for each in found])
        record["files"] = [_record(each) for each in found]
        record |= {"together": None if joint is None else _joint_record(found, joint), "next": line or None}
        emit_json(record, options["output"])
    else:
        emit("".join(f"{visible(text)}\n" for text in _page(found, joint, line)), options["output"])
    return int(not any(each.fits for each in found))


class _Block(NamedTuple):
    """A label and its lines; `right` is shown in a column of its own."""

    label: str
    lines: Sequence[str]
    right: str = ""


def _page(found: Sequence[Diagnosis], joint: Together | None, line: str) -> Iterator[str]:
    """The whole report, with labels in a column of their own."""
    blocks: list[_Block] = []
    fit = joint is not None and bool(joint.guesses)
    for each in found:
        blocks.append(_file(each, joint if fit else None))
        if not fit and each.fits:
            blocks += _advice(each, line if len(found) == 1 else "")
    if joint is not None and fit:
        blocks.append(_Block("together", list(_joint_lines(found, joint))))
        blocks.append(_Block("good for", [_fitting(joint, found)]))
        blocks.append(_Block("next", [line]))
    elif joint is not None:
        blocks.append(_Block("together", ["no command takes all of them"]))
    elif line.startswith("adjudge estimate "):
        blocks.append(_Block("together", [line]))
    width = max(_LABEL, *(len(each.label) + 2 for each in blocks if len(each.label) + 2 <= _WIDE), 0)
    names = max((len(each.lines[0]) for each in blocks if each.right and len(each.lines[0]) <= _NAME), default=0)
    for label, lines, right in blocks:
        first = f"{lines[0]:{names}}    {right}" if right else lines[0]
        if len(label) + 2 > width:
            yield label
            label = ""
        yield f"{label:{width}}{first}"
        yield from (f"{'':{width}}{text}" for text in lines[1:])


def _file(found: Diagnosis, joint: Together | None) -> _Block:
    """The report on one file."""
    odd = [each for each in finding_lines(found.findings) if not (found.readings and _SEVERAL in each)]
    contents = found.contents
    if found.format is None or contents is None:
        guesses = [f"not {format.name}: {problem}" for format, problem in found.failed[:_GUESSES]]
        looks = f", it looks like {found.looks}" if found.looks else ""
        return _Block(found.path, [f"not recognised{looks}", *guesses, *odd])
    packed = f", compressed with {found.compression}" if found.compression else ""
    files = f" of {counted(found.files, 'file')}" if found.files else ""
    folder = f"a folder{files}: " if found.folder else ""
    lines = [f"{folder}{found.told or found.format.name}{packed}"]
    if found.seen is not None:
        lines.append(f"of the first {found.seen} bytes only (--full reads all)")
    lines += [f"{kind}: {text}" for kind, labels in contents.items.items() if (text := _labels(labels))]
    if found.unit or found.ends:
        ends = f", ends {found.ends}{_proof(found)}" if found.ends else ""
        lines.append(f"offsets are {found.unit or 'numbers'}{ends}")
    if len(found.readings) > 1:
        lines.append(f"{'two' if len(found.readings) == 2 else 'several'} readings: {' or '.join(found.readings)}")
    shifts = joint.shifts.get(found.path, []) if joint is not None else []
    notes = [note.removeprefix("gold: ") for note in contents.notes[:_NOTES]]
    lines += [*shifts, *(f"note: {note}" for note in notes if not (shifts and note.startswith("ends were taken")))]
    return _Block(found.path, [*lines, *odd], "" if found.folder and not found.uses else _numbers(contents))


def _numbers(contents: Contents) -> str:
    """How many documents and items there are, and of how many types."""
    numbers = [(len(contents.documents), "document"), (contents.sentences, "sentence"), (contents.tokens, "token")]
    said = [counted(number, what) for number, what in numbers if number]
    for kind, labels in contents.items.items():
        types = sum(bool(label) for label in labels)
        one = f"{kind[:-3]}y" if kind.endswith("ies") else kind.removesuffix("s")
        own = f"{labels.total()} {one if labels.total() == 1 else kind}"
        said.append(f"{own} of {counted(types, 'type')}" if types else own)
    return ", ".join(said)


def _proof(found: Diagnosis) -> str:
    """How many spans cover whole words, if there are texts."""
    from adjudge.tasks.contents import whole_words

    if found.contents is None or found.unit == "tokens":
        return ""
    covered, spans = whole_words(found.contents, found.ends)
    return f" ({'proved: ' * (covered == spans)}{covered} of {spans} cover whole words)" if spans else ""


def _advice(found: Diagnosis, line: str) -> Iterator[_Block]:
    """The uses of one file and the next command, if it is not scored with the others."""
    from adjudge.tasks.guess import HELPS, command, next_command, two_columns

    kind = "" if found.format is None else found.format.kind
    if len(found.readings) > 1:
        first = found.uses[0]  # the first reading is that of both columns
        yield _Block("next", [command([first.task, "score", found.path, found.path, "--reader", "bio-both"])])
        return
    if not (kind == "record-table" and two_columns(found)):
        uses = dict.fromkeys((use.task, use.scored) for use in found.uses)
        said = [_named_use(task, metrics) for task, metrics in uses]
        said += [f"{option} of adjudge {name}" for name, option in HELPS.get(kind, ())]
        if said:
            yield _Block("good for", [", ".join(said) + _not_for({task for task, _ in uses})])
    text = line or next_command([found])
    if kind == "jsonl" and not found.uses and not text:
        yield _Block("missing", ["items in a form that a metric compares, in the same field of all documents"])
        text = command(["metrics"])
    if text:
        yield _Block("next", [text])


def _named_use(task: str, metrics: Sequence[str]) -> str:
    """A task and its metrics, without its name before them.

    >>> _named_use("ner", ()), _named_use("coref", ())
    ('ner (strict, exact, type, partial)', 'coref')
    """
    from adjudge.tasks.family import families, find_family

    names = metrics or (find_family(task).metrics if task in families() else ())
    shown = ", ".join(each.removeprefix(f"{task}.") for each in names)
    return f"{task} ({shown})" if shown else task


def _not_for(tasks: Collection[str]) -> str:
    """Tasks that users may expect but that files of entities cannot be used for, and why."""
    lacks = [f"{task} ({why})" for task, why in _LACKS.items() if "ner" in tasks and task not in tasks]
    return f"    not for: {', '.join(lacks)}" if lacks else ""


def _fitting(joint: Together, found: Sequence[Diagnosis]) -> str:
    named = {each.task: each.metrics for each in joint.guesses if each.task}
    own = {use.task for each in found for use in each.uses}
    return ", ".join(_named_use(task, metrics) for task, metrics in named.items()) + _not_for({*named, *own})


def _ids(names: Sequence[str]) -> str:
    return f" ({', '.join(names[:_NAMES])}{', ...' * (len(names) > _NAMES)})" if names else ""


def _labels(labels: Counter[str]) -> str:
    named = [f"{label} {count}" for label, count in labels.most_common(_LABELS) if label]
    more = sum(bool(label) for label in labels) - len(named)
    return f"{', '.join(named)}{f', {more} more' * (more > 0)}" if named else ""


def _good_for(found: Diagnosis) -> Iterator[tuple[str, str]]:
    """Tasks and what scores such files; GOLD and SYSTEM stand for the other side."""
    from adjudge.tasks.guess import HELPS, Guess, command

    side = "" if found.format is None else found.format.side
    for use in found.uses:
        guess = Guess(use.task, use.reader, use.reader, use.metrics)
        sides = ("GOLD", found.path) if side == "system" else (found.path, "SYSTEM")
        yield use.task, command(guess.arguments(*sides))
    for name, option in HELPS.get("" if found.format is None else found.format.kind, ()):
        yield name.partition(" ")[0], f"{option} of adjudge {name}"


def _record(found: Diagnosis) -> dict[str, Any]:
    contents = found.contents
    record: dict[str, Any] = {
        "path": found.path,
        "recognised": bool(found.fits),
        "format": None if found.format is None else found.format.kind,
        "name": None if found.format is None else found.told or found.format.name,
        "looks_like": found.looks or None,
        "compression": found.compression or None,
        "encoding": found.encoding or None,
        "folder": found.folder,
        "looked_at": found.seen,
    }
    if contents is not None and found.format is not None:
        record |= {
            "documents": len(contents.documents),
            "ids": contents.documents[:_NAMES],
            "sentences": contents.sentences or None,
            "tokens": contents.tokens or None,
            "items": {kind: dict(labels.most_common()) for kind, labels in contents.items.items()},
            "texts": contents.texts,
            "offsets": found.unit or None,
            "ends": found.ends or None,
            "side": found.format.side or None,
            "also": [each.kind for each, _, _ in found.fits[1:]],
            "notes": contents.notes,
        }
    return {
        **record,
        "good_for": [{"task": task, "command": line} for task, line in _good_for(found)],
        "guesses": [{"format": each.kind, "problem": str(problem)} for each, problem in found.failed[:_GUESSES]],
    }


def _joint_lines(found: Sequence[Diagnosis], joint: Together) -> Iterator[str]:
    from adjudge.tasks.guess import renamed_labels

    gold = found[joint.gold]
    others = {each.path: each for each in found if each.path in joint.common}
    if joint.gold:
        yield f"{gold.path} looks like gold"
    for path, common in joint.common.items():
        missing, unknown, labels = joint.missing[path], joint.unknown[path], joint.labels[path]
        text = f"{common} of {common + len(unknown)} ids are in gold"
        text += f", not {_ids(unknown)[2:-1]}" if unknown else ""
        are = "is" if len(missing) == 1 else "are"
        text += f"; {counted(len(missing), 'gold document')} {are} missing{_ids(missing)}" if missing else ""
        yield f"{path}: {text}" if len(others) > 1 else text
        if gold.unit and others[path].unit and gold.unit != others[path].unit:
            yield f"{path} counts {others[path].unit}, gold counts {gold.unit}: give both in one unit"
        if labels:
            usual = renamed_labels(gold, others[path])
            shown = [f"{each} (gold has {usual[each]})" if each in usual else each for each in labels[:_LABELS]]
            yield f"types only in {path}: {', '.join(shown)}{', ...' * (len(labels) > _LABELS)}"


def _joint_record(found: Sequence[Diagnosis], joint: Together) -> dict[str, Any]:
    return {
        "gold": found[joint.gold].path,
        "tasks": [each.task for each in joint.guesses if each.task],
        "files": [
            {
                "path": path,
                "common": common,
                "missing": joint.missing[path],
                "unknown": joint.unknown[path],
                "labels": joint.labels[path],
                "shifts": joint.shifts[path],
            }
            for path, common in joint.common.items()
        ],
    }


# ---------------------------------------------------------------------------------------------------------------------
def guessed(arguments: list[str]) -> list[str]:
    """The full command for files and options given without one; it is reported on standard error."""
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
