"""`adjudge doctor` and `adjudge GOLD SYSTEM...`: what files are, what is odd about them, and what to type next."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.findings import findings_record
from adjudge.cli.options import command, flag, format_option, named, output_option
from adjudge.cli.output import check_targets, emit, emit_json, say
from adjudge.errors import visible
from adjudge.findings import counted, finding_lines

if TYPE_CHECKING:
    from adjudge.tasks.doctor import Diagnosis
    from adjudge.tasks.guess import Together


_LABELS = 8  # that are listed of a kind of items
_NAMES = 3
_NOTES = 12
_GUESSES = 3


@command(
    "doctor",
    click.Argument(["files"], metavar="FILE...", nargs=-1, required=True),
    flag("--full", "Read large files to their ends, not only the first megabyte."),
    format_option("text", "json"),
    output_option,
    examples=["adjudge doctor gold.jsonl system.jsonl"],
)
def doctor(files: tuple[str, ...], **options: Any) -> int:
    """Say what a file or folder is, what is odd about it, which commands it fits, and the next one to type.

    FILE is anything: annotation, the output of a system, a saved result, a specification of a metric, a folder; - is
    standard input. Of several files it also says how they fit together, and which one looks like gold. The exit code is
    1 if none of them can be read as anything that is known.
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
        lines = [text for each in found for text in _lines(each)]
        if joint is not None:
            lines += _joint_lines(found, joint)
        lines += [f"next: {line}"] if line else []
        emit("".join(f"{visible(text)}\n" for text in lines), options["output"])
    return int(not any(each.fits for each in found))


def _lines(found: Diagnosis) -> Iterator[str]:
    contents = found.contents
    if found.format is None or contents is None:
        yield f"{found.path}: not recognised{f', it looks like {found.looks}' if found.looks else ''}"
        for format, problem in found.failed[:_GUESSES]:
            yield f"  not {format.name}: {problem}"
    else:
        packed = f", compressed with {found.compression}" if found.compression else ""
        files = f" of {counted(found.files, 'file')}" if found.files else ""
        folder = f"a folder{files}: " if found.folder else ""
        yield f"{found.path}: {folder}{found.format.name}{packed}"
        if found.seen is not None:
            yield f"  of the first {found.seen} bytes only (--full reads all)"
        numbers = [(len(contents.documents), "document"), (contents.sentences, "sentence"), (contents.tokens, "token")]
        if said := [counted(number, what) for number, what in numbers if number]:
            yield f"  {', '.join(said)}{_ids(contents.documents)}"
        for kind, labels in contents.items.items():
            yield f"  {kind}: {labels.total()}{_labels(labels)}"
        if found.unit or found.ends:
            yield f"  offsets are {found.unit or 'numbers'}{f', ends {found.ends}' if found.ends else ''}"
        if contents.documents and found.encoding:
            texts = "with" if contents.texts == len(contents.documents) else "without" if not contents.texts else "some"
            yield f"  {found.encoding}, {texts} texts"
        for note in contents.notes[:_NOTES]:
            yield f"  note: {note}"
        for task, line in _good_for(found):
            yield f"  good for {task}: {line}"
    yield from (f"  {line}" for line in finding_lines(found.findings))


def _ids(names: Sequence[str]) -> str:
    return f" ({', '.join(names[:_NAMES])}{', ...' * (len(names) > _NAMES)})" if names else ""


def _labels(labels: Counter[str]) -> str:
    named = [f"{label} {count}" for label, count in labels.most_common(_LABELS) if label]
    more = len(labels) - len(named)
    return f" ({', '.join(named)}{f', {more} more' * (more > 0)})" if named else ""


def _good_for(found: Diagnosis) -> Iterator[tuple[str, str]]:
    """Tasks and what scores such files; GOLD and SYSTEM stand for the other side."""
    from adjudge.tasks.guess import HELPS, Guess, command

    side = "" if found.format is None else found.format.side
    for use in found.uses:
        guess = Guess(use.task, use.reader, use.reader, use.metrics)
        sides = ("GOLD", found.path) if side == "system" else (found.path, "SYSTEM")
        yield use.task, command(guess.arguments(*sides))
    if found.format is not None and found.format.kind in HELPS:
        words = HELPS[found.format.kind]
        yield words[0], f"{words[2]} of adjudge {words[0]} {words[1]}"


def _record(found: Diagnosis) -> dict[str, Any]:
    contents = found.contents
    record: dict[str, Any] = {
        "path": found.path,
        "recognised": bool(found.fits),
        "format": None if found.format is None else found.format.kind,
        "name": None if found.format is None else found.format.name,
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
    gold = found[joint.gold]
    yield f"together: {gold.path} looks like gold"
    for path, common in joint.common.items():
        missing, unknown, labels = joint.missing[path], joint.unknown[path], joint.labels[path]
        text = f"  {path}: {counted(common, 'document')} in common"
        text += f", {len(missing)} of gold missing{_ids(missing)}" if missing else ""
        text += f", {len(unknown)} not in gold{_ids(unknown)}" if unknown else ""
        yield text + (f", labels that gold does not have: {', '.join(labels[:_LABELS])}" if labels else "")
        yield from (f"  {path}: {shift}" for shift in joint.shifts[path])
    if not joint.guesses:
        yield "  no command takes all of them"
    elif len(joint.guesses) > 1:
        yield f"  they fit {', '.join(each.task for each in joint.guesses if each.task)}"


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
