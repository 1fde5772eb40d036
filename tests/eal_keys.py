"""Random assessed documents, and stores of them, for the tests of assessment and frames."""

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from adjudge.evaluate.engine import Evaluation
from adjudge.evaluate.task import run_of
from adjudge.formats.eal_assessments import write_key
from adjudge.formats.eal_store import KeyWriter
from adjudge.model.eal import AnswerKey, Arguments, Assessment, Linking, Response, Span
from adjudge.tasks.eal.compare import Compared, compare, prepare
from adjudge.tasks.eal.responses import distinct
from adjudge.tasks.eal.settings import Settings
from adjudge.tasks.eal.task import EalTask, Gold, count
from eal_responses import response, responses

CORPUS = Path(__file__).parent / "golden" / "eal" / "corpusA"
GRAPHS = (
    *("scores-beta", "ranks-beta", "scores-lambda", "ranks-lambda", "winners"),
    *("bootstrap-overall", "bootstrap-argument", "bootstrap-linking", "wins"),
)
"""What is drawn of several submissions with frames, in this order."""
GOOD = Assessment("C", "C", "C", "C", "Actual", "NAME")


def assessments() -> st.SearchStrategy[Assessment]:
    """Answers that follow the guidelines."""
    judged = st.sampled_from("CWI")
    accepted = st.sampled_from("CI")
    return st.one_of(
        st.sampled_from((Assessment(), Assessment("W"), Assessment("C", "W"), Assessment("I", "W"))),
        st.builds(
            Assessment,
            accepted,
            accepted,
            judged,
            judged,
            st.sampled_from(("Actual", "Generic", "Other")),
            st.sampled_from(("NAME", "NOMINAL")),
        ),
        st.builds(Assessment, *[accepted] * 4, st.sampled_from(("Actual", "Other")), st.just("NAME")),
    )


@st.composite
def keys(draw: st.DrawFn, document: str = "d", *, clusters: int = 3) -> AnswerKey:
    """A document in which responses share CASes, and CASes clusters."""
    found = draw(st.lists(responses(document), max_size=10, unique=True))
    assessed: dict[Response, Assessment] = {}
    waiting = []
    for each in found:
        if draw(st.integers(0, 3)):
            assessed[each] = draw(assessments())
        else:
            waiting.append(each)
    coref = {}
    for each in dict.fromkeys(each.cas for each in found):
        # Whoever is assessed has a cluster, for its CAS may be acceptable; others may have one.
        if any(each == other.cas for other in assessed) or draw(st.booleans()):
            coref[each] = draw(st.integers(1, clusters))
    return AnswerKey(document, assessed, waiting, coref)


def simple(**groups: str) -> AnswerKey:
    """A key with a good response for each letter of the groups, whose names are clusters: `c1="ab"`."""
    coref = {named(letter).cas: int(name[1:]) for name, letters in groups.items() for letter in letters}
    return AnswerKey("d", {named(cas.text): GOOD for cas in coref}, (), coref)


def named(letter: str) -> Response:
    return response(letter, at=(ord(letter), ord(letter)))


def same(one: AnswerKey, other: AnswerKey) -> bool:
    """Whether two documents are the same in a file, whatever their order in memory."""
    return write_key(one) == write_key(other)


def put(folder: Path, *found: AnswerKey) -> Path:
    with KeyWriter(folder, overwrite=True) as writer:
        for key in found:
            writer.write(key)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def compare_values(
    arguments: Arguments,
    linking: Linking | None,
    key: AnswerKey,
    frames: Linking | None,
    settings: Settings,
    *,
    regions: Sequence[Span] | None = None,
) -> Compared:
    """Score values that need not come from a file: of equal responses the best line counts."""
    single = Arguments(arguments.document, list(distinct(arguments.arguments).values()))
    return compare(single, linking, prepare(key, frames, settings, regions=regions), settings)


def counted(key: Path, frames: Path | None, systems: object, chosen: Settings, **options: object) -> Evaluation:
    """An evaluation of stores; the options are those of the task, of the run, or a genre."""
    own = {name: options.pop(name) for name in ("regions", "listed") if name in options}
    genre = options.pop("genre", None)
    options.setdefault("seed", chosen.profile.bootstrap_seed)
    return count(EalTask(chosen, **own), Gold(key, frames), systems, run_of(**options), genre=genre)
