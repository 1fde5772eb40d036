"""Linking files: which responses of a document are about one event, one frame per line.

    id TAB id TAB id            2015; blanks instead of TABs, as the task description has it, are read as well
    hopper TAB id id id         2016, with a name for each frame
    INCOMPLETE TAB id TAB id    responses that nobody has linked yet; the official program always writes this line

An id is looked for in the first column of the arguments; only if it is not there, content hashes are computed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, TypeAlias, TypedDict, Unpack

from adjudge.errors import Problem, ValidationError, did_you_mean
from adjudge.findings import Finding, Findings, errors_of
from adjudge.formats.eal_arguments import ArgumentLines, sort_key
from adjudge.formats.eal_assessments import KeyLines
from adjudge.formats.eal_fields import DIGEST, WHITE, decode_lines, form_of, id_2014, plain_lines, sha1_id
from adjudge.model.eal import AnswerKey, Argument, Arguments, Frame, Linking, Response

LinkingLayout: TypeAlias = Literal["2015", "2016"]
Separator: TypeAlias = Literal["any", "tab"]
Incomplete: TypeAlias = Literal["error", "last"]

INCOMPLETE = "INCOMPLETE"


class LinkingOptions(TypedDict, total=False):
    """How a linking file is read."""

    layout: LinkingLayout | None
    separator: Separator
    repeated_incomplete: Incomplete


def parse_linking(
    data: bytes, known: Arguments | AnswerKey, place: str | None = None, **options: Unpack[LinkingOptions]
) -> tuple[Linking, list[Problem]]:
    r"""The frames of a file as far as its ids are known, and every problem with it.

    `known` are the responses of the same document. Without `layout` the file decides: it is of 2016 if each line is a
    name, one TAB, and known ids, and the names look different from the ids. With `separator="tab"` blanks do not
    separate ids, as in the official program. Of several INCOMPLETE lines `repeated_incomplete="last"` takes the last.

    >>> from adjudge.formats.eal_arguments import parse_arguments
    >>> line = b"1\tD1\tConflict.Attack\tPlace\tRome\t20-23\t5-50\t20-23\tNIL\tActual\t0.8\n"
    >>> arguments, _ = parse_arguments(line + line.replace(b"Rome", b"Oslo").replace(b"1", b"2", 1), "D1")
    >>> linking, problems = parse_linking(b"1 2\n2 3\n", arguments)
    >>> [sorted(response.cas.text for response in frame.responses) for frame in linking.frames]
    [['Oslo', 'Rome'], ['Oslo']]
    >>> print(problems[0])
    D1:2:3: there is no response with the id '3', use ids of column 1 of the arguments of D1
    """
    linking, findings = scan_linking(data, known, place, **options)
    return linking, errors_of(findings)


def scan_linking(
    data: bytes,
    known: Arguments | AnswerKey,
    place: str | None = None,
    *,
    layout: LinkingLayout | None = None,
    separator: Separator = "any",
    repeated_incomplete: Incomplete = "error",
) -> tuple[Linking, list[Finding]]:
    """The same with the kind of each problem, for programs."""
    document = known.document
    ids = Resolver(known)
    findings = Findings(place or document, document)
    lines = _lines(data, findings)
    named = (layout or guess_layout((line for _, line in lines), ids)) == "2016"
    frames: list[Frame] = []
    incomplete: dict[Response, tuple[int, int]] = {}
    hoppers: dict[str, int] = {}
    unlinked_line = 0
    for number, line in lines:
        tokens = list(_tokens(line, "any" if named else separator))
        (first, column), *rest = tokens
        if first == INCOMPLETE:
            if unlinked_line and repeated_incomplete == "error":
                message = f"a second {INCOMPLETE} line; the first is line {unlinked_line}"
                findings.add("repeated-incomplete", message, number, column, "join the two lines")
            else:
                incomplete.clear()
            unlinked_line = number
            incomplete.update((response, at) for response, at in _resolve(rest, number, ids, findings))
            continue
        if not named:
            responses = frozenset(response for response, _ in _resolve(tokens, number, ids, findings))
            if responses:
                frames.append(Frame(responses))
            continue
        if first in hoppers:
            message = f"the hopper {first!r} is on line {hoppers[first]} already"
            findings.add("repeated-hopper", message, number, column, "give each hopper a name of its own")
        hoppers.setdefault(first, number)
        if "-" in first:
            findings.add("hopper-name", f"the name {first!r} has a dash", number, column, "use another character")
        if not rest:
            findings.add("empty-hopper", f"the hopper {first!r} has no ids", number, column, "remove the line")
        responses = frozenset(response for response, _ in _resolve(rest, number, ids, findings))
        if responses:
            frames.append(Frame(responses, first))
    found = Linking(document, frames, frozenset(incomplete))
    linked = found.linked if incomplete else ()
    for response, (number, column) in incomplete.items():
        if response in linked:
            message = f"the response {response.cas.text!r} ({response.role}) is in a frame as well"
            findings.add("linked-incomplete", message, number, column, f"take its id off the {INCOMPLETE} line")
    return found, findings.sorted()


class LinkedLines:
    """The frames of a document as places of responses among `known`, without repeats (row `eal/splitting`).

    Places behind the last one are those of `others`, responses that `known` does not have.
    """

    def __init__(
        self, known: ArgumentLines | KeyLines, frames: Sequence[Sequence[int]], linking: Linking | None = None
    ) -> None:
        self.known = known
        self.frames = frames
        self.others: list[Response] = []
        self._linking = linking

    @classmethod
    def of(cls, linking: Linking, known: ArgumentLines | KeyLines) -> LinkedLines:
        """The same of objects."""
        places = {response: at for at, response in enumerate(known.responses)}
        for response in sorted(linking.linked):
            places.setdefault(response, len(places))
        made = cls(known, [[places[response] for response in frame.responses] for frame in linking.frames], linking)
        made.others = list(places)[len(known.responses) :]
        return made

    @property
    def incomplete(self) -> frozenset[Response]:
        """The responses that nobody has linked yet."""
        return frozenset() if self._linking is None else self._linking.incomplete

    def inside(self) -> Sequence[Sequence[int]]:
        """The frames without `others`."""
        size = len(self.known.responses) if self.others else 0
        return [[at for at in frame if at < size] for frame in self.frames] if self.others else self.frames

    def response(self, at: int) -> Response:
        """The response at a place."""
        known = self.known.responses
        return known[at] if at < len(known) else self.others[at - len(known)]

    def linking(self) -> Linking:
        """The same as objects."""
        if self._linking is None:
            get = self.known.responses.__getitem__
            self._linking = Linking(self.known.document, [Frame(frozenset(map(get, frame))) for frame in self.frames])
        return self._linking


def scan_linked_lines(
    data: bytes, known: ArgumentLines | KeyLines, place: str | None = None, **options: Unpack[LinkingOptions]
) -> tuple[LinkedLines, list[Finding]]:
    """The frames of a file as places, and what is wrong with it."""
    frames = None
    ids = dict(zip(known.ids, range(len(known.ids)), strict=True))
    if len(ids) == len(known.ids) and options.get("layout") != "2016":
        frames = _read_sound(data, ids, options.get("separator", "any"))
    if frames is not None:
        return LinkedLines(known, frames), []
    linking, findings = scan_linking(data, known.whole(), place, **options)
    return LinkedLines.of(linking, known), findings


def _read_sound(data: bytes, ids: Mapping[str, int], separator: Separator) -> list[list[int]] | None:
    """The frames of a file of 2015 in which every id is known and all are linked; None if it differs."""
    if "" in ids or INCOMPLETE in ids or b"#" in data:
        return None
    between = None if separator == "any" else "\t"
    get = ids.__getitem__
    try:
        lines = plain_lines(data)
        if lines and lines[-1] in (INCOMPLETE, f"{INCOMPLETE}\t"):
            lines.pop()
        frames = [list(map(get, line.split(between))) for line in lines]
    except (KeyError, ValueError):
        return None
    # An empty line is not a frame, and an id that is repeated in one does not count twice.
    return frames if all(frames) and sum(map(len, map(set, frames))) == sum(map(len, frames)) else None


_SLIPS = 5  # unknown ids of a document that may be slips of the pen


class Resolver:
    """Finds the responses that ids name: by the first column, else by a content hash."""

    def __init__(self, known: Arguments | AnswerKey) -> None:
        self.document = known.document
        self.unknown = 0  # ids that were looked for in vain
        self.ambiguous: dict[str, str] = {}  # ids of several responses, and where they stand
        self.listed: Mapping[str, Response] = {}
        self._hashes: Mapping[str, Response] = {}
        self._responses: Sequence[Response]
        if isinstance(known, AnswerKey):
            self._responses = (*known.assessed, *known.unassessed)
            self._hashes = known.hashes
            listed = {id_: response for id_, response in known.ids.items() if response is not None}
            if len(listed) < len(known.ids):
                several = (id_ for id_, response in known.ids.items() if response is None)
                self.ambiguous = dict.fromkeys(several, "on several lines of the assessments")
        else:
            self._responses = [argument.response for argument in known.arguments]
            listed = {argument[2]: argument[0] for argument in known.arguments}
            if len(listed) < len(known.arguments):
                self._find_ambiguous(known.arguments)
        for none in ("", INCOMPLETE):
            listed.pop(none, None)
            self.ambiguous.pop(none, None)
        self.listed = listed

    def _find_ambiguous(self, arguments: Iterable[Argument]) -> None:
        first: dict[str, Argument] = {}
        for argument in arguments:
            other = first.setdefault(argument.id, argument)
            if other.response != argument.response:
                where = f"in lines {other.line} and {argument.line} of the arguments"
                self.ambiguous.setdefault(argument.id, where)

    def __contains__(self, id_: str) -> bool:
        return self.get(id_) is not None

    def get(self, id_: str) -> Response | None:
        """The response with an id."""
        response = self.listed.get(id_)
        if response is None and (form := form_of(id_)):
            response = (self._numbers if form == "number" else self._digests).get(id_)
        return response

    @cached_property
    def _numbers(self) -> Mapping[str, Response]:
        return {str(id_2014(response)): response for response in self._responses}

    @cached_property
    def _digests(self) -> Mapping[str, Response]:
        return self._hashes or {sha1_id(response): response for response in self._responses}

    def forms(self) -> set[str]:
        """What the ids of the document look like."""
        return {form_of(id_) for id_ in self.listed} if self.listed else {"sha1"}


Place: TypeAlias = "tuple[int | None, int | None]"
NOWHERE: Place = (None, None)


class FramePlaces:
    """Line and column of the frames of a file and of the responses in them, which `linking` has as they were read.

    Nothing is looked for before somebody asks; then `lines` gives the lines of the file.
    """

    def __init__(
        self,
        lines: Callable[[], Sequence[str]],
        known: Arguments | AnswerKey,
        linking: Linking,
        separator: Separator = "any",
    ) -> None:
        self._lines = lines
        self._known = known
        self._count = len(linking.frames)
        self._named = any(frame.id is not None for frame in linking.frames)
        self._separator: Separator = "any" if self._named else separator

    @cached_property
    def _found(self) -> tuple[list[tuple[int, int, dict[Response, int]]], dict[Response, Place]]:
        frames: list[tuple[int, int, dict[Response, int]]] = []
        incomplete: dict[Response, Place] = {}
        ids = Resolver(self._known)
        for number, line in enumerate(self._lines(), 1):
            tokens = list(_tokens(line, self._separator))
            if not tokens or line[0] == "#":
                continue
            waits = tokens[0][0] == INCOMPLETE
            here: dict[Response, int] = {}
            for id_, column in tokens[self._named or waits :]:
                response = ids.get(id_)
                if response is not None and id_ not in ids.ambiguous:
                    here.setdefault(response, column)
            if waits:
                incomplete.update((response, (number, column)) for response, column in here.items())
            elif here:
                frames.append((number, tokens[0][1], here))
        return frames, incomplete

    def of(self, frame: int, response: Response | None = None) -> Place:
        """Where a frame stands, or a response in it; frames are counted from 0."""
        frames, _ = self._found
        if len(frames) != self._count:  # lines that could not be read are in between
            return NOWHERE
        line, column, responses = frames[frame]
        return line, column if response is None else responses.get(response, column)

    def waiting(self, responses: Iterable[Response]) -> Place:
        """Where the first of these responses stands on the INCOMPLETE line."""
        _, incomplete = self._found
        return min((incomplete[each] for each in responses if each in incomplete), default=NOWHERE)


def scan_ids(data: bytes, document: str, place: str | None = None) -> tuple[list[frozenset[str]], list[Finding]]:
    r"""The frames of a file as the ids that they list, for whoever does not have the responses.

    A file whose words are not ids (arguments, assessments, texts) is one complaint.

    >>> scan_ids(b"1\t2\n3\nINCOMPLETE\t4\n", "D1")[0] == [{"1", "2"}, {"3"}]
    True
    >>> print(scan_ids(b"The end.\n", "D1")[1][0].problem)
    D1:1:1: 'The' is not the id of a response, give linking files: the ids of the responses of an event on each line
    """
    findings = Findings(place or document, document)
    lines = _lines(data, findings)
    named = all(_is_named(line) for _, line in lines)
    frames: list[frozenset[str]] = []
    wrong: list[tuple[int, str, int]] = []
    for number, line in lines:
        tokens = list(_tokens(line, "any"))
        open_ = tokens[0][0] == INCOMPLETE
        ids = tokens[1:] if named or open_ else tokens
        bad = next((each for each in ids if not form_of(each[0])), None)
        if bad is not None:
            wrong.append((number, *bad))
        elif ids and not open_:
            frames.append(frozenset(id_ for id_, _ in ids))
    if wrong:
        number, id_, column = wrong[0]
        more = f", and {len(wrong) - 1} more lines are like this" if len(wrong) > 1 else ""
        hint = "give linking files: the ids of the responses of an event on each line"
        findings.add("id-form", f"{id_!r} is not the id of a response{more}", number, column, hint)
    return frames, findings.sorted()


def _lines(data: bytes, findings: Findings) -> list[tuple[int, str]]:
    """The lines that say something, with their numbers."""
    every = enumerate(decode_lines(data, findings), 1)
    return [(number, line) for number, line in every if line and line[0] != "#" and not line.isspace()]


def _is_named(line: str) -> bool:
    """Whether a line begins as those of 2016 do: with something that is not an id, and one TAB."""
    name, tab, rest = line.strip(WHITE).partition("\t")
    return name == INCOMPLETE or bool(tab and not form_of(name) and " " not in name and "\t" not in rest)


def guess_layout(lines: Iterable[str], ids: Resolver) -> LinkingLayout:
    """The layout of lines: of 2016 if all begin with a name that cannot be one of these ids, and one TAB."""
    found = False
    for line in lines:
        name, tab, rest = line.partition("\t")
        name = name.strip(WHITE)
        if name == INCOMPLETE:
            continue
        found = True
        if not tab or not name or "\t" in rest.strip(WHITE) or " " in name or name in ids:
            return "2015"
        if form_of(name) in ids.forms():
            return "2015"
        first = rest.split(None, 1)[:1]
        if first and first[0] not in ids:
            return "2015"
    return "2016" if found else "2015"


def write_linking(
    linking: Linking,
    *,
    ids: Mapping[Response, str] | None = None,
    layout: LinkingLayout = "2015",
    separator: str = "\t",
) -> bytes:
    r"""A file with the frames in their order, the ids of each sorted; `ids` are content hashes unless given.

    The separator of 2016 between ids is always a blank. The INCOMPLETE line comes last.

    >>> write_linking(Linking("D1"))
    b'INCOMPLETE\t\n'
    """
    problems: list[Problem] = []
    lines = []
    used: set[str] = set()
    if ids is None:
        ids = _Hashes()
    plain = _are_plain(ids.values())
    for number, frame in enumerate(linking.frames, 1):
        names = _ids(frame.responses, ids, plain, linking.document, problems)
        if not names:
            problems.append(Problem("a frame has no responses", path=linking.document, hint="leave it out"))
        if layout == "2015":
            lines.append(separator.join(names))
            continue
        name = frame.id if frame.id is not None else _fresh(number, {each.id for each in linking.frames})
        if not name or name == INCOMPLETE or name in used or name[0] == "#" or set(name) & {"-", *WHITE}:
            problems.append(Problem(f"the hopper name {name!r} cannot be written", path=linking.document))
        used.add(name)
        lines.append(f"{name}\t{' '.join(names)}")
    names = _ids(linking.incomplete, ids, plain, linking.document, problems)
    between = separator if layout == "2015" else " "
    lines.append(f"{INCOMPLETE}\t{between.join(names)}")
    if problems:
        raise ValidationError(problems)
    return "".join(f"{line}\n" for line in lines).encode()


def _fresh(number: int, taken: set[str | None]) -> str:
    name = f"h{number}"
    while name in taken:
        name = f"h{name}"
    return name


def _ids(
    responses: Collection[Response], ids: Mapping[Response, str], plain: bool, document: str, problems: list[Problem]
) -> list[str]:
    """The ids of responses, sorted; `plain` says that all are content hashes, which are in order by their letters."""
    if plain:
        try:
            return sorted(map(ids.__getitem__, responses))
        except KeyError:
            pass  # the problem is told below
    names = []
    for response in responses:
        name = ids.get(response, "")
        if not name or name == INCOMPLETE or name[0] == "#" or name.split() != [name]:
            said = f"{response.cas.text!r} ({response.type}, {response.role})"
            what = f"has the id {name!r}, which cannot be written" if name else "has no id"
            problems.append(Problem(f"the response {said} {what}", path=document, hint="write content hashes"))
        names.append(name)
    return sorted(names, key=sort_key)


def _are_plain(names: Collection[str]) -> bool:
    """Whether names are as long as content hashes, and can be written."""
    joined = "".join(names)
    return set(map(len, names)) <= {DIGEST} and "#" not in joined and joined.split() == [joined][: len(names)]


class _Hashes(dict[Response, str]):
    """The content hashes of responses, each computed when it is asked for."""

    def __missing__(self, response: Response) -> str:
        name = self[response] = sha1_id(response)
        return name


def _tokens(line: str, separator: Separator) -> Iterator[tuple[str, int]]:
    """The ids of a line, and where each begins, counted from 1."""
    at = 0
    for field in line.split("\t"):
        if separator == "tab":
            value = field.strip(WHITE)
            if value:
                yield value, at + field.index(value) + 1
        else:
            end = 0
            for value in field.split():
                end = field.index(value, end)
                yield value, at + end + 1
                end += len(value)
        at += len(field) + 1


def _resolve(
    tokens: Iterable[tuple[str, int]], number: int, ids: Resolver, findings: Findings
) -> Iterator[tuple[Response, tuple[int, int]]]:
    for id_, column in tokens:
        response = ids.get(id_)
        if response is None and id_ not in ids.ambiguous:
            ids.unknown += 1
            # Looking for a name that is close takes long; hashes are never close, and many unknown ids are not slips.
            hint = did_you_mean(id_, ids.listed) if 3 < len(id_) <= 30 and ids.unknown <= _SLIPS else None
            if hint is None:
                hint = f"use ids of column 1 of the arguments of {ids.document}"
            findings.add("unknown-id", f"there is no response with the id {id_!r}", number, column, hint)
        elif id_ in ids.ambiguous:
            message = f"the id {id_!r} stands {ids.ambiguous[id_]}"
            findings.add("ambiguous-id", message, number, column, "give each response an id of its own")
        elif response is not None:
            yield response, (number, column)
