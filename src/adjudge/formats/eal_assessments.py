"""Assessment files: the eleven columns of an argument file and seven more, one file per document.

    12 event type   13 role   14 CAS   15 base filler   C, W, I or NIL
    16 cluster of the CAS, a number or NIL    17 realis or NIL    18 NAME, NOMINAL or NIL

A response with UNANNOTATED in any of them is not assessed yet; its cluster still counts. The confidence is not looked
at, and written as 1.0. Comments are not kept. Column 1 is a hash of columns 2 to 10; a line in which it is another one
was changed, and is an error, because its assessment is of a response that nobody gave.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any, Literal, NamedTuple, TypeAlias

from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.findings import Finding, Findings, errors_of, field_column
from adjudge.formats.eal_arguments import (
    COLUMNS,
    NAMES,
    REALISES,
    Complaints,
    Ids,
    format_id,
    format_response,
    read_justifications,
    read_responses,
    read_written,
    sort_key,
)
from adjudge.formats.eal_fields import (
    DIGEST,
    LARGEST,
    REALIS_BYTES,
    WHITE,
    Seen,
    decode_lines,
    form_of,
    id_2014,
    parse_span,
    parse_spans,
    plain_lines,
    set_bytes,
    sha1_id,
    sha1_ids,
    span_bytes,
)
from adjudge.model.eal import REALIS, AnswerKey, Argument, Assessment, Cas, Realis, Response

__all__ = ["ALL_COLUMNS", "UNANNOTATED", "inconsistencies", "parse_key", "scan_key", "write_key"]

RepeatedCluster: TypeAlias = Literal["join", "error"]

ALL_COLUMNS = COLUMNS + 7
UNANNOTATED = "UNANNOTATED"

_JUDGEMENTS: dict[str, Any] = {"C": "C", "W": "W", "I": "I", "NIL": None}
_REALIS: dict[str, Any] = {"nil": None, **{each.lower(): each for each in REALIS}}
_MENTIONS: dict[str, Any] = {"NAME": "NAME", "NOMINAL": "NOMINAL", "NIL": None}
_NAMES = ("event type", "role", "CAS", "base filler", "coreference", "realis", "mention type")
_ACCEPTED = ("C", "I")


def parse_key(data: bytes, document: str) -> tuple[AnswerKey, list[Problem]]:
    r"""The assessments of a file that could be read, and every problem with it.

    Assessments that contradict the guidelines are in the answer and among the problems. Of two assessments of one
    response the first counts. Clusters that share a CAS are one: coreference is transitive.

    >>> line = b"1\tD1\tLife.Die\tPlace\tRome\t20-23\t5-50\t20-23\tNIL\tActual\t1.0\tC\tC\tC\tI\t7\tActual\tNAME\n"
    >>> key, problems = parse_key(line, "D1")
    >>> list(key.assessed.values())[0].base_filler, key.coref
    ('I', {Cas(text='Rome', span=Span(start=20, end=23)): 7})
    >>> key, problems = parse_key(line.replace(b"NAME", b"NIL"), "D1")
    >>> print(problems[0])
    D1:1:75: column 18 (mention type) is NIL, answer it, because event type and role are C or I
    """
    key, findings = scan_key(data, document)
    return key, errors_of(findings)


def scan_key(
    data: bytes, document: str, place: str | None = None, *, repeated_cluster: RepeatedCluster = "join"
) -> tuple[AnswerKey, list[Finding]]:
    """The same with the kind of each problem, for programs."""
    lines, findings = scan_key_lines(data, document, place, repeated_cluster=repeated_cluster)
    return lines.whole(), findings


class KeyLines:
    """The assessments of a document in columns, one place for each response; objects are made for who asks for them.

    `clusters` and `judged` are None where there is none. `ids`, the content hashes, and `written`, columns 2 to 10 as
    they stand in the file, are empty if the file has lines of other kinds, or there is no file. This is what
    scoring takes (row `eal/splitting`).
    """

    def __init__(self, document: str) -> None:
        self.document = document
        self.ids: Sequence[str] = ()
        self.written: Sequence[str] = ()
        self.types: Sequence[str] = ()
        self.roles: Sequence[str] = ()
        self.texts: Sequence[str] = ()
        self.realis: Sequence[Realis] = ()
        self.clusters: Sequence[int | None] = ()
        self.judged: Sequence[Assessment | None] = ()
        self.joined: Sequence[Cas] = ()
        self._key: AnswerKey | None = None

    @classmethod
    def of(cls, key: AnswerKey) -> KeyLines:
        """The same of objects."""
        made = cls(key.document)
        made._key, made.joined = key, key.joined
        made.responses = [*dict.fromkeys((*key.assessed, *key.unassessed))]
        made.types = [response.type for response in made.responses]
        made.roles = [response.role for response in made.responses]
        made.texts = [response.cas.text for response in made.responses]
        made.realis = [response.realis for response in made.responses]
        made.clusters = [key.coref.get(each[3]) for each in made.responses]
        made.judged = [key.assessed.get(each) for each in made.responses]
        return made

    @cached_property
    def responses(self) -> Sequence[Response]:
        """All responses, assessed or not."""
        return read_written(self.written, self.document)

    def response(self, at: int) -> Response:
        """One response, without making the others."""
        if "responses" in self.__dict__:
            return self.responses[at]
        return read_written(self.written[at : at + 1], self.document)[0]

    def whole(self) -> AnswerKey:
        """The same as objects."""
        if self._key is None:
            rows = list(zip(self.responses, self.judged, strict=True))
            assessed = {response: given for response, given in rows if given is not None}
            rest = tuple(response for response, given in rows if given is None)
            both = zip(self.responses, self.clusters, strict=True)
            coref = {response.cas: cluster for response, cluster in both if cluster is not None}
            hashes = dict(zip(self.ids, self.responses, strict=True))
            self._key = AnswerKey(self.document, assessed, rest, coref, hashes=hashes)
        return self._key


def scan_key_lines(
    data: bytes, document: str, place: str | None = None, *, repeated_cluster: RepeatedCluster = "join"
) -> tuple[KeyLines, list[Finding]]:
    """The assessments of a file in columns, and what is wrong with it.

    With `repeated_cluster="error"` two clusters of one CAS are an error, as in the official programs, and the first
    counts.
    """
    try:
        sound = _read_sound(plain_lines(data), document)
    except ValueError:
        sound = None
    if sound is not None:
        return sound, []
    key, findings = _scan_lines(data, document, place or document, repeated_cluster)
    return KeyLines.of(key), findings


def _read_sound(lines: Sequence[str], document: str) -> KeyLines | None:
    """The assessments of lines that have nothing wrong or unusual, column by column; None if they have something."""
    columns = zip(*[line.split("\t", COLUMNS) for line in lines], strict=True)
    ids, documents, types, roles, texts, at, because, fillers, more, realis, sure, answers = columns
    if documents.count(document) < len(lines):
        return None
    found = KeyLines(document)
    found.ids = ids
    found.types, found.roles = list(map(NAMES.__getitem__, types)), list(map(NAMES.__getitem__, roles))
    found.texts = list(map(str.strip, texts, repeat(WHITE)))
    found.realis = list(map(REALISES.__getitem__, realis))
    places = list(map(_SPAN_BYTES.__getitem__, at))
    hashes = sha1_ids(
        map("".join, zip(documents, found.types, found.roles, found.texts, strict=True)),
        places,
        map(_SPAN_BYTES.__getitem__, fillers),
        map(_BECAUSE_BYTES.__getitem__, because),
        map(_MORE_BYTES.__getitem__, more),
        map(REALIS_BYTES.__getitem__, found.realis),
    )
    if hashes != list(ids) or len({*ids}) < len(ids):
        return None
    clusters, found.judged = zip(*map(_SOUND.__getitem__, answers), strict=True)
    strings = list(zip(found.texts, places, strict=True))
    given = {string: each for string, each in zip(strings, clusters, strict=True) if each is not None}
    found.clusters = list(map(given.get, strings))
    if None in clusters:
        if any(one not in (None, other) for one, other in zip(clusters, found.clusters, strict=True)):
            return None
    elif found.clusters != list(clusters):
        return None
    ends = zip(lines, sure, answers, strict=True)
    found.written = [line[DIGEST + 1 : -len(end) - len(number) - 2] for line, number, end in ends]
    return found


def _read_answers(raw: str) -> tuple[int | None, Assessment | None]:
    """Cluster and assessment of columns 12 to 18; a ValueError if something is wrong with them."""
    findings = Findings("")
    answers = [each.strip(WHITE) for each in raw.split("\t")]
    if len(answers) != ALL_COLUMNS - COLUMNS:
        raise ValueError("other columns")
    cluster, judged = _cluster(answers, "", 0, findings), _assessment(answers, "", 0, findings)
    if isinstance(judged, bool) or findings.found or (judged and inconsistencies(judged, cluster is not None)):
        raise ValueError("no sound answers")
    return cluster, judged


def _scan_lines(
    data: bytes, document: str, place: str, repeated_cluster: RepeatedCluster
) -> tuple[AnswerKey, list[Finding]]:
    """The assessments of lines that could be read one by one, and everything that is wrong with them."""
    findings = Findings(place, document)
    complaints = Complaints(document)
    assessed: dict[Response, Assessment] = {}
    unassessed: dict[Response, None] = {}
    coref: dict[Cas, int] = {}
    places: dict[Response, tuple[int, str]] = {}
    names = _Names()
    cas_lines: dict[Cas, int] = {}
    ids: dict[str, Response | None] = {}
    pairs: dict[tuple[int, int], None] = {}
    joined: dict[Cas, None] = {}
    for number, line in enumerate(decode_lines(data, findings), 1):
        if not line or line[0] == "#":
            continue
        columns = line.split("\t")
        if len(columns) != ALL_COLUMNS and line.strip(WHITE):
            message = f"a line with {len(columns)} of {ALL_COLUMNS} columns"
            hint = f"after the {COLUMNS} of the response, give {', '.join(_NAMES)}"
            findings.add("columns", message, number, 1, hint)
            continue
        id_, answers = columns[0].strip(WHITE), [each.strip(WHITE) for each in columns[COLUMNS:]]
        try:
            (response,) = read_responses([[each] for each in columns[1 : COLUMNS - 1]], document)
        except ValueError:
            complaints.complain(line, number, findings, confidence=False)
            continue
        cluster, judged = _cluster(answers, line, number, findings), _assessment(answers, line, number, findings)
        names.see(id_, response, number)
        if len(id_) != DIGEST and ids.setdefault(id_, response) != response:
            ids[id_] = None
        cas = response.cas
        if cluster is not None:
            known = coref.setdefault(cas, cluster)
            cas_lines.setdefault(cas, number)
            if known != cluster:
                said = f"the CAS {cas.text!r} is in cluster {cluster} here, in {known} on line {cas_lines[cas]}"
                if repeated_cluster == "join":
                    said, joined[cas] = f"{said}: the two are one", None
                    pairs[known, cluster] = None
                error, hint = repeated_cluster == "error", "give it one cluster"
                findings.add("coref-conflict", said, number, field_column(line, 16), hint, error=error)
        if judged is None:
            unassessed[response] = None
        elif not isinstance(judged, Assessment):
            continue
        elif response not in assessed:
            assessed[response] = judged
            places[response] = number, line
        elif assessed[response] != judged:
            message = f"this is the response of line {places[response][0]}, with another assessment"
            findings.add("assessment-conflict", message, number, field_column(line, 12), "keep one of the two lines")
    for response, (number, line) in places.items():
        for each in inconsistencies(assessed[response], response.cas in coref):
            findings.add(each.kind, each.message, number, field_column(line, each.column), each.hint)
    complaints.report_documents(findings)
    names.report(findings)
    rest = tuple(response for response in unassessed if response not in assessed)
    if pairs:
        smallest = _closure(pairs)
        coref = {cas: smallest.get(cluster, cluster) for cas, cluster in coref.items()}
    return AnswerKey(document, assessed, rest, coref, ids, tuple(joined)), findings.sorted()


def _closure(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The smallest of the numbers that pairs lead to, for each number that has a pair.

    >>> _closure([(7, 3), (9, 7), (5, 6)]) == {7: 3, 3: 3, 9: 3, 5: 5, 6: 5}
    True
    """
    groups: dict[int, set[int]] = {}
    for one, other in pairs:
        group = groups.get(one, {one}) | groups.get(other, {other})
        groups.update(dict.fromkeys(group, group))
    return {number: min(group) for number, group in groups.items()}


class _Names:
    """Compares column 1 with the content of each line: it is a hash of columns 2 to 10, so that no change goes unseen.

    A file whose ids are all words or short numbers was numbered by somebody; it has no hashes to compare.
    """

    def __init__(self) -> None:
        self._wrong: list[tuple[int, str, str]] = []  # line, id, and what it should be
        self._right = 0
        self._hashes = False

    def see(self, id_: str, response: Response, number: int) -> None:
        """Take in a line."""
        form = _form(id_)
        right = str(id_2014(response)) if form == "2014" else sha1_id(response)
        if id_ == right or (form == "own" and id_ == str(id_2014(response))):
            self._right += 1
        else:
            self._hashes = self._hashes or form != "own"
            self._wrong.append((number, id_, right))

    def report(self, findings: Findings) -> None:
        """Say which lines were changed."""
        many = len(self._wrong)
        if not (self._hashes or self._right):
            return
        if many > _MANY:
            number, id_, right = self._wrong[0]
            message = f"column 1 (id) of {many} lines is not the hash of columns 2 to 10: here it is {id_}, not {right}"
            hint = "undo what was changed in these lines"
            if not self._right:
                hint += "; if an older program wrote the ids, adjudge eal assessment repair writes new ones"
            findings.add("id-content" if self._right else UNKNOWN_IDS, message, number, 1, hint)
            return
        for number, id_, right in self._wrong:
            message = f"the response was changed: column 1 (id) is {id_}, the hash of columns 2 to 10 is {right}"
            findings.add("id-content", message, number, 1, "undo the change, or write this hash if it is meant")


UNKNOWN_IDS = "id-unknown"  # the kind of complaint about a file whose ids are all of another program
_MANY = 5  # lines of a file that are named one by one
_SHORT = 6  # digits of a number that hardly is a hash


def _form(id_: str) -> str:
    """What an id can be: a hash of the programs since 2015 or of 2014, or a name that somebody chose."""
    form = form_of(id_)
    if form == "number" and len(id_.removeprefix("-")) <= _SHORT:
        return "own"
    return {"sha1": "sha1", "number": "2014"}.get(form, "own")


class Inconsistency(NamedTuple):
    """What an assessment contradicts, and in which column."""

    kind: str
    column: int
    message: str
    hint: str


def inconsistencies(assessment: Assessment, has_cluster: bool) -> list[Inconsistency]:
    """Everything in an assessment that the guidelines do not allow.

    The role is answered if the event type is C or I. If the event type is W or NIL, or the role is W, nothing more is
    answered, else everything is. A CAS that is C or I has a cluster.

    >>> [each.message for each in inconsistencies(Assessment("W", None, "C"), True)]
    ['column 14 (CAS) is C']
    """
    found = []
    open_ = assessment.event_type in _ACCEPTED and assessment.role != "W"
    if assessment.event_type in _ACCEPTED and assessment.role is None:
        message = "column 13 (role) is NIL"
        found.append(Inconsistency("assessment-missing", 13, message, "answer it, because the event type is C or I"))
    later = {
        14: assessment.cas,
        15: assessment.base_filler,
        17: assessment.realis,
        18: assessment.mention_type,
    }
    for column, value in later.items():
        name = f"column {column} ({_NAMES[column - 12]})"
        if open_ and value is None:
            hint = "answer it, because event type and role are C or I"
            found.append(Inconsistency("assessment-missing", column, f"{name} is NIL", hint))
        elif not open_ and value is not None:
            hint = "write NIL, because the event type is W or NIL, or the role is W"
            found.append(Inconsistency("assessment-superfluous", column, f"{name} is {value}", hint))
    if assessment.cas in _ACCEPTED and not has_cluster:
        message = "the CAS is C or I and has no cluster in this document"
        found.append(Inconsistency("coref-missing", 16, message, "give it a number in column 16"))
    return found


def write_key(key: AnswerKey, *, ids: Ids = "sha1") -> bytes:
    """A file in canonical order: assessed responses, then the others, each sorted by id.

    `ids` decides the first column: "sha1" or "2014", since none is kept from reading. A cluster is written with every
    response that has its CAS.

    >>> write_key(AnswerKey("D1"))
    b''
    """
    if ids == "keep":
        raise UsageError("assessments have no ids to keep", hint="write content hashes, sha1 or 2014")
    problems: list[Problem] = []
    rest = [response for response in dict.fromkeys(key.unassessed) if response not in key.assessed]
    parts = []
    for responses in (list(key.assessed), rest):
        rows = []
        for response in responses:
            cluster = key.coref.get(response.cas)
            try:
                middle = format_response(response, key.document)
            except ValueError as error:
                problems.append(Problem(f"a response cannot be written: {error}", path=key.document))
                continue
            if cluster is not None and not -LARGEST - 1 <= cluster <= LARGEST:
                problem = f"the cluster {cluster} of {response.cas.text!r} is not a 32-bit number"
                problems.append(Problem(problem, path=key.document, hint="give smaller numbers to clusters"))
            id_ = format_id(Argument(response), ids)
            answers = "\t".join(_answers(key.assessed.get(response), cluster))
            rows.append((sort_key(id_), f"{id_}\t{middle}\t1.0\t{answers}\n"))
        rows.sort()
        parts += [text for _, text in rows]
    if problems:
        raise ValidationError(problems)
    return "".join(parts).encode()


def _answers(assessment: Assessment | None, cluster: int | None) -> list[str]:
    if assessment is None:
        shown = UNANNOTATED if cluster is None else str(cluster)
        return [*[UNANNOTATED] * 4, shown, UNANNOTATED, UNANNOTATED]
    event_type, role, cas, filler, realis, mention = (each or "NIL" for each in assessment)
    return [event_type, role, cas, filler, "NIL" if cluster is None else str(cluster), realis, mention]


def _cluster(answers: list[str], line: str, number: int, findings: Findings) -> int | None:
    text = answers[4]
    if text in ("", "NIL", UNANNOTATED):
        return None
    digits = text.removeprefix("-")
    if text.isascii() and digits.isdecimal() and len(digits) <= 10 and -LARGEST - 1 <= int(text) <= LARGEST:
        return int(text)
    message = f"the cluster {text!r} is not a 32-bit number in column 16 (coreference)"
    findings.add("assessment-value", message, number, field_column(line, 16), "write a number, or NIL")
    return None


def _assessment(answers: list[str], line: str, number: int, findings: Findings) -> Assessment | bool | None:
    """What the answers say; None if they are not complete, False if they cannot be read."""
    if UNANNOTATED in answers:
        return None
    values = []
    fine = True
    for at, text in enumerate(answers):
        if at == 4:
            continue
        allowed = _JUDGEMENTS if at < 4 else (_REALIS if at == 5 else _MENTIONS)
        asked = text.lower() if at == 5 else text
        if asked in allowed:
            values.append(allowed[asked])
            continue
        fine = False
        options = [*REALIS, "NIL"] if at == 5 else list(allowed)
        message = f"{text!r} is not an answer in column {12 + at} ({_NAMES[at]})"
        hint = f"write {', '.join(options[:-1])} or {options[-1]}"
        findings.add("assessment-value", message, number, field_column(line, 12 + at), hint)
    return Assessment(*values) if fine else False


_SOUND = Seen(_read_answers)
_SPAN_BYTES: Seen[str, bytes] = Seen(lambda raw: span_bytes(parse_span(raw)))
_BECAUSE_BYTES: Seen[str, bytes] = Seen(
    lambda raw: set_bytes(0, read_justifications(raw) if "," in raw else (parse_span(raw),))
)
_MORE_BYTES: Seen[str, bytes] = Seen(lambda raw: set_bytes(1, parse_spans(raw)))
