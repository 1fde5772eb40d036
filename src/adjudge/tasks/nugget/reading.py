"""Read gold and the systems document by document, compare, count, and forget each document again."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.evaluate.sides import Names, check_sides
from adjudge.formats.recognise import Expected, recognised
from adjudge.formats.source import source_name
from adjudge.model.nugget import NuggetDocument, TokenTable
from adjudge.tasks.nugget.coreference import NOTHING, cluster_problems, count_coreference, open_choices
from adjudge.tasks.nugget.diagnostics import Diagnostics
from adjudge.tasks.nugget.measures import columns, row
from adjudge.tasks.nugget.observe import Observed, compare, is_char, of_types
from adjudge.tasks.nugget.ready import Ready, prepare
from adjudge.tasks.nugget.rows import Row, Rows
from adjudge.tasks.nugget.sequencing import COLUMNS as SEQUENCE_COLUMNS
from adjudge.tasks.nugget.sequencing import check_links, count_sequence
from adjudge.tasks.nugget.settings import Mode, Settings
from adjudge.tasks.nugget.sides import Documents, Opened, Tables, choose, is_file, name_systems, open_side

if TYPE_CHECKING:
    from adjudge.stats.elements import ElementTable
    from adjudge.tasks.nugget.open_choices import Choices

FIELDS = ("type", "realis")
LIMIT = 100  # problems that are listed
TBF = Expected("TBF", ("tbf",))

_NO_LINKS = array("d", [0.0]) * len(SEQUENCE_COLUMNS)


class Seen(NamedTuple):
    """One document of gold and of one system, compared."""

    place: int
    system: str
    gold: NuggetDocument
    own: NuggetDocument | None
    observed: Observed


Visitor: TypeAlias = Callable[[Seen], None]


class Counted(NamedTuple):
    """What was counted of one system: a row per document for nuggets, coreference and sequencing."""

    path: str
    digest: str
    nuggets: Rows
    coref: Rows
    sequencing: Rows
    best: dict[int, Row]  # rows of documents whose search was cut short, with the most that is possible
    choices: list[Choices | None]  # what is open where nuggets are annotated twice
    diagnostics: Diagnostics
    slices: dict[str, Slices]


class Campaign(NamedTuple):
    """All that was counted; `coref` and `sequencing` say whether there is any to report."""

    settings: Settings
    mode: Mode
    ids: list[str]
    of: int  # documents that gold has
    digest: str
    systems: dict[str, Counted]
    coref: bool
    sequencing: bool
    sources: tuple[Documents, ...] = ()  # gold and the systems, as they were given


def observe_all(
    gold: Documents,
    systems: Any,
    settings: Settings,
    *,
    tokens: Any = None,
    docs: Iterable[str] | None = None,
    mode: Mode | None = None,
    suffix: str = ".tab",
    names: Sequence[str | None] | None = None,
    by: Sequence[str] = (),
    jobs: int = 1,
    cluster: str | None = None,
    visit: Visitor | None = None,
) -> Campaign:
    """Read all sides document by document and count; `visit` is shown every pair of documents on the way.

    `jobs` is the number of processes, each with documents or systems of its own; 0 starts several only if that pays.
    `cluster` is a Dask cluster whose workers see the same files.
    """
    named = name_systems(gold, systems, names)
    sources = (gold, *(source for _, source in named))
    for field in by:
        if field not in FIELDS:
            hint = did_you_mean(field, FIELDS) or f"nuggets have a {' and a '.join(FIELDS)}"
            raise UsageError(f"cannot slice by {field!r}", hint=hint)
    docs = None if docs is None else list(docs)
    reader = Reader(gold, settings, tokens, docs, mode, suffix, tuple(by))
    paths = all(isinstance(source, str) and source != "-" for source in (gold, *(source for _, source in named)))
    if paths and visit is None and (cluster is not None or jobs != 1):
        from adjudge.tasks.nugget.parts import read_parts

        campaign = read_parts(reader, named, jobs=jobs, cluster=cluster)
        if campaign is not None:
            return campaign._replace(sources=sources)
    if not paths or visit is not None or (cluster is None and (jobs == 1 or len(named) == 1)):
        return reader.read(named, visit)._replace(sources=sources)
    from adjudge.engine.local import map_documents, work_folder

    pairs = ((name, name, source) for name, source in named)
    folder = work_folder((gold, *([tokens] if isinstance(tokens, str) else []), *(source for _, source in named)))
    parts = list(map_documents(reader.one, pairs, jobs=jobs, cluster=cluster, folder=folder, chunk=1))
    errors = [part for _, part in parts if isinstance(part, AdjudgeError)]
    if errors:
        problems = dict.fromkeys(problem for error in errors for problem in error.problems)
        raise type(errors[0])(list(problems)[:LIMIT])
    done = [part for _, part in parts if not isinstance(part, AdjudgeError)]
    return done[0]._replace(
        sources=sources,
        systems={name: part.systems[name] for (name, _), part in zip(named, done, strict=True)},
        coref=any(part.coref for part in done),
        sequencing=any(part.sequencing for part in done),
    )


class Reader(NamedTuple):
    """Reads gold and some systems and compares them; travels to other processes."""

    gold: Documents
    settings: Settings
    tokens: Any
    docs: list[str] | None
    mode: Mode | None
    suffix: str
    by: tuple[str, ...]

    def one(self, name: str, source: Documents) -> Campaign | AdjudgeError:
        """One system by itself, or what is wrong."""
        try:
            return self.read([(name, source)])
        except UsageError:
            raise
        except AdjudgeError as error:
            return error

    def read(self, named: Sequence[tuple[str, Documents]], visit: Visitor | None = None) -> Campaign:
        """All counts of some systems."""
        return _read(self, named, visit)


class _Progress:
    """What is known in the middle of the documents of one system."""

    def __init__(self, name: str, opened: Opened, reader: Reader) -> None:
        self.name = name
        self.opened = opened
        self.counted = Counted(
            opened.path,
            opened.digest,
            Rows(len(columns(reader.settings))),
            Rows(len(NOTHING)),
            Rows(len(_NO_LINKS)),
            {},
            [],
            Diagnostics(),
            {field: Slices(field, reader.settings) for field in reader.by},
        )
        self.coref = self.sequencing = False
        self.refused: list[Problem] = []  # clusters that cannot be scored


def _read(reader: Reader, named: Sequence[tuple[str, Documents]], visit: Visitor | None) -> Campaign:
    chosen = reader.settings
    tables = Tables(reader.tokens, suffix=reader.suffix, lenient=chosen.official)
    mode = reader.mode or ("token" if tables else None)
    gold = open_side(reader.gold, mode)
    mode = mode or gold.mode
    if chosen.profile == "evmeval-2015" and mode == "char":
        raise UsageError("the program of 2015 compares tokens only", hint="name the folder of the token tables with -t")
    if not gold.ids:
        hint = "a document begins with a line such as: #BeginOfDocument name, and ends with #EndOfDocument"
        error = FormatError(gold.notes or Problem("gold has no documents", path=gold.path, hint=hint))
        raise recognised(error, reader.gold, TBF) if is_file(reader.gold) else error
    ids = choose(gold, reader.docs, in_order=chosen.official)
    systems = [_Progress(name, open_side(source, mode), reader) for name, source in named]
    if not chosen.official:  # the official program takes a file of anything for a system that finds nothing
        _refuse_other_files(systems, named)
    problems: list[Problem] = []
    invisible_words = chosen.invisible
    for place, id in enumerate(ids):
        ours = of_types(gold.read(id), chosen)
        problems += gold.problems(id)
        table = tables.read(id) if mode == "token" and tables else None
        invisible = _invisible(table, invisible_words)
        ready = prepare(ours, chosen, invisible, char=is_char(ours))
        for each in systems:
            theirs = of_types(each.opened.read(id), chosen) if id in each.opened else None
            if theirs is not None:
                problems += each.opened.problems(id)
            if mode == "token":
                each.counted.diagnostics.tokens(ours, theirs, table)
            problems += _count(each, reader, place, ready, theirs, table, invisible, gold.path, visit)
        if len(problems) > LIMIT:
            break
    coref = chosen.coref if chosen.coref is not None else any(each.coref for each in systems)
    if coref:
        problems += [problem for each in systems for problem in each.refused]
    if problems:
        _refuse(problems)
    for each in systems:
        diagnostics = each.counted.diagnostics
        remarks = [*gold.remarks.values(), *each.opened.remarks.values()]
        diagnostics.input += [*gold.notes, *each.opened.notes, *tables.notes, *remarks]
        known = set(gold.ids)
        diagnostics.nothing = not each.opened.ids
        diagnostics.shared = any(id in known for id in each.opened.ids)
        diagnostics.extra += [id for id in each.opened.ids if id not in known]
    sequencing = chosen.sequencing if chosen.sequencing is not None else any(each.sequencing for each in systems)
    if coref and chosen.profile == "evmeval-2015":
        _check_2015(systems)
    return Campaign(
        chosen, mode, ids, len(gold.ids), gold.digest, {each.name: each.counted for each in systems}, coref, sequencing
    )


def check_documents(campaign: Campaign) -> None:
    """Raise if a system has documents, and none of them is one of gold."""
    gold = campaign.sources[0] if campaign.sources and is_file(campaign.sources[0]) else b""
    check_sides(
        Names(source_name(gold) if gold else "gold", campaign.ids),
        [
            Names(counted.path, counted.diagnostics.extra)
            for counted in campaign.systems.values()
            if not counted.diagnostics.shared and counted.diagnostics.extra
        ],
    )


def _refuse_other_files(systems: Sequence[_Progress], named: Sequence[tuple[str, Documents]]) -> None:
    """Raise if a system file has lines but no documents."""
    problems: list[Problem] = []
    for each, (_, source) in zip(systems, named, strict=True):
        notes = each.opened.notes if not each.opened.ids else []
        if any(note.line for note in notes):
            error: AdjudgeError = FormatError(notes)
            problems += (recognised(error, source, TBF) if is_file(source) else error).problems
    if problems:
        raise FormatError(problems)


def _invisible(table: TokenTable | None, words: frozenset[str]) -> frozenset[str]:
    if table is None or not words:
        return frozenset()
    return frozenset([token.id for token in table.tokens if token.text.strip().lower() in words])


def _count(
    progress: _Progress,
    reader: Reader,
    place: int,
    gold: Ready,
    system: NuggetDocument | None,
    table: TokenTable | None,
    invisible: frozenset[str],
    path: str,
    visit: Visitor | None,
) -> Iterator[Problem]:
    """Count one document of one system, and give what makes that impossible."""
    chosen, counted = reader.settings, progress.counted
    diagnostics = counted.diagnostics
    if _stops(diagnostics, system, chosen):
        counted.nuggets.append((0,) * len(columns(chosen)))
        counted.coref.append(NOTHING)
        counted.choices.append(None)
        counted.sequencing.append(_NO_LINKS)
        return
    id = gold.document.id
    own = system if system is not None else NuggetDocument(id)
    char = is_char(gold.document, own)  # if gold has no places, it does not matter how they were read
    other = prepare(own, chosen, invisible, char=char)
    observed = compare(gold.side, other.side, chosen, char=char)
    diagnostics.see(gold, other, observed, chosen, missing=system is None)
    counted.nuggets.append(row(observed.matched, observed.system, observed.gold, chosen))
    if not all(mapped.proven for mapped in observed.entangled.values()):
        counted.best[place] = row(_most(observed), observed.system, observed.gold, chosen)
    pairs = observed.mappings[chosen.mapping]
    if chosen.coref is not False:
        links = gold.links, other.links
        progress.coref = progress.coref or bool(links[0].clusters or links[1].clusters)
        for each, file in ((gold, path), (other, progress.opened.path)):
            if not each.sound and len(progress.refused) <= LIMIT:
                progress.refused += cluster_problems(
                    each.document,
                    each.side.keys,
                    chosen,
                    path=file,
                    is_gold=each is gold,
                    known=None if chosen.profile != "evmeval-2015" else {t.id for t in table.tokens} if table else (),
                    aligned={pair[0] for pair in pairs if pair[2] >= chosen.threshold} if each is gold else None,
                )
        chains = None if gold.chains is None or other.chains is None else (gold.chains, other.chains)
        counts = count_coreference(links, observed.sides, pairs, chosen, chains)
        if counts is NOTHING:
            diagnostics.left_out.append(id)
        counted.coref.append(counts)
        counted.choices.append(open_choices(links, observed, pairs, chosen))
    sequenced = chosen.sequencing is not False and (gold.directed or other.directed)
    if sequenced:
        progress.sequencing = True
        for document, file in ((gold.document, path), (own, progress.opened.path)):
            for finding in check_links(document, path=file):
                if finding.kind == "link-and-reverse" and not chosen.any_links:
                    yield finding.problem
        found = count_sequence(gold.document, own, pairs)
        diagnostics.remarks.append((id, found.remarks))
    counted.sequencing.append(found.counts if sequenced else _NO_LINKS)
    for slices in counted.slices.values():
        slices.add(place, observed)
    if visit is not None:
        visit(Seen(place, progress.name, gold.document, system, observed))


def _stops(diagnostics: Diagnostics, system: NuggetDocument | None, settings: Settings) -> bool:
    """Whether the program of 2015 has stopped at a system document with a mention id twice."""
    if settings.profile != "evmeval-2015" or system is None:
        return diagnostics.stopped is not None
    if diagnostics.stopped is None and len({nugget.id for nugget in system.nuggets}) < len(system.nuggets):
        diagnostics.stopped = system.id
    return diagnostics.stopped is not None


def _most(observed: Observed) -> Mapping[str, float]:
    """The highest sums that an unfinished search leaves possible."""
    return {
        name: value + (observed.entangled[name].optimal - observed.entangled[name].best)
        if name in observed.entangled
        else value
        for name, value in observed.matched.items()
    }


def _check_2015(systems: Sequence[_Progress]) -> None:
    """The program of 2015 stops if no document has a coreference score."""
    for each in systems:
        if not any(map(any, each.counted.coref)):
            message = "no document has a coreference score above 0, and the program of 2015 stops"
            hint = "leave coreference out (--no-coref), or use the profile evmeval-1.8 or spec"
            raise ValidationError(Problem(message, path=each.opened.path, hint=hint))


def _refuse(problems: Sequence[Problem]) -> None:
    problems = list(dict.fromkeys(problems))
    if len(problems) > LIMIT:
        problems[LIMIT:] = [Problem("and more problems")]
    raise FormatError(problems)


# ---------------------------------------------------------------------------------------------------------------------
# Scores of the nuggets of one type, or of one realis value: the pairs of a mapping by the value of their gold nugget
#
# A mapping that asks for equal values pairs nuggets of one value only with each other, so this is what scoring these
# nuggets alone would give. Of the mappings, those that ask for the value count.


class Slices:
    """The counts of every value of a field in every document that has it on either side."""

    def __init__(self, field: str, settings: Settings) -> None:
        self.field = field
        self.names = [name for name in settings.scored if field in name.split("+")]
        self.values: dict[str, dict[int, list[float]]] = {}  # value -> document -> counts

    def add(self, place: int, observed: Observed) -> None:
        """Take in one document."""
        gold, system = (side.types if self.field == "type" else side.realis for side in observed.sides)
        found: dict[str, list[float]] = {}
        for column, values in ((-1, gold), (-2, system)):
            for value in values:
                if value not in found:
                    found[value] = [0.0] * (len(self.names) + 2)
                found[value][column] += 1
        for number, name in enumerate(self.names):
            for one, _, dice in observed.mappings[name]:
                found[gold[one]][number] += dice
        for value, counts in found.items():
            self.values.setdefault(value, {})[place] = counts

    def extend(self, later: Slices, documents: int) -> None:
        """Take in the slices of documents that come after so many others."""
        for value, found in later.values.items():
            own = self.values.setdefault(value, {})
            own.update((documents + place, counts) for place, counts in found.items())

    def table(self, documents: int) -> ElementTable:
        """All of it in the form of results."""
        from adjudge.stats.elements import ElementSlice, ElementTable, Rows

        names = (*(f"nugget.{name}:matched" for name in self.names), "nugget:system", "nugget:gold")
        return ElementTable(
            self.field,
            names,
            Rows(((0.0,) * len(names),) * documents),
            tuple(
                ElementSlice(value, tuple(found), Rows(_rows(list(found.values()))))
                for value, found in self.values.items()
            ),
        )


def _rows(counts: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, counts))
