"""`adjudge GOLD SYSTEM...`: which command it stands for, by what the gold file looks like."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from adjudge.cli.output import say
from adjudge.errors import Problem, UsageError, visible
from adjudge.formats.recognise import looks_like
from adjudge.formats.source import HEAD, opened

_BY_KIND = {  # what `looks_like` says: the command, and the options that follow its files
    "tbf": ("nugget score", ""),
    "conll": ("coref score", ""),
    "penman": ("amr score", ""),
    "muc4": ("template score", ""),
    "columns": ("ner score", ""),
    "parquet": ("kbp score", ""),
}
_TRIPLES = 9  # columns of a table of facts have fewer TABs, assessments more
_BY_MARK = (  # what stands in the beginning of a file, most telling first
    (r'\A\s*\{"adjudge": ?"', "compare", ""),
    (r"\tEntity=|[\t|]Entity=\(", "coref score", ""),
    (r"\A(?:# .*\n)*1(?:-\d+)?\t", "tree score", ""),
    (r'"vertexSet"|"h_idx"', "relation score", "--reader docred"),
    (r'"event_mentions"', "event score", "--reader oneie"),
    (r'"n_ary_relations"', "relation score", "--reader scirex"),
    (r'"sentences".*"(?:predicted_)?events"', "event score", "--reader dygie"),
    (r'"sentences".*"(?:predicted_)?(?:ner|relations)"', "relation score", "--reader dygie"),
    (r'"entities": ?\[\{[^]]*"mentions":', "kbp score", ""),
    (r'"relations":.*"events":|"events":.*"relations":', "score relation.strict,event.argument-cls", ""),
    (r'"events":', "event score", "--reader jsonl"),
    (r'"relations":', "relation score", "--reader jsonl"),
    (r'"clusters":', "coref score", ""),
    (r'"records":', "record score", "--reader jsonl"),
    (r'"mentions":', "linking score", "--reader jsonl"),
    (r'"entities":', "ner score", "--reader jsonl"),
    (r'"output":', "record score", ""),
    (r"(?m)^:[^\t\n]+\t\S+\t", "kbp score", ""),
    (r"<deft_ere|<source_file", "kbp score", ""),
    (r"\A[^\t\n]+\t[^\t\n]+\t[^\t\n]+\t[^\t\n]+\n", "kbp score", ""),
)


def guessed(arguments: list[str]) -> list[str]:
    """The full command for files and options that were given without one; says on standard error what it is."""
    gold = arguments[0]
    if len([each for each in arguments if not each.startswith("-")]) < 2:
        raise UsageError(f"{gold} is a file, not a command", hint=f"name a system too: adjudge {gold} SYSTEM")
    command, options, name = _command(gold)
    given = {each.partition("=")[0] for each in arguments}
    more = [] if "--reader" in given else options.split()
    full = [*command.split(), *arguments, *more]
    say(f"guessed: {visible(gold)} looks like {name}, so this is: {visible(shlex.join(['adjudge', *full]))}")
    return full


def _command(path: str) -> tuple[str, str, str]:
    """The command for a file, its options, and what the file looks like."""
    if Path(path).is_dir():
        first = next((each for each in sorted(Path(path).rglob("*")) if each.is_file()), None)
        columns = 0 if first is None else first.read_bytes()[:HEAD].split(b"\n")[0].count(b"\t")
        return ("eal score", "", "assessments") if columns > _TRIPLES else ("kbp score", "", "a folder of annotation")
    with opened(path, path) as stream:
        head = stream.read(HEAD)
    look = looks_like(head)
    if look is not None and look.kind in _BY_KIND:
        return *_BY_KIND[look.kind], look.name
    text = head.decode("utf-8", "replace")
    for mark, command, options in _BY_MARK:
        if re.search(mark, text):
            name = look.name if look is not None else "a knowledge base" if command.startswith("kbp") else "a table"
            return command, options, "a saved result" if command == "compare" else name
    said = f"it looks like {look.name}" if look is not None else "it could be anything"
    hint = "name the task, as in adjudge ner score GOLD SYSTEM (adjudge --help lists all)"
    raise UsageError(Problem(f"the task cannot be guessed: {said}", path=path, hint=hint))
