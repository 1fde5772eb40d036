"""Checks of the frames of one document: who must be in one, who must not, and who may be together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from adjudge.formats.eal_lines import BOM, WHITE
from adjudge.formats.eal_linking import INCOMPLETE, Resolver
from adjudge.formats.findings import Finding
from adjudge.model.eal import Arguments, Linking, Response
from adjudge.tasks.eal.validation_arguments import Rules, quote
from adjudge.tasks.eal.validation_findings import File

_TOKEN = re.compile(r"\S+")
_FIELD = re.compile(r"[^\t]+")


def check_linking(arguments: Arguments, linking: Linking, rules: Rules, here: File, there: File) -> None:
    """Say what is wrong with frames; `here` is the linking file, `there` the one of the arguments."""
    linked = frozenset[Response]().union(*(frame.responses for frame in linking.frames))
    _check_presence(arguments, linking, linked, there)
    places = _Places(arguments, linking, rules, here)
    _check_hoppers(linking, rules, places, here)
    seen: dict[frozenset[Response], int] = {}
    for number, (responses, _) in enumerate(linking.frames):
        first = seen.setdefault(responses, number)
        if first != number:
            line, column = places.of(number)
            message = f"the frame of line {places.of(first)[0]} again"
            here.say("repeated-frame", message, line, column, hint="keep one of the two lines", error=False)
    if any(response[7] == "Generic" for response in linked):  # where they stand is only looked for if there are any
        for number, (responses, _) in enumerate(linking.frames):
            for response in sorted(each for each in responses if each.realis == "Generic"):
                line, column = places.of(number, response)
                message = f"the response {_name(response)} is generic, but in a frame"
                here.say("generic-linked", message, line, column, hint="take its id off the line")
    for response in sorted(each for each in linking.incomplete if each.realis == "Generic"):
        message = f"the response {_name(response)} is generic, but on the {INCOMPLETE} line"
        here.say("generic-incomplete", message, *places.incomplete, hint="take its id off the line", error=False)
    if rules.profile.check_frame_types:
        _check_types(linking, rules, places, here)


def report_missing(arguments: Arguments, file: File) -> None:
    """Say that a document has no linking file."""
    linkable = sum(each.response.realis != "Generic" for each in arguments.arguments)
    hint = f"link the {linkable} responses that are not generic" if linkable else "write an empty one"
    file.say("missing-linking", "there is no linking file for this document", hint=hint)


def without_echoes(found: Sequence[Finding], read: Arguments, here: File, there: File) -> list[Finding]:
    """Findings of the reader but for ids that are unknown only because their responses could not be read."""
    unknown = [finding for finding in found if finding.kind == "unknown-id"]
    if not unknown:
        return list(found)
    if not there.lines and there.data.removeprefix(BOM):  # the whole file could not be read
        return [finding for finding in found if finding.kind != "unknown-id"]
    good = {argument.line for argument in read.arguments}
    unread = {
        line.partition("\t")[0].strip(WHITE)
        for number, line in enumerate(there.lines, 1)
        if number not in good and line and line[0] != "#"
    }
    if not unread:
        return list(found)

    def is_echo(finding: Finding) -> bool:
        problem = finding.problem
        if finding.kind != "unknown-id" or problem.line is None or problem.column is None:
            return False
        rest = here.lines[problem.line - 1][problem.column - 1 :]
        return any(each in unread for each in (rest.partition("\t")[0].strip(WHITE), *rest.split(None, 1)[:1]))

    return [finding for finding in found if not is_echo(finding)]


class _Places:
    """Where frames and their responses stand in a linking file; nothing is looked for before somebody asks."""

    def __init__(self, arguments: Arguments, linking: Linking, rules: Rules, file: File) -> None:
        self._arguments = arguments
        self._count = len(linking.frames)
        self._pattern = _FIELD if rules.profile.linking_separator == "tab" else _TOKEN
        self._named = any(frame.id is not None for frame in linking.frames)
        self._file = file
        self._frames: list[tuple[int, int, dict[Response, int]]] | None = None

    def of(self, frame: int, response: Response | None = None) -> tuple[int | None, int | None]:
        """The line and column of a frame, or of a response in it."""
        if self._frames is None:
            self._frames = list(self._find())
        if len(self._frames) != self._count:  # lines that could not be read are in between
            return None, None
        line, column, responses = self._frames[frame]
        return line, column if response is None else responses.get(response, column)

    @property
    def incomplete(self) -> tuple[int | None, int | None]:
        """Where the responses are that nobody has linked."""
        for number, line in enumerate(self._file.lines, 1):
            if line.startswith(INCOMPLETE):
                return number, 1
        return None, None

    def _find(self) -> Iterator[tuple[int, int, dict[Response, int]]]:
        ids = Resolver(self._arguments)
        pattern = _TOKEN if self._named else self._pattern
        for number, line in enumerate(self._file.lines, 1):
            found = [(each[0], each.start() + 1) for each in pattern.finditer(line)]
            tokens = [(text.strip(WHITE), column) for text, column in found if text.strip(WHITE)]
            if not tokens or line[0] == "#" or tokens[0][0] == INCOMPLETE:
                continue
            responses: dict[Response, int] = {}
            for id_, column in tokens[self._named :]:
                response = ids.get(id_)
                if response is not None and id_ not in ids.ambiguous:
                    responses.setdefault(response, column)
            if responses:
                yield number, tokens[0][1], responses


def _check_presence(arguments: Arguments, linking: Linking, linked: Collection[Response], file: File) -> None:
    # Who is linked is among the arguments, which are all different, so often counting is enough.
    generic = sum(argument[0][7] == "Generic" for argument in arguments.arguments)
    if len(linked) - sum(response[7] == "Generic" for response in linked) == len(arguments.arguments) - generic:
        return
    for argument in arguments.arguments:
        response = argument[0]
        if response in linked or response.realis == "Generic":
            continue
        if response in linking.incomplete:
            message, hint = f"the response is only on the {INCOMPLETE} line", "put it into a frame, if only its own"
        else:
            message, hint = "the response is in no frame, and it is not generic", "give it a line in the linking file"
        file.say_of("unlinked", message, argument, 1, hint=hint)


def _check_hoppers(linking: Linking, rules: Rules, places: _Places, file: File) -> None:
    """Names of frames are of 2016."""
    if not linking.frames:
        return
    named = linking.frames[0].id is not None
    line, column = places.of(0) if named != (rules.layout == "2016") else (None, None)
    if named and rules.layout == "2015":
        message = f"lines begin with names of frames such as {quote(linking.frames[0].id or '')}"
        hint = "programs of 2015 take them for ids: leave them out"
        file.say("hopper-names", message, line, column, hint=hint, error=False)
    elif not named and rules.layout == "2016":
        message = "lines do not begin with the name of a hopper"
        file.say("no-hopper-names", message, line, column, hint="write a name, a TAB, and ids with blanks between them")


def _check_types(linking: Linking, rules: Rules, places: _Places, file: File) -> None:
    ontology = rules.ontology
    for number, (responses, _) in enumerate(linking.frames):
        types = {response[1] for response in responses}
        if len(types) == 1:
            continue
        types = set(filter(ontology.is_type, types))  # others are reported as such
        wrong = next((pair for pair in combinations(sorted(types), 2) if not ontology.are_linkable(*pair)), None)
        if wrong is not None:
            shown = " and ".join(wrong)
            more = f" ({len(types)} types in all)" if len(types) > 2 else ""
            line, column = places.of(number)
            hint = "make a frame for each event type"
            file.say("mixed-types", f"a frame with responses of {shown}{more}", line, column, hint=hint)


def _name(response: Response) -> str:
    return f"{quote(response.cas.text)} ({response.type}, {response.role})"
