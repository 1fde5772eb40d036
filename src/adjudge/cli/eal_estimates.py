"""`adjudge eal sample` and `estimate`: people assess some documents whole, and the scores of all are estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.eal import regions_of, settings_of, side_options
from adjudge.cli.eal_assessment import report_options, say_done, target_options
from adjudge.cli.eal_stores import ids_option, profile_option
from adjudge.cli.estimates import emit_estimate, level_option
from adjudge.cli.options import (
    Sides,
    Whole,
    choice,
    command,
    flat,
    format_option,
    output_option,
    save_option,
    sides_of,
    value,
)
from adjudge.cli.output import emit, uncollected
from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.findings import counted

if TYPE_CHECKING:
    from adjudge.estimates.design import Design
    from adjudge.stats.result import Result

_SHOWN = 5
_SCORES = ("eal.argument", "eal.linking", "eal.overall")


def design_path(store: Path) -> Path:
    """Where the design of a store of drawn documents is: next to it.

    >>> design_path(Path("work/drawn")).as_posix()
    'work/drawn.design.jsonl'
    """
    return store.parent / f"{store.name}.design.jsonl"


@command(
    "sample",
    click.Argument(["pool"], metavar="POOL"),
    value("--size", "N", "How many documents to draw: a number, or a share such as 10%.", required=True),
    choice("--by", ("document",), "What is drawn.", default="document"),
    choice("--strata", ("genre",), "Draw from every genre in proportion, at least two documents of each."),
    value("--genre-list", "FILE", "With --strata: id, TAB, genre. Without it, ids tell by their prefix."),
    value("--seed", "N", "Seed of the draw.", default=13, type=Whole("give a whole number from 0")),
    target_options("Store of assessments of the drawn documents", required=False),
    ids_option(keep=False),
    profile_option,
    report_options,
    examples=["adjudge eal sample pool --by document --size 6 -o to-assess"],
)
def sample(pool: str, **options: Any) -> None:
    """Draw the documents that people assess whole, at random and with recorded probabilities.

    POOL is a store of responses as `adjudge eal pool` writes it. With -o the responses of the drawn documents wait for
    assessment in OUT, and the design is written next to it, into OUT.design.jsonl; else the design is printed. Keep it:
    `adjudge eal estimate` needs it.
    """
    from adjudge.estimates.api import sample as draw_sample
    from adjudge.estimates.files import design_text
    from adjudge.tasks.eal.apply import beside
    from adjudge.tasks.eal.diagnostics import genres, read_genres
    from adjudge.tasks.eal.settings import get_profile
    from adjudge.tasks.eal.stores import create_store

    if options["genre_list"] is not None and options["strata"] is None:
        raise UsageError("--genre-list says what --strata draws from", hint="add --strata genre")
    output, strata, seed = options["output"], options["strata"], options["seed"]
    with uncollected(), closing(get_profile(options["profile"]).open_store(pool)) as store:
        listed = None if options["genre_list"] is None else read_genres(options["genre_list"])
        known = genres(store.documents, listed)
        # A document in which nobody found anything is drawn like all others.
        units = [{"id": name, "document": name, "genre": known[name]} for name in store.documents]
        drawn = draw_sample(units, options["size"], by=options["by"], strata=strata, seed=seed)
        text = design_text(drawn)
        if output is None:
            emit(text)
            return
        target = design_path(output)
        if target.exists() and not options["overwrite"]:
            raise UsageError(f"{target}: there is something already", hint="choose another OUT, or give --overwrite")
        store.keep_only(drawn.drawn)
        with beside(target) as stream:
            stream.write(text)
            done = create_store(store, output, ids=options["ids"], overwrite=options["overwrite"])
    lines = [
        f"sample: {len(drawn.drawn)} of {counted(len(drawn.rows), 'document')}, seed {seed}",
        f"  added   {done.added:7}  responses that wait for assessment",
        f"profile: {options['profile']}",
        f"written: {output}",
        f"design:  {target}",
    ]
    facts = {"profile": options["profile"], "input": pool, "output": str(output), "design": str(target), "seed": seed}
    facts |= {"drawn": sorted(drawn.drawn), "of": len(drawn.rows), "added": done.added}
    say_done("sample", facts, lines, options)


_NOT_HERE = ("unassessed", "genre", "genre_list")  # all that was drawn is assessed, and it is all that counts


@command(
    "estimate",
    [each for each in flat(side_options) if each.name not in _NOT_HERE],
    value("--design", "FILE", "Which documents were drawn, as `adjudge eal sample` wrote it.", required=True),
    value("--judge", "ASSESSMENTS", "What an automatic judge says of all documents: a store like that of people."),
    value("--judge-frames", "LINKING", "The frames of the judge for all documents."),
    choice("--documents", ("fixed", "sample"), "Whether other documents like these are meant, too.", default="fixed"),
    level_option,
    save_option,
    format_option("text", "json", "csv"),
    output_option,
    examples=["adjudge eal estimate drawn/ runs/6 runs/7 --frames ref/ --design drawn.design.jsonl"],
)
def estimate(**options: Any) -> None:
    """Estimate the scores of all documents from those that were drawn and assessed whole, with intervals.

    ASSESSMENTS and the frames are people's, of the documents that `adjudge eal sample` drew; the submissions are
    scored on these by all rules. With --judge they are also scored on all documents against what a judge says, which
    makes intervals narrower and is never believed. Ranks are those that the differences leave open.
    """
    import msgspec

    from adjudge.estimates.documents import Counted, estimate_documents
    from adjudge.estimates.files import read_design
    from adjudge.estimates.rows import How, with_ranking
    from adjudge.stats.result import Note

    listed = [options[name] for name in ("frames", "quotes", "design", "judge", "judge_frames")]
    sides = sides_of(options, inputs=listed)
    if options["judge_frames"] is not None and options["judge"] is None:
        raise UsageError("--judge-frames are those of a judge", hint="give --judge, too")
    if options["judge"] is not None and (options["frames"] is None) != (options["judge_frames"] is None):
        raise UsageError("frames of people and of the judge are needed together", hint="give both, or neither")
    if sides.gold is None or not sides.paths:
        raise UsageError("no submission to score", hint="give ASSESSMENTS and at least one SUBMISSION")
    design = read_design(options["design"])
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
    how = How(documents=options["documents"], level=options["ci"] or 0.95)
    found = estimate_documents(counts, design, how)
    if outside:
        message = f"{counted(len(outside), 'document')} of the assessments that were not drawn are left out"
        note = Note("outside-sample", len(outside), message, tuple(outside[:_SHOWN]))
        found = msgspec.structs.replace(found, notes=(*found.notes, note))
    if found.n == found.of:
        note = Note("all-assessed", found.n, "everything is assessed: `adjudge eal score` gives the official scores")
        found = msgspec.structs.replace(found, notes=(*found.notes, note))
    emit_estimate(with_ranking(found, (measures[-1].name, "score")), options)


def _scored(sides: Sides, frames: str | None, documents: Sequence[str], options: Mapping[str, Any]) -> Result:
    """The submissions on some documents of a store of assessments."""
    from adjudge.evaluate.run import Run
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
                problems.append(Problem(message, path=keys.place(document), hint="assess the document whole"))
    if problems:
        raise ValidationError(problems)
    return outside
