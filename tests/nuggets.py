"""Documents of nuggets for tests: as they may come, with every oddity that a file may hold."""

from typing import Any

from hypothesis import strategies as st

from adjudge.model.nugget import COREFERENCE, Nugget, NuggetDocument, Relation, Token, TokenTable
from adjudge.tasks.nugget.observe import Observed, compare, is_char, side
from adjudge.tasks.nugget.settings import Settings

TEXT = st.text(alphabet="abc \n\r\té\U0001f600<&\"'\u2028", min_size=1, max_size=40)
IDS = st.sampled_from(["E1", "E2", "E10", "E9", "m1", "em-3", "Ex", "é", "E2a", "h-1"])
TYPES = st.sampled_from(
    [
        "Life_Die",
        "Justice_Arrest-Jail",
        "Justice_Arrestjail",
        "justice_arrestjail",
        "Life",
        "Conflict Attack",
        "a:b",
        "X_",
    ]
)
REALIS = st.sampled_from(["Actual", "Generic", "Other", "NOT_ANNOTATED", "actual", "Not sure"])


@st.composite
def documents(draw: Any, *, text: bool | None = None, clean: bool = False) -> NuggetDocument:
    """A document by characters; a clean one has only what every format can hold."""
    content = draw(TEXT)
    known = draw(st.booleans()) if text is None else text
    ids = st.integers(1, 30).map("E{}".format) if clean else IDS
    nuggets = []
    for id in draw(st.lists(ids, max_size=6, unique=clean)):
        if clean:
            types, realis = st.sampled_from(["Life_Die", "Justice_Arrest-Jail"]), st.sampled_from(["Actual", "Other"])
        else:
            types, realis = TYPES, REALIS
        pieces = draw(st.lists(_piece(len(content)), min_size=0 if not clean else 1, max_size=1 if clean else 3))
        said = " ".join(content[begin:end] for begin, end in pieces)
        words = draw(st.sampled_from([said, "other"])) if not clean else said
        nuggets.append(
            Nugget(
                id,
                draw(types),
                draw(realis),
                words,
                pieces=tuple(pieces),
                confidence=() if clean else draw(st.sampled_from([(), ("0.9",), ("1", "0.5", "1")])),
                system="" if clean else draw(st.sampled_from(["", "sys"])),
            )
        )
    relations = []
    if nuggets and not clean:
        member = st.sampled_from([nugget.id for nugget in nuggets] + ["E77"])
        for name in draw(st.lists(st.sampled_from([COREFERENCE, "After", "Subevent", "Other"]), max_size=4)):
            size = (1, 4) if name in (COREFERENCE, "Other") else (2, 2)
            arguments = draw(st.lists(member, min_size=size[0], max_size=size[1]))
            relations.append(Relation(name, draw(st.sampled_from(["R1", "C1", "C0", "h-2", "x"])), tuple(arguments)))
    elif len(nuggets) > 1:
        relations.append(
            Relation(COREFERENCE, "C0", tuple(sorted((n.id for n in nuggets), key=lambda id: int(id[1:]))))
        )
    if clean:
        nuggets.sort(key=lambda nugget: int(nugget.id[1:]))
    return NuggetDocument("doc", nuggets, relations, content if known else None)


def _piece(size: int) -> Any:
    return st.tuples(st.integers(0, size - 1), st.integers(1, 6)).map(lambda each: (each[0], min(size, sum(each))))


@st.composite
def tables(draw: Any, *, size: int = 45) -> TokenTable:
    """A table of tokens that do not overlap."""
    ends = sorted(draw(st.sets(st.integers(0, size), max_size=20)))
    spans = list(zip(ends[::2], ends[1::2], strict=False))
    prefix = draw(st.sampled_from(["", "t"]))
    start = draw(st.integers(0, 1))
    tokens = [
        Token(f"{prefix}{number}", "x" * (end - begin), begin, end) for number, (begin, end) in enumerate(spans, start)
    ]
    return TokenTable("doc", tokens)


def bare(document: NuggetDocument) -> NuggetDocument:
    """The document without line numbers, which no file keeps."""
    return NuggetDocument(
        document.id,
        [nugget._replace(line=0) for nugget in document.nuggets],
        [relation._replace(line=0) for relation in document.relations],
        document.text,
    )


def observed(gold: NuggetDocument, system: NuggetDocument, settings: Settings) -> Observed:
    """Two documents compared, whose words are all visible."""
    char = is_char(gold, system)
    return compare(*(side(each, settings, frozenset(), char=char) for each in (gold, system)), settings, char=char)
