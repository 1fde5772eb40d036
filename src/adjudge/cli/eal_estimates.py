"""`adjudge eal sample` and `estimate`: people assess some documents completely, and the scores of all are estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.eal import regions_of, settings_of, side_options
from adjudge.cli.eal_assessment import say_done
from adjudge.cli.eal_options import ids_option, profile_option, report_options, target_options
from adjudge.cli.estimates import emit_estimate, level_option, rendered
from adjudge.cli.options import (
    Sides,
    Whole,
    choice,
    command,
    flag,
    flat,
    format_option,
    output_option,
    refuse_alone,
    refuse_with,
    save_option,
    seconds,
    sides_of,
    value,
)
from adjudge.cli.output import emit, uncollected
from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.findings import counted

if TYPE_CHECKING:
    from adjudge.estimates.design import Design
    from adjudge.estimates.rows import Estimate, How
    from adjudge.stats.result import Result

_SHOWN = 5
_SCORES = ("eal.argument", "eal.linking", "eal.overall")


def design_path(store: Path) -> Path:
    """The path of the design, next to the store of drawn documents.

    >>> design_path(Path("work/drawn")).as_posix()
    'work/drawn.design.jsonl'
    """
    return store.parent / f"{store.name}.design.jsonl"


@command(
    "sample",
    click.Argument(["pool"], metavar="POOL"),
    value("--size", "N", "How many documents, or classes, to draw: a number, or a share such as 10%.", required=True),
    choice(
        "--by",
        ("document", "class"),
        "What is drawn: whole documents, or classes of responses with one type, role, realis and filler.",
        default="document",
    ),
    value("--clusters", "STORE", "With --by class: assessments whose clusters say which fillers are one."),
    value("--after", "DESIGN ASSESSMENTS", "Another round after these.", nargs=2),
    choice("--strata", ("genre",), "Draw from every genre in proportion, at least two documents of each."),
    value("--genre-list", "FILE", "With --strata: id, TAB, genre. Without it, the prefix of an id is its genre."),
    value("--seed", "N", "Seed of the draw.", default=13, type=Whole("give a whole number from 0")),
    target_options("Store of assessments of the drawn documents to write, atomically.", required=False),
    ids_option(keep=False),
    profile_option,
    report_options,
    examples=["adjudge eal sample pool --by document --size 6 -o to-assess"],
)
def sample(pool: str, **options: Any) -> None:
    """Draw the documents to assess completely, at random and with recorded probabilities.

    POOL is a store of responses as `adjudge eal pool` writes it. With -o the responses of the drawn documents wait for
    assessment in OUT, and the design is written next to it, into OUT.design.jsonl; else the design is printed. Keep it:
    `adjudge eal estimate` needs it. --by class draws classes of responses instead: fillers that are the same string, or
    in the same cluster of --clusters, are one. They give precision, recall, F1 and the argument score without clipping.
    """
    from adjudge.estimates.api import sample as draw_sample
    from adjudge.estimates.files import design_text
    from adjudge.tasks.eal.classes import document_of, keeping, pooled_classes, read_clusters
    from adjudge.tasks.eal.diagnostics import genres, read_genres
    from adjudge.tasks.eal.settings import get_profile
    from adjudge.tasks.eal.stores import add_pool, writing_key

    if options["genre_list"] is not None and options["strata"] is None:
        raise UsageError("--genre-list needs --strata", hint="add --strata genre")
    by = options["by"]
    if by == "document":
        refuse_alone("--clusters", "--by class")
    output, strata, seed = options["output"], options["strata"], options["seed"]
    with uncollected(), closing(get_profile(options["profile"]).open_store(pool)) as store:
        listed = None if options["genre_list"] is None else read_genres(options["genre_list"])
        known = genres(store.documents, listed)
        clusters = read_clusters(options["clusters"])
        # A document in which no system found anything is drawn like all others.
        units = [{"id": name, "document": name} for name in store.documents]
        if by == "class":
            units = pooled_classes(store, clusters)
        units = [{**unit, "genre": known[unit["document"]]} for unit in units]
        earlier = _earlier(options["after"], clusters) if options["after"] else None
        drawn = draw_sample(units, options["size"], by=by, strata=strata, seed=seed, after=earlier)
        last = drawn.rounds[-1].number
        fresh = sorted(row.id for row in drawn.rows if row.drawn and row.round == last)
        text = design_text(drawn)
        if output is None:
            emit(text)
            return
        target = design_path(output)
        if target.exists() and not options["overwrite"]:
            raise UsageError(f"{target}: it already exists", hint="choose another OUT, or give --overwrite")
        store.keep_only(set(fresh) if by == "document" else {document_of(each) for each in fresh})
        prepare = keeping(fresh, clusters) if by == "class" else None
        with writing_key(output, ids=options["ids"], overwrite=options["overwrite"]) as writer:
            writer.beside(target).write(text)
            done = add_pool(store, writer, prepare=prepare)
    lines = [
        f"sample: {len(fresh)} of {len(units)} {drawn.units}, seed {seed}",
        f"  added   {done.added:7}  responses that wait for assessment",
        f"profile: {options['profile']}",
        f"written: {output}",
        f"design:  {target}",
    ]
    facts = {"profile": options["profile"], "input": pool, "output": str(output), "design": str(target), "seed": seed}
    facts |= {"drawn": fresh, "of": len(units), "added": done.added}
    say_done("sample", facts, lines, options)


def _earlier(after: tuple[str, str], clusters: Any) -> tuple[str, Any]:
    """The design of earlier rounds, and what was assessed in them."""
    from adjudge.estimates.files import read_design
    from adjudge.formats.eal_store import open_key
    from adjudge.tasks.eal.classes import class_name

    if read_design(after[0]).unit == "document":
        return after
    with open_key(after[1]) as keys:
        found = {class_name(each, clusters) for key in keys for each in key.assessed}
        found -= {class_name(each, clusters) for key in keys for each in key.unassessed}
    return after[0], dict.fromkeys(sorted(found), 1)


_NOT_HERE = ("unassessed", "genre", "genre_list")  # all that was drawn is assessed, and it is all that counts


@command(
    "estimate",
    [each for each in flat(side_options) if each.name not in _NOT_HERE],
    value("--design", "FILE", "The design that `adjudge eal sample` wrote.", required=True),
    value("--judge", "ASSESSMENTS", "An automatic judge's assessments of all documents: a store like the people's."),
    value("--judge-frames", "LINKING", "The frames of the judge for all documents."),
    value("--clusters", "STORE", "For classes: the assessments whose clusters defined the classes."),
    flag("--impute", "For classes: also the official clipped argument score, from a model of the verdicts."),
    choice(
        "--documents",
        ("fixed", "sample"),
        "Whether the scores describe only these documents, or others like them too.",
        default="fixed",
    ),
    level_option,
    value(
        "--time-limit",
        "SECONDS",
        "Stop with an error after this many seconds. [default: 60 for each row of the design]",
        type=seconds,
    ),
    save_option,
    format_option("text", "json", "csv"),
    output_option,
    examples=["adjudge eal estimate drawn/ runs/6 runs/7 --frames ref/ --design drawn.design.jsonl"],
)
def estimate(**options: Any) -> None:
    """Estimate scores on all documents, with intervals, from those that were drawn and assessed completely.

    ASSESSMENTS and frames are made by people, for the documents that `adjudge eal sample` drew; the submissions are
    scored on these by all rules. With --judge they are also scored on all documents against an automatic judge, which
    narrows the intervals; they stay valid however wrong the judge is. Ranks are ranges that hold for
    all systems at once. A design of classes gives precision, recall and F1 of classes, and the argument score without
    clipping and without the rules that look at other classes; linking needs whole documents.
    """
    from adjudge.estimates.files import read_design
    from adjudge.estimates.rows import How
    from adjudge.evaluate.corpus import in_time

    listed = [options[name] for name in ("frames", "quotes", "design", "judge", "judge_frames")]
    sides = sides_of(options, inputs=listed)
    if options["judge_frames"] is not None and options["judge"] is None:
        raise UsageError("--judge-frames needs --judge", hint="give --judge as well")
    if options["judge"] is not None and (options["frames"] is None) != (options["judge_frames"] is None):
        raise UsageError("frames of people and of the judge are needed together", hint="give both, or neither")
    if sides.gold is None or not sides.paths:
        raise UsageError("no submission to score", hint="give ASSESSMENTS and at least one SUBMISSION")
    design = read_design(options["design"])
    how = How(documents=options["documents"], level=options["ci"] or 0.95, clip=options["beta"])
    if design.unit == "class":
        refuse_with("a design of classes", _WHOLE)
    else:
        for option in ("--clusters", "--impute"):
            refuse_alone(option, "a design of classes (adjudge eal sample --by class)")
    limit = options["time_limit"]
    shares = len(design.rows) if limit is None else 1
    with in_time(shares, limit, "fewer submissions", "the scores could not be estimated"):
        make = _of_classes if design.unit == "class" else _of_documents
        found = make(sides, design, how, options)
        text = rendered(found, options)
    emit_estimate(found, text, options)


def _of_documents(sides: Sides, design: Design, how: How, options: Mapping[str, Any]) -> Estimate:
    """All scores, from documents that were assessed whole."""
    import msgspec

    from adjudge.estimates.documents import Counted, estimate_documents
    from adjudge.estimates.runs import finished
    from adjudge.stats.result import Note

    with uncollected():
        outside = _check_assessed(sides.gold, design)
        people = _scored(sides, options["frames"], sorted(design.drawn), {**options, "unassessed": "error"})
        judged = None
        if options["judge"] is not None:
            theirs = sides._replace(gold=options["judge"])
            everything = sorted({row.id for row in design.rows})
            judged = _scored(theirs, options["judge_frames"], everything, {**options, "unassessed": None})
    measures = tuple(
        each for each in people.measures if each.name in _SCORES and getattr(each, "part", None) == "score"
    )
    counts = Counted(measures, people.tables(), {} if judged is None else judged.tables())
    found = estimate_documents(counts, design, how)
    if outside:
        message = f"{counted(len(outside), 'document')} of the assessments that were not drawn are left out"
        note = Note("outside-sample", len(outside), message, tuple(outside[:_SHOWN]))
        found = msgspec.structs.replace(found, notes=(*found.notes, note))
    if found.n == found.of:
        note = Note("all-assessed", found.n, "everything is assessed: `adjudge eal score` gives the official scores")
        found = msgspec.structs.replace(found, notes=(*found.notes, note))
    return finished(found, (measures[-1].name, "score"))


# Options that do not apply if documents are not scored as a whole.
_WHOLE = (
    "frames",
    "judge_frames",
    "lambda_",
    "unlinked",
    "decisions",
    "covers",
    "quotes",
    "quotes_in",
    "taxonomy",
    "neutralize",
)


def _of_classes(sides: Sides, design: Design, how: How, options: Mapping[str, Any]) -> Estimate:
    """Precision, recall, F1 and the argument score without clipping, from drawn classes."""
    from adjudge.estimates.api import with_imputed
    from adjudge.estimates.estimate import estimate_pool
    from adjudge.estimates.runs import finished
    from adjudge.formats.eal_store import open_key
    from adjudge.tasks.eal.classes import assessed_classes, measures, read_clusters
    from adjudge.tasks.eal.settings import get_profile

    profile = get_profile(options["profile"])
    with ExitStack() as stack, uncollected():
        systems = {name: stack.enter_context(closing(profile.open_store(path))) for name, path in sides.named().items()}
        keys = stack.enter_context(open_key(sides.gold))
        judge = None if options["judge"] is None else stack.enter_context(open_key(options["judge"]))
        found = assessed_classes(systems, keys, design, read_clusters(options["clusters"]), judge)
    how = how._replace(measures=measures(options["beta"]), good=found.good)
    made = estimate_pool(found.pool, design, found.right, how)
    made = with_imputed(made, found.pool, design, found.right, how) if options["impute"] else made
    return finished(made, ("eal.class", "f1"))


def _scored(sides: Sides, frames: str | None, documents: Sequence[str], options: Mapping[str, Any]) -> Result:
    """The submissions on some documents of a store of assessments."""
    from adjudge.evaluate.task import Run
    from adjudge.stats.inference import Inference
    from adjudge.tasks.eal.task import EalTask, Gold, count

    chosen = settings_of(options)
    task = EalTask(chosen, regions=regions_of(options, chosen))
    run = Run(inference=Inference(bootstrap=0), docs=tuple(documents), digest=False)
    return count(task, Gold(str(sides.gold), frames), sides.paths, run, names=sides.names).result()


def _check_assessed(path: str, design: Design) -> list[str]:
    """The documents of the store that were not drawn.

    One that was drawn is assessed whole, also what none of these submissions returned: all of it is reference.
    """
    from adjudge.formats.eal_store import open_key

    problems: list[Problem] = []
    with open_key(path) as keys:
        outside = [document for document in keys.documents if document not in design.drawn]
        for document in sorted(design.drawn):
            if document not in keys:
                problems.append(Problem(f"{document} was drawn and has no assessments", path=path, hint="assess it"))
            elif waiting := len(keys.key(document).unassessed):
                message = f"{document} was drawn, and {counted(waiting, 'response')} of it wait for assessment"
                problems.append(Problem(message, path=keys.place(document), hint="assess the whole document"))
    if problems:
        raise ValidationError(problems)
    return outside
