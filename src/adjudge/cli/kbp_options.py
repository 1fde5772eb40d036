"""What the commands for knowledge bases share: options for every choice of how they are compared, and their inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from adjudge.cli.options import TEST, Method, compose, docs_option, document_list, is_file, level, named, whole
from adjudge.cli.output import Log, check_targets
from adjudge.cli.sections import given, section
from adjudge.cli.streams import say
from adjudge.errors import UsageError, visible
from adjudge.stats.inference import CENTRED, INTERVALS, TESTS
from adjudge.tasks.kbp.detection import FORMATS
from adjudge.tasks.kbp.engine import ENGINES, check_engine
from adjudge.tasks.kbp.options import DEFAULT_PROFILE, PROFILES, make_options

if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.tasks.kbp.inputs import KbInputs
    from adjudge.tasks.kbp.options import KbOptions

_inputs, _alignment, _linking = section("Inputs"), section("Alignment within documents"), section("Gold entities")
_facts, _relations, _paths = section("Facts"), section("Relations"), section("Paths")
_uncertainty = section("Uncertainty")
WHOLE = "How intervals are found: auto is jackknife, because paths and clusters do not add up over documents."

_ANNOTATION_ONLY = (
    *("mention_match", "threshold", "levels", "gold_levels", "require_type", "one_to_one", "nil_key", "nil_merge"),
    *("nil_by_type", "unattested", "unaligned", "unnamed", "min_confidence"),
)
"""What means nothing if both sides are plain triples."""

NIL: dict[str, dict[str, Any]] = {
    "--nil-key": {
        "type": click.Choice(("longest", "most_frequent", "first")),
        "help": "The name of a gold entity without a page.",
    },
    "--nil-merge": {
        "type": click.Choice(("canonical", "any-shared-name", "as-given")),
        "help": "When two entities without a page are one.",
    },
}
"""Options of entities without a page, by name, with what they are made of."""


class _Engine(click.Choice[str]):
    """A choice of engines that says more of one that is gone."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name of an engine."""
        if value == "duckdb":
            check_engine(value)
        return super().convert(value, param, ctx)


seed_option = _uncertainty(
    "--seed",
    metavar="N",
    default="13",
    show_default=True,
    callback=whole("give a whole number from 0"),
    help="Seed of the resampling.",
)
input_options = compose(
    _inputs(
        "--gold",
        metavar="GOLD",
        required=True,
        help="Annotated documents (ACE, Rich ERE, JSON lines) or plain triples, a file or a folder.",
    ),
    _inputs("--wiki", metavar="TABLE", help="The pages of gold mentions: an ACEtoWiki table, an EDL tab, or CSV."),
    _inputs("--redirects", metavar="FILE", help="Pages that stand for others: page, TAB, page."),
    _inputs("--stop", metavar="FILE", help="Pages that are no links, one per line."),
    docs_option,
    _inputs("--texts", metavar="FOLDER", help="The source texts of Rich ERE annotation."),
    _inputs(
        "--units",
        type=click.Choice(("text", "raw")),
        help="What ACE offsets are turned into: characters of the text without tags, or of the raw file. "
        "[default: raw if a system is a Cold Start file]",
    ),
    _inputs("--gold-format", type=click.Choice(FORMATS), help="Format of gold. [default: by the content]"),
    _inputs("--system-format", type=click.Choice(FORMATS), help="Format of the systems. [default: by the content]"),
    _inputs("--strict", is_flag=True, help="Cold Start files must keep all rules; see adjudge kbp validate."),
)
choice_options = compose(
    click.option(
        "--profile",
        type=click.Choice(list(PROFILES)),
        default=DEFAULT_PROFILE,
        show_default=True,
        help="The choices of the paper, or those that measure what users want to know; any of them can be changed.",
    ),
    _alignment(
        "--mention-match",
        type=click.Choice(("head", "extent", "head-or-extent", "overlap")),
        help="Which span of a gold mention the system's must equal.",
    ),
    _alignment(
        "--threshold", metavar="P", type=float, help="A node is the entity that has more than P % of its names. [50]"
    ),
    _alignment("--levels", metavar="LEVELS", help="System mentions that count: NAM, NOM, PRO. [NAM]"),
    _alignment("--gold-levels", metavar="LEVELS", help="Gold mentions that may be hit. [all]"),
    _alignment("--require-type", is_flag=True, default=None, help="Align nodes with entities of their own type only."),
    _alignment("--one-to-one", is_flag=True, default=None, help="Align at most one node with a gold entity."),
    *(_linking(name, **more) for name, more in NIL.items()),
    _linking("--nil-by-type", is_flag=True, default=None, help="Only entities of the same type are one."),
    _facts(
        "--unattested",
        type=click.Choice(("unaligned", "corpus-majority")),
        help="A node without a mention in the document of the fact.",
    ),
    _facts(
        "--unaligned", type=click.Choice(("private", "ignore")), help="Facts about unaligned nodes: wrong, or left out."
    ),
    _facts("--unnamed", type=click.Choice(("drop", "document")), help="Gold entities without a name."),
    _facts("--min-confidence", metavar="C", type=float, help="Leave out facts with a lower confidence. [0]"),
    _relations("--include", metavar="NAMES", help="The only relations that count: A,B or a file with one per line."),
    _relations("--exclude", metavar="NAMES", help="Relations that do not count, on both sides; none for none."),
    _relations("--gold-relations", metavar="FILE", help="Other names for gold relations: name, TAB, new name."),
    _relations("--system-relations", metavar="FILE", help="The same for the relations of systems."),
    _relations(
        "--symmetric",
        type=click.Choice(("annotated", "close")),
        help="Symmetric relations as they are, or in both directions.",
    ),
    _relations("--symmetric-types", metavar="NAMES", help="Which relations are symmetric: A,B or a file."),
    _relations(
        "--inverse",
        type=click.Choice(("none", "close", "canonical")),
        help="Add the inverse of each fact, or write inverses as their forward relation.",
    ),
    _relations("--inverse-table", metavar="FILE", help="Relations and inverses. [default: those of Cold Start]"),
    _relations("--self-loops", type=click.Choice(("keep", "drop")), help="Facts from an entity to itself."),
    _paths("--hops", metavar="N", callback=whole("give the number of hops"), help="The longest paths. [3]"),
    _paths(
        "--identity",
        type=click.Choice(("endpoints", "full", "both")),
        help="Whether the middle of paths is compared: no, yes (kbp.hop2.full), or both ways.",
    ),
    _paths("--walks", type=click.Choice(("all", "simple")), help="All walks, or those that visit no node twice."),
    _paths(
        "--identity-source",
        type=click.Choice(("gold", "system")),
        help="system: also join the system's own nodes (kbp.hop2.system), which shows what wrong links cost.",
    ),
    _paths(
        "--engine",
        type=_Engine(ENGINES),
        default="auto",
        show_default=True,
        help="How paths are counted; sample estimates from some first nodes.",
    ),
)
memory_option = _paths(
    "--memory",
    metavar="SIZE",
    hidden=True,
    help="Without effect: triples are counted in memory.",
)
limit_option = click.option(
    "--limit",
    metavar="N",
    default="5",
    show_default=True,
    callback=whole("give the number of examples, or 0 for all"),
    help="Examples for each reason, those first that cost most paths; 0 for all.",
)
uncertainty_options = compose(
    _uncertainty(
        "--bootstrap",
        metavar="N",
        callback=whole("give the number of resamples, or 0 for no intervals"),
        help="Resamples for intervals and tests, 0 for none. [default: 1000 where that takes minutes at most]",
    ),
    _uncertainty("--ci", metavar="LEVEL", callback=level, help="Confidence of the intervals. [95; profile paper: 90]"),
    seed_option,
    _uncertainty(
        "--interval",
        type=Method((*INTERVALS, CENTRED)),
        help=f"{WHOLE} JSON has all. [auto; profile paper: percentile]",
    ),
    _uncertainty(
        "--test",
        type=Method((*TESTS, CENTRED)),
        help=f"{TEST} [auto; profile paper: jackknife]",
    ),
    _uncertainty("--box", is_flag=True, help="Add the numbers of notched box plots to the JSON."),
    _uncertainty(
        "--notch-constant", "notch", metavar="C", type=float, help="Of the notches: 1.57, or 1.15 as printed."
    ),
)

_PLAIN = (
    *("mention_match", "threshold", "require_type", "one_to_one", "nil_key", "nil_merge", "nil_by_type", "unattested"),
    *("unaligned", "unnamed", "min_confidence", "symmetric", "inverse", "self_loops", "hops", "identity", "walks"),
    *("identity_source", "interval", "test", "notch"),
)


def kb_options(options: Mapping[str, Any]) -> KbOptions:
    """The profile with what the command line says otherwise."""
    if options["inverse_table"] is not None and options["inverse"] in (None, "none"):
        raise UsageError("--inverse-table is not used", hint="add --inverse close or --inverse canonical")
    changes = given(options, {name: name for name in _PLAIN})
    for name in ("levels", "gold_levels", "include", "exclude", "symmetric_types"):
        if options[name] is not None:
            changes[name] = _names(options[name], upper=name.endswith("levels"))
    for name in ("gold_relations", "system_relations", "inverse_table"):
        if options[name] is not None:
            from adjudge.formats.kb_lists import read_pairs

            changes[name] = read_pairs(options[name])
    return make_options(options["profile"], **changes)


def _names(text: str, *, upper: bool = False) -> tuple[str, ...]:
    """Names between commas, or the lines of a file of that name."""
    if text.strip().lower() == "none":
        return ()
    if is_file(text):
        from adjudge.formats.kb_lists import read_names

        return tuple(read_names(text))
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    return tuple(name.upper() for name in names) if upper else names


def input_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """What `read_inputs` needs beside gold and systems."""
    names = ("wiki", "redirects", "stop", "texts", "units", "gold_format", "system_format")
    found = given(options, {name: name for name in names})
    if options["docs"] is not None:
        from adjudge.tasks.kbp.inputs import DocumentList

        if is_file(options["docs"]):
            found["documents"] = options["docs"]
        else:
            found["documents"] = DocumentList("--docs", dict.fromkeys(document_list(options["docs"]), 0))
    return {**found, "strict": options["strict"]}


def input_files(options: Mapping[str, Any]) -> list[str]:
    """Every file that is read, so that none is written over."""
    names = ("gold", "wiki", "redirects", "stop", "docs", "gold_relations", "system_relations", "inverse_table")
    lists = ("include", "exclude", "symmetric_types")
    given = (options.get(name) for name in (*names, *lists))
    return [each for each in given if each is not None and is_file(each)]


class Systems(NamedTuple):
    """The systems of a command: their names, and their files."""

    names: list[str]
    paths: list[str]


def systems_of(systems: Sequence[str], options: Mapping[str, Any], *targets: Path | None) -> Systems:
    """The systems that are named, after a look at where the results go: no file that is read is written over."""
    from adjudge.evaluate.inputs import name_systems

    read_from = [named(system) for system in systems]
    paths = [path for _, path in read_from]
    check_targets(*targets, inputs=[*input_files(options), *(path for path in paths if is_file(path))])
    return Systems([name for name, _ in name_systems("", paths, [name for name, _ in read_from])], paths)


def read_systems(systems: Systems, options: Mapping[str, Any], log: Log) -> KbInputs:
    """Both sides of the comparison, read."""
    from adjudge.tasks.kbp.inputs import read_inputs

    log(f"reading {options['gold']} and {len(systems.paths)} system(s)")
    read = read_inputs(options["gold"], systems.paths, names=systems.names, **input_arguments(options))
    check_seen(read)
    return read


def check_seen(read: KbInputs) -> None:
    """Raise if an option was given that does not go with what was read."""
    if read.gold.table is not None:
        refuse_for_triples()


def warning(options: Mapping[str, Any]) -> Callable[[str], None] | None:
    """What says warnings, unless nobody wants to hear them."""
    return None if options["quiet"] else lambda text: say(f"warning: {visible(text)}")


def refuse_for_triples() -> None:
    """Raise if an option was given that is about the alignment of annotation, for triples are compared as they are."""
    context = click.get_current_context()
    for name in _ANNOTATION_ONLY:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flag = "--" + name.replace("_", "-")
            raise UsageError(f"{flag} is about annotated documents, and gold is plain triples", hint="leave it out")
