"""Tasks with rules of their own (coreference, nuggets, event arguments, knowledge bases), asked for by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from adjudge.errors import FormatError, UsageError, check_keywords
from adjudge.evaluate.engine import Evaluation, evaluate
from adjudge.evaluate.sides import is_file
from adjudge.evaluate.task import OPTIONS as RUN
from adjudge.evaluate.task import Run, Side, Task, run_of
from adjudge.formats.coerce.answers import is_answer
from adjudge.formats.coerce.corpus import WHOLE, Declared
from adjudge.formats.coerce.tables import as_table, id_column
from adjudge.scorers.published import find_scorers
from adjudge.tasks.door import opened
from adjudge.tasks.request import OPTIONS, Asking, run_with

if TYPE_CHECKING:
    from adjudge.model.kbp import TripleTable
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.result import Result
    from adjudge.tasks.kbp.inputs import KbInputs
    from adjudge.tasks.kbp.scoring import Asked

_COMPAT = {"coref": ("conll-8.01", "corefud"), "nugget": ("evmeval-1.8", "evmeval-2015")}
_SETTINGS = {
    "coref": ("profile", "singletons", "match", "overlap", "zeros"),
    "nugget": ("profile", "types", "attributes", "coref", "sequencing", "coref_threshold", "coref_mapping"),
    "eal": ("profile", "beta", "lambda_", "taxonomy", "neutralize", "covers", "extras"),
}
_OTHERS = {
    "coref": ("metric", *OPTIONS),
    "nugget": ("tokens", "suffix", "mode", "texts", "text_suffix"),
    "eal": ("frames", "regions"),
}
_KBP = ("wiki", "profile", "options", "inputs", "engine", "box", "examples", "warn", "say", *OPTIONS)
_READING = ("texts", "iri", "literals", "rdf_type", "ignore_documents", "gold_format", "system_format")
"""How knowledge graphs are read."""


def option_names(name: str) -> tuple[str, ...]:
    """The options of a task, beside those of every run."""
    if name != "kbp":
        return ("names", "documents", "compat", *_SETTINGS[name], *_OTHERS[name])
    from adjudge.tasks.kbp.options import KbOptions

    return ("names", "documents", *_KBP, *_READING, *(each.name for each in fields(KbOptions)))


def own_request(name: str, metrics: Any, run: Any, options: Mapping[str, Any]) -> Asking:
    """The request to a task with rules of its own."""
    check_keywords(options, (*RUN, *option_names(name)), "score")
    rest = dict(options)
    if (compat := rest.pop("compat", None)) is not None:
        if compat not in _COMPAT.get(name, ()):
            known = ", ".join((*_COMPAT.get(name, ()), *find_scorers(name))) or "none"
            raise UsageError(f"{name} has no published scorer {compat!r}", hint=f"there are {known}")
        rest["profile"] = compat
    if metrics is not None and name != "coref":
        raise UsageError(f"{name} has no choice of metrics", hint="leave metrics out")
    align = bool(rest.pop("documents", False))
    if name == "kbp":
        return KbRequest(name, run_with(run, {}), {**rest, "align": align} if align else rest)
    own = {each: rest.pop(each) for each in _SETTINGS[name] if each in rest}
    more = {each: rest.pop(each) for each in _OTHERS[name] if each in rest}
    names = rest.pop("names", None)
    asked = run_with(run, rest, align=align)
    if name == "coref":
        from adjudge.tasks.coref.settings import settings
        from adjudge.tasks.coref.task import task_of

        chosen = metrics if metrics is not None else more.pop("metric", None)
        return OwnRequest(name, task_of(settings(**own), chosen), asked, names, given=more)
    if name == "nugget":
        from adjudge.tasks.nugget.settings import settings as nugget_settings
        from adjudge.tasks.nugget.task import NuggetTask

        task = NuggetTask(nugget_settings(**own), by=asked.by, time_limit=asked.time_limit, **more)
        return OwnRequest(name, task, asked, names)
    from adjudge.tasks.eal.settings import settings as eal_settings
    from adjudge.tasks.eal.task import EalTask

    frames = more.pop("frames", None)
    made = eal_settings(**own, linking=frames is not None)
    if run is None and "seed" not in rest:
        asked = run_of(**rest, seed=made.profile.bootstrap_seed, align=align)
    return OwnRequest(name, EalTask(made, **more), asked, names, frames=frames)


@dataclass(frozen=True)
class OwnRequest(Asking):
    """A task of the engine with rules of its own; `given` states what the shapes of inputs in memory do not show."""

    name: str
    task: Task
    run: Run
    names: Sequence[str | None] | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    frames: Any = None

    def evaluated(self, gold: Any, system: Any, run: Run | None = None) -> Evaluation:
        """What was counted of every document."""
        run = run or self.run
        if self.name == "eal":
            from adjudge.tasks.eal.task import EalTask, Gold, count

            assert isinstance(self.task, EalTask)
            if isinstance(gold, tuple) and not isinstance(gold, Gold):
                gold = Gold(*gold)
            return count(self.task, gold if isinstance(gold, Gold) else Gold(gold, self.frames), system, run)
        return evaluate(self.task, *self._opened(gold, system), run, names=self.names)

    def _opened(self, gold: Any, system: Any) -> tuple[Any, Any]:
        """Data in memory as documents of the task; files as they are."""
        if self.name != "coref":
            return gold, system
        gold, system = opened("coref", gold, system, self.given)
        places: dict[str, int] = {}
        change = partial(_chains, self.task, places)
        return change(gold, "gold"), _each(system, change)

    def sides(self, gold: Any, system: Any = ()) -> tuple[Side, Side]:
        """Gold and one system as they are read, without counting anything."""
        if self.name == "eal":
            raise UsageError("eal reads responses from folders and archives only", hint="score them as a whole")
        gold, system = self._opened(gold, system)
        one = next(iter(system.values())) if isinstance(system, dict) and len(system) == 1 else system
        return self._read(gold, "gold"), self._read(one, "system")

    def documents(self, source: Any) -> Side:
        """The documents of one side; mentions keep their names."""
        if self.name == "coref" and not is_file(source):
            found, _ = opened("coref", source, (), self.given)
            if isinstance(found, Side):
                return found
        return self.sides(source)[0]

    def _read(self, source: Any, name: str) -> Side:
        if isinstance(source, Side):
            return source
        if isinstance(source, list | tuple) and not source:
            return Side(name, "", {})
        return self.task.read(source, name)


def _each(system: Any, change: Any) -> Any:
    if isinstance(system, dict) and all(isinstance(each, Side) or is_file(each) for each in system.values()):
        return {name: change(each, name) for name, each in system.items()}
    return change(system, "system")


def _chains(task: Task, places: dict[str, int], side: Any, name: str) -> Any:
    """A coerced side as coreference chains; mentions without positions are numbered, equally on all sides."""
    if not isinstance(side, Side) or not all(hasattr(each, "data") for each in side.documents.values()):
        return side
    if not side.documents:
        return Side(name, side.path, {}, side.digest, notes=side.notes, reading=side.reading)
    plain = {
        key: {"clusters": [[_place(each, places) for each in cluster] for cluster in document.data["clusters"]]}
        for key, document in side.documents.items()
    }
    made = task.read(plain, name)
    return replace(made, name=name, digest=side.digest, notes=(*side.notes, *made.notes), reading=side.reading)


def _place(mention: Any, places: dict[str, int]) -> list[Any]:
    if isinstance(mention, list | tuple) and len(mention) == 2 and all(isinstance(each, int) for each in mention):
        return list(mention)
    return [places.setdefault(repr(mention), len(places))] * 2


# ---------------------------------------------------------------------------------------------------------------------
# Knowledge bases


@dataclass(frozen=True)
class KbRequest(Asking):
    """Triples and paths of a whole corpus."""

    name: str
    run: Run
    options: Mapping[str, Any]

    def result(self, gold: Any, system: Any, run: Run | None = None) -> Result:
        """Scores, intervals and comparisons of files, or of triples in memory."""
        import msgspec

        from adjudge.evaluate.results import input_note
        from adjudge.tasks.kbp.scoring import score_inputs

        read, asked, sides = self._inputs(gold, system)
        own = asked.run
        if run is not None:
            own = msgspec.structs.replace(own, by=run.by, align=run.align)
        found = score_inputs(read, asked.options, own, profile=asked.profile)
        notes = dict.fromkeys(input_note(note) for each in sides.values() for note in each.notes)
        readings = {name: each.reading for name, each in sides.items() if each.reading is not None}
        return msgspec.structs.replace(found, notes=(*found.notes, *notes), reading=readings)

    def explanations(self, gold: Any, system: Any, document: str) -> dict[str, Explanation]:
        """The outcome of the facts and paths of one document, by system."""
        from adjudge.tasks.kbp.scoring import explain_document

        read, asked, _ = self._inputs(gold, system)
        return explain_document(read, asked.options, asked.run, document)

    def _inputs(self, gold: Any, system: Any) -> tuple[KbInputs, Asked, dict[str, Side]]:
        """The inputs, what is asked for, and the sides that were in memory as documents."""
        from adjudge.tasks.kbp.inputs import read_inputs
        from adjudge.tasks.kbp.scoring import asked_for, triple_inputs

        asked = asked_for({name: value for name, value in self.options.items() if name not in OPTIONS})
        if self._is_plain(gold, system, asked.names):
            return read_inputs(gold, system, names=asked.names, **asked.reading), asked, {}
        mine, theirs = self._tables(gold, system)
        docs = asked.reading.get("documents")
        documents = [name for name in mine.documents if docs is None or name in docs]
        read = triple_inputs(_table(mine), {name: _table(each) for name, each in theirs.items()}, documents)
        return read, asked, {"gold": mine, **theirs}

    def _is_plain(self, gold: Any, system: Any, names: Any) -> bool:
        """Whether all sides are files, or graphs as they are, and not documents with declared fields or answers."""
        from adjudge.tasks.kbp.graphs import is_graph
        from adjudge.tasks.kbp.inputs import named_systems

        systems = list(system.values()) if isinstance(system, Mapping) else [system]
        if is_file(gold) and all(
            is_file(each) or (isinstance(each, list | tuple) and all(map(is_file, each))) for each in systems
        ):
            return True
        if set(self.options).intersection(OPTIONS) or any(map(_are_answers, (gold, *systems))):
            return False
        several = (each for _, each in named_systems(gold, system, names))
        return all(is_file(each) or is_graph(each) for each in (gold, *several))

    def sides(self, gold: Any, system: Any = ()) -> tuple[Side, Side]:
        """Gold and one system as documents with triples."""
        mine, theirs = self._tables(gold, system)
        return mine, next(iter(theirs.values()))

    def _tables(self, gold: Any, system: Any) -> tuple[Side, dict[str, Side]]:
        """Both sides as documents with triples."""
        given = {name: value for name, value in self.options.items() if name in OPTIONS}
        table = as_table(gold, "gold")
        if table is not None and id_column(table.columns, Declared(id=given.get("id"))) is None:
            given["document"] = WHOLE  # triples of a whole corpus
        mine, theirs = opened("relation", gold, system, given)
        if not isinstance(theirs, dict):
            theirs = {"system": theirs}
        from adjudge.tasks.documents import read_side

        return read_side(mine, "gold"), {name: read_side(each, name) for name, each in theirs.items()}


def _are_answers(source: Any) -> bool:
    """Whether a source is a list of answers of language models."""
    return isinstance(source, list | tuple) and any(is_answer("relation", each) for each in source)


def _table(side: Side) -> TripleTable:
    from adjudge.model.kbp import TripleTable

    table = TripleTable()
    for name, document in side.documents.items():
        if not isinstance(document.data, Mapping):
            hint = "give (subject, relation, object), documents of them, or the path of a file"
            raise FormatError(f"{side.name}: {document.data!r:.60} is not a triple", hint=hint)
        for each in document.data.get("triples") or ():
            table.add(str(each["subject"]), str(each["relation"]), str(each["object"]), name)
    return table
