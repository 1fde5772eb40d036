"""What a file or folder is, what is odd about it, which commands it fits, and the next one to type."""

from __future__ import annotations

import io
import os
import shlex
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError
from adjudge.evaluate.doubts import offset_notes, spans_in
from adjudge.findings import Findings, Severities
from adjudge.formats.known import FOREIGN, FORMATS, Format, folder_formats, formats_of, json_values
from adjudge.formats.recognise import looks_like
from adjudge.formats.source import BOM, GZIP, ZSTD, Source, opened, read_block, source_name
from adjudge.tasks.contents import Contents, check_contents, ends_of, read_contents, tasks_of
from adjudge.tasks.family import JSONL, families, find_family, find_reader

LOOKED = 1 << 20  # bytes of a file that are looked at
CHECKED = 1 << 17  # bytes of it whose documents are compared with themselves, which may take long
WHOLE = 1 << 25  # bytes up to which a file is read that cannot be cut
_ATTEMPTS = ("jsonl", "conll", "bio", "triples", "conllu", "penman", "tbf")
_GOLD = ("gold", "key", "ref", "truth", "assess", "test", "dev")


class Use(NamedTuple):
    """A task that a file is good for: how it is read, and the metrics if not the usual ones."""

    task: str
    reader: str = ""
    metrics: tuple[str, ...] = ()


def _uses(task: str, *kinds: str, reader: str = "") -> dict[str, tuple[Use, ...]]:
    return {kind: (Use(task, reader),) for kind in kinds}


_USES: Mapping[str, tuple[Use, ...]] = {
    **_uses("coref", "conll", "clusters"),
    "corefud": (Use("coref"),),
    **_uses("tree", "conllu", reader="conllu"),
    **_uses("ner", "bio", reader="bio"),
    **_uses("ner", "bio-both", reader="bio-both"),
    **{kind: (Use("relation", "dygie"), Use("event", "dygie")) for kind in ("dygie", "dygie-output")},
    "oneie": (Use("relation", "oneie"), Use("event", "oneie")),
    **{kind: (Use("event", kind),) for kind in ("textee", "rams", "wikievents", "omnievent")},
    **_uses("relation", "docred", "docred-result", reader="docred"),
    **_uses("relation", "scirex", "scirex-output", reader="scirex"),
    **_uses("template", "muc4", reader="muc4"),
    **_uses("template", "grit", "grit-output", reader="grit"),
    "gtt": (Use("template", "gtt"), Use("template", "iterx")),
    **_uses("template", "gtt-output", reader="gtt"),
    **_uses("template", "iterx-output", reader="iterx"),
    **_uses("template", "auto-err", reader="auto-err"),
    **_uses("record", "answers", reader="answers"),
    **_uses("linking", "neleval", reader="neleval"),
    **_uses("linking", "edl", reader="edl"),
    **_uses("amr", "penman", reader="penman"),
    **_uses("nugget", "tbf"),
    **_uses("kbp", "kb-documents", "coldstart", "triples", "ace", "ere"),
    **_uses("eal", "eal", "eal-key"),
}
_SINGLE: Mapping[str, tuple[str, ...]] = {
    # What to do with one file of a kind that is not scored as it is, or not by itself.
    "brat": ("nugget", "convert", "--to", "tbf"),
    "nugget-xml": ("nugget", "convert", "--from", "ere", "--to", "tbf"),
    "result": ("compare",),
    "spec": ("metrics",),
    "eal-key": ("eal", "assessment", "check"),
}
HELPS: Mapping[str, tuple[str, ...]] = {
    # Files that go with others: the command that takes them, and by which option or argument.
    "tokens": ("nugget", "score", "--tokens"),
    "links": ("kbp", "score", "--wiki"),
    "kb-queries": ("kbp", "query", "QUERIES"),
    "kb-answers": ("kbp", "query", "ANSWERS"),
    "kb-assessments": ("kbp", "query", "--assessments"),
    "wikievents-clusters": ("event", "score", "--clusters"),
    "docred-facts": ("relation", "score", "--known"),
    "eal-linking": ("eal", "score", "--frames"),
    "eal-arguments": ("eal", "validate", "SUBMISSION"),
}


@dataclass
class Diagnosis:
    """What is known about a file or folder.

    `fits` are formats that could be read, best first, with what they are good for; `failed` are those that could not,
    and where. `seen` is how much was looked at, None for all of it.
    """

    path: str
    findings: Findings
    compression: str = ""
    encoding: str = ""
    folder: bool = False
    files: int = 0
    seen: int | None = None
    fits: list[tuple[Format, list[Use], Contents]] = field(default_factory=list)
    failed: list[tuple[Format, Problem]] = field(default_factory=list)
    looks: str = ""

    @property
    def format(self) -> Format | None:
        """The format, if it could be read."""
        return self.fits[0][0] if self.fits else None

    @property
    def contents(self) -> Contents | None:
        """What is in it."""
        return self.fits[0][2] if self.fits else None

    @property
    def uses(self) -> list[Use]:
        """What it is good for."""
        return list(dict.fromkeys(use for _, uses, _ in self.fits for use in uses))

    @property
    def unit(self) -> str:
        """What offsets count, tokens or characters, as far as the format or the file says."""
        own = "" if self.contents is None else self.contents.unit
        return own or ("" if self.format is None else self.format.unit)

    @property
    def ends(self) -> str:
        """Whether offsets include their ends: by the format, or proved by texts."""
        if self.format is None or self.contents is None:
            return ""
        return self.format.ends or (ends_of(self.contents) if self.format.kind in ("jsonl", "parquet") else "")


def examine(path: Source, *, full: bool = False) -> Diagnosis:
    r"""Look at a file or folder; only the beginning of a large file, unless `full`.

    >>> found = examine(b"EU B-ORG\nsaid O\n")
    >>> found.format.kind, found.uses, found.contents.items
    ('bio', [Use(task='ner', reader='bio', metrics=())], {'entities': Counter({'ORG': 1})})
    """
    place = source_name(path)
    found = Diagnosis(place, Findings(place, limit=None))
    if isinstance(path, str | os.PathLike) and str(path) != "-":
        mode = _mode(path)
        if stat.S_ISDIR(mode):
            _examine_folder(Path(path), found)
            return found
        if not stat.S_ISREG(mode):
            raise UsageError(Problem("neither a file nor a folder", path=place, hint="name a file"))
    limit = WHOLE * 16 if full else LOOKED
    with opened(path, place) as stream:
        start, broken = read_block(stream, limit)
        more = b"" if broken else read_block(stream, 1)[0]
        found.compression = _compression(path)
        if more and not full and not _can_be_cut(start):
            start += more + read_block(stream, WHOLE)[0]
            more = read_block(stream, 1)[0]
    found.seen = len(start) if more else None
    if broken:
        found.findings.add("damaged", broken, None, None, "copy or create the file again")
    _check_bytes(start, found)
    archive = start[:4] == b"PK\x03\x04" or start[257:262] == b"ustar"
    formats = [FORMATS["eal"]] if archive else formats_of(start, cut=bool(more))
    look = looks_like(start)
    found.looks = _foreign(start) or ("" if look is None else look.name)
    for format in formats:
        own = path if archive or format.kind in ("ace", "parquet") else start if not more else _cut(start, format.kind)
        _fit(found, format, Path(own) if isinstance(own, str) else own)
    if not found.fits and not formats and start.strip() and not archive:
        for kind in _ATTEMPTS[:1] if look is not None and look.kind.startswith("json") else _ATTEMPTS:
            _attempt(found, FORMATS[kind], start, next((use.reader for use in _USES.get(kind, ())), ""))
        found.failed = [each for each in found.failed if not each[1].message.startswith("this looks like")]
        found.failed.sort(key=lambda each: -(each[1].line or 0))
    if found.contents is not None:
        small = full or len(start) <= CHECKED or archive or found.fits[0][0].kind in ("ace", "parquet")
        _validate(found, path if small else _cut(start[:CHECKED], found.fits[0][0].kind))
        check_contents(found.contents, found.findings)
    if others := [f"{each.name} ({each.kind})" for each, uses, _ in found.fits[1:] if uses]:
        found.findings.warn("several-formats", f"this may also be {', or '.join(others)}", hint="choose with --reader")
    return found


def _can_be_cut(start: bytes) -> bool:
    """Whether the beginning of a file can be read without the rest: it is no XML, and no object that goes on."""
    start = start.removeprefix(BOM).lstrip()
    return not start.startswith((b"<", b"{")) or bool(
        json_values(start[: start.find(b"\n") + 1].decode("utf-8", "replace"))
    )


def _validate(found: Diagnosis, source: Source) -> None:
    """What the validator of the task says; those that need to know more are left to their commands."""
    if found.format is None or not found.uses or found.folder:
        return
    use, named = found.uses[0], _Named(source, found.path) if isinstance(source, bytes) else source
    if use.task == "coref":
        from adjudge.formats.coreference import check_coreference

        report = check_coreference(source, name=found.path, severity=_SAID)
    elif use.task in families():
        from adjudge.evaluate.validation import Checks
        from adjudge.tasks.task import family_task

        task = family_task(find_family(use.task), use.reader, metrics=use.metrics)
        side = "system" if found.format.side == "system" else "gold"
        report = task.validate(named, Checks(severity=_SAID, side=side))
    else:
        return
    found.findings.take(report)


_SAID: Severities = {"note": "off"}  # notes are shown with the contents


class _Named(io.BytesIO):
    """The beginning of a file under the name of the file."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def _mode(path: str | os.PathLike[str]) -> int:
    try:
        return Path(path).stat().st_mode
    except (OSError, ValueError) as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else str(error)
        raise UsageError(Problem(reason, path=os.fspath(path), hint="check the path")) from None


def _compression(path: Source) -> str:
    if isinstance(path, str | os.PathLike) and str(path) != "-":
        with open(path, "rb") as stream:  # noqa: PTH123
            magic = stream.read(4)
    else:
        magic = path[:4] if isinstance(path, bytes) else b""
    return "gzip" if magic[:2] == GZIP else "zstd" if magic == ZSTD else ""


def _check_bytes(start: bytes, found: Diagnosis) -> None:
    """The encoding, and what is odd about the bytes."""
    odd = found.findings
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        found.encoding = "UTF-16"
        odd.add("encoding", "the file is in UTF-16", 1, 1, "save it as UTF-8")
        return
    if start[:4] in (b"PAR1", b"PK\x03\x04"):
        return
    try:
        text = start.decode()
    except UnicodeDecodeError as error:
        if found.seen is None or error.start < len(start) - 4:
            found.encoding = "not UTF-8"
            line = start.count(b"\n", 0, error.start) + 1
            odd.add("encoding", f"the byte 0x{start[error.start]:02x} is not UTF-8", line, None, "save it as UTF-8")
            return
        text = start[: error.start].decode()
    found.encoding = "ASCII" if text.isascii() else "UTF-8"
    if start.startswith(BOM):
        odd.warn("bom", "the file begins with a byte order mark", 1, 1, "some programs trip over it")
    lines, pairs, returns = text.count("\n"), text.count("\r\n"), text.count("\r")
    if 0 < pairs < lines:
        odd.warn("line-ends", f"{pairs} of {lines} lines end with CR LF", None, None, "use one kind of line ends")
    elif returns > pairs:
        odd.warn("line-ends", f"{returns - pairs} CR that end no line", None, None, "use one kind of line ends")
    if "\0" in text:
        odd.add("null", "there are null characters", text.count("\n", 0, text.index("\0")) + 1, None, "remove them")


def _foreign(start: bytes) -> str:
    """What a file is that people have and no reader reads."""
    if start.lstrip()[:1] not in (b"{", b"["):
        return ""
    keys = {
        key for each in json_values(start.decode("utf-8", "replace"))[:20] if isinstance(each, dict) for key in each
    }
    known = "id" in keys and not {"entities", "relations", "events", "mentions", "records"}.isdisjoint(keys)
    return "" if known else next((name for name, needed in FOREIGN if keys.issuperset(needed)), "")


def _cut(start: bytes, kind: str) -> bytes:
    """The beginning of a file up to a place where a document ends."""
    mark = {"conll": b"\n#end document", "tbf": b"\n#EndOfDocument"}.get(kind)
    if kind in ("docred", "docred-result", "docred-facts") or start.lstrip()[:1] == b"[":
        import msgspec

        return msgspec.json.encode(json_values(start.decode("utf-8", "replace")))
    if mark is None:
        mark = b"\n\n" if kind in ("bio", "bio-both", "conllu", "corefud", "penman", "muc4") else b"\n"
    at = start.rfind(mark)
    end = start.find(b"\n", at + 1) if at >= 0 else -1
    return start[: (end if end >= 0 else at if at >= 0 else len(start)) + 1]


def _examine_folder(folder: Path, found: Diagnosis) -> None:
    found.folder = True
    formats, files = folder_formats(folder)
    found.files = len(files)
    whole = [each for each in formats if each.kind in ("eal", "eal-key", "brat", "ace", "ere", "scirex-output")]
    for format in whole:
        _fit(found, format, folder)
    if whole:
        return
    from adjudge.formats.source import is_shard

    shards = [path for path in files if is_shard(path.name)]
    if shards and formats and formats[0].kind in ("jsonl", "kb-documents", "parquet"):
        part = examine(str(shards[0]))
        found.fits, found.failed, found.seen = part.fits, part.failed, part.seen or shards[0].stat().st_size
    elif formats:
        found.fits = [(formats[0], [], Contents(found.path, [path.name for path in files]))]
    else:
        inner = sorted(path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
        names = f"{', '.join(inner[:3])}{', ...' * (len(inner) > 3)}"
        found.looks = f"a folder of {len(inner)} folders ({names})" if inner else f"a folder of {len(files)} files"


def _fit(found: Diagnosis, format: Format, source: Source) -> None:
    """Read a source in a format, and keep what it is good for, or why it cannot be read."""
    if format.kind in ("jsonl", "parquet"):
        contents = _attempt(found, format, source)
        if contents is None or (found.fits and format.kind == "jsonl"):
            return
        uses = [Use(task, JSONL, metrics) for task, metrics in tasks_of(contents.data).items()]
        found.fits.append((format, uses, contents))
        return
    uses, last, reader = [], None, ""
    for use in _USES.get(format.kind, (Use(""),)):
        if last is None or use.reader != reader:
            last, reader = _attempt(found, format, source, use.reader) or last, use.reader
        if last is not None:
            contents = last
            if not use.task or use.task not in families() or _has_items(use, contents):
                uses.append(use)
    if last is not None:
        found.fits.append((format, [use for use in uses if use.task], last))


def _has_items(use: Use, contents: Contents) -> bool:
    """Whether there is anything that the task compares; a file in which nothing was found may be for any task."""
    if sum(each.total() for each in contents.items.values()) == 0:
        return True
    from adjudge.metrics.registry import find

    family = find_family(use.task)
    reader = family.readers.get(use.reader)
    names = (reader.metrics if reader else ()) or family.metrics
    fields = {member.within for name in names for member in find(name).members}
    return any(isinstance(data, Mapping) and any(data.get(str(each)) for each in fields) for data in contents.data)


def _attempt(found: Diagnosis, format: Format, source: Source, reader: str = "") -> Contents | None:
    known = find_reader(reader) if reader else None
    where = "" if known is None else (known.system or known.gold) if format.side == "system" else known.gold
    try:
        return read_contents(format, where, source, found.path)
    except AdjudgeError as error:
        if not any(each.kind == format.kind for each, _ in found.failed):
            found.failed.append((format, error.problems[0]))
    except (RecursionError, MemoryError):
        found.failed.append((format, Problem("nested too deeply", path=found.path)))
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Several files


class Guess(NamedTuple):
    """A task, how gold and systems are read (empty where the task looks itself), and the metrics if not the usual.

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
        """How the files are read, as far as it is not the usual way."""
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
        Problem("these are files of different tasks: " + ", ".join(f"{each.path} is {_told(each)}" for each in found))
    ]
    raise FormatError(problems)


def fitting(found: Sequence[Diagnosis]) -> list[Guess]:
    """The tasks for which gold (the first) and systems fit together, readers that all have in common first.

    If several families fit, all of them together come first of all.
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
    """Event arguments are compared with assessments, and what a file with both sides is compared with is itself."""
    kinds = ["" if each.format is None else each.format.kind for each in found]
    if task == "eal":
        return len(kinds) == 1 or (kinds[0] == "eal-key" and set(kinds[1:]) == {"eal"})
    return True


def _unread(found: Diagnosis) -> Problem:
    if found.failed:
        return found.failed[0][1]
    hint = f"adjudge doctor {shlex.quote(found.path)} says more"
    return Problem(f"this is {_told(found)}, which is not scored", path=found.path, hint=hint)


def _told(found: Diagnosis) -> str:
    return found.format.name if found.format is not None else found.looks or "nothing that is known"


def command(words: Sequence[str]) -> str:
    """A line for the shell.

    >>> command(["ner", "score", "my gold.bio"])
    "adjudge ner score 'my gold.bio'"
    """
    return shlex.join(["adjudge", *words])


def gold_of(found: Sequence[Diagnosis]) -> int:
    """Which of some files looks most like gold: by its format, its name, its documents, and no confidences."""

    def likely(each: Diagnosis) -> float:
        side = "" if each.format is None else each.format.side
        contents = each.contents
        named = any(part in Path(each.path).name.lower() for part in _GOLD)
        documents = len(contents.documents) if contents else 0
        scored = contents is not None and contents.scored
        return 4 * ((side == "gold") - (side == "system")) + 3 * named - 2 * scored + documents / (1 + documents) / 9

    return max(range(len(found)), key=lambda number: (likely(found[number]), -number))


def next_command(found: Sequence[Diagnosis]) -> str:
    """The next command to type; empty if nothing can be done with the files."""
    known = [each for each in found if each.fits]
    if not known:
        return ""
    if len(known) > 1:
        scored = [each for each in known if each.uses] or known
        first = gold_of(scored)
        ordered = [scored[first], *(each for number, each in enumerate(scored) if number != first)]
        if len(ordered) > 1 and (guesses := fitting(ordered)):
            words = guesses[0].arguments(*(each.path for each in ordered))
            return command([*words, *_options(guesses[0].task, known)])
    return _single(known[0])


def _options(task: str, known: Sequence[Diagnosis]) -> list[str]:
    """The files that go with those that are scored, as options."""
    words = [(HELPS.get("" if each.format is None else each.format.kind, ("", "", "")), each.path) for each in known]
    return [word for own, path in words if own[:2] == (task, "score") for word in (own[2], path)]


def _single(found: Diagnosis) -> str:
    kind = "" if found.format is None else found.format.kind
    if kind in _SINGLE and (found.folder or kind != "eal-key"):
        return command([*_SINGLE[kind], found.path])
    if kind in HELPS or kind == "eal-key":
        return command([*HELPS.get(kind, ("eal", "score"))[:2], "--help"])
    if not found.uses:
        first = next(iter(found.contents.documents), None) if found.folder and found.contents else None
        return "" if first is None else command(["doctor", str(Path(found.path) / first)])
    use = found.uses[0]
    own = Guess(use.task, use.reader, use.reader, use.metrics)
    reader = find_reader(use.reader) if use.reader else None
    side = ["--side", "system" if found.format and found.format.side == "system" else "gold"]
    return command([use.task, "validate", found.path, *own.options(), *(side if reader and reader.system else [])])


class Together(NamedTuple):
    """How some files fit together; `gold` is the number of the one that looks most like gold.

    `missing` are documents of gold that a file lacks, `unknown` those that only the file has, `labels` those that gold
    does not have, `shifts` what offsets look like; each by the path of the file.
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
    """What looks like offsets that are counted in another way than in gold."""
    ours, theirs = ({each["id"]: each for each in own.contents.data} if own.contents else {} for own in (gold, other))
    pairs = [(spans_in(ours[name]), spans_in(each)) for name, each in theirs.items() if name in ours]
    return [note.message for note in offset_notes(pairs, unit=(other.unit or "characters").removesuffix("s"))]
