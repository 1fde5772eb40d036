"""Files of graphs in Penman notation: blocks separated by blank lines, with optional comments and metadata (# ::id
...)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from adjudge.errors import Problem
from adjudge.findings import raise_problems
from adjudge.formats.source import Source, Whole, read_text, reads
from adjudge.model.document import Corpus, Document
from adjudge.model.penman import Graph, PenmanError, parse

_ID = re.compile(r"#.*?::id[ \t]+(\S+)")


class Block(NamedTuple):
    """One graph of a file: its text without comments, the numbers of its lines, and its id if it has one."""

    text: str
    lines: tuple[int, ...]
    id: str | None


@reads("AMR graphs", "penman", reader_option=True)
def read_penman(source: Source, *, name: str | None = None) -> Corpus:
    r"""The graphs of a file as documents {"id", "amr"}; ids come from `# ::id` if every graph has one, else from
    counting.

    >>> read_penman(b"# ::id s1\n(b / boy)\n").documents
    (Document(id='s1', data={'id': 's1', 'amr': '(b / boy)'}, line=2),)
    """
    whole, blocks = _read(source, name, unique=True)
    ids = [block.id for block, _ in blocks]
    return _corpus(whole, blocks, map(str, range(1, len(ids) + 1) if None in ids else ids))


@reads("AMR graphs", "penman", reader_option=True)
def read_penman_in_order(source: Source, *, name: str | None = None) -> Corpus:
    r"""The same, but graphs are numbered whatever their ids are, for files that correspond by position.

    >>> read_penman_in_order(b"# ::id s1\n(b / boy)\n").documents[0].id
    '1'
    """
    whole, blocks = _read(source, name)
    return _corpus(whole, blocks, map(str, range(1, len(blocks) + 1)))


@reads("AMR graphs", "penman", reader_option=True)
def read_graphs(source: Source, *, name: str | None = None) -> list[tuple[str, Graph]]:
    r"""The graphs of a file with their texts, in order.

    >>> [graph.concepts for _, graph in read_graphs(b"(b / boy)\n\n(g / girl)")]
    [{'b': 'boy'}, {'g': 'girl'}]
    """
    return [(block.text, graph) for block, graph in _read(source, name)[1]]


def _read(source: Source, name: str | None, *, unique: bool = False) -> tuple[Whole, list[tuple[Block, Graph]]]:
    whole, text = read_text(source, name=name)
    blocks = split(text)
    found: list[tuple[Block, Graph]] = []
    problems: list[Problem] = []
    first: dict[str | None, int] = {}
    unique = unique and all(block.id is not None for block in blocks)
    for block in blocks:
        try:
            found.append((block, parse(block.text)))
        except PenmanError as error:
            line, column = error.place(block.text)
            problems.append(Problem(error.message, whole.place, block.lines[line - 1], column, error.hint))
        line = first.setdefault(block.id, block.lines[0])
        if unique and line != block.lines[0]:
            message = f"the id {block.id} is also that of the graph in line {line}"
            problems.append(Problem(message, path=whole.place, line=block.lines[0], hint="make ids unique"))
    if not blocks:
        hint = "write (variable / concept ...), graphs separated by blank lines"
        problems.append(Problem("there is no graph", path=whole.place, hint=hint))
    raise_problems(problems, whole.place)
    return whole, found


def split(text: str) -> list[Block]:
    r"""The graphs of a text; metadata belong to the next graph, even after a blank line.

    >>> split("# ::id s1 ::date today\n\n(b / boy\n   :mod (s / small))\n")
    [Block(text='(b / boy\n   :mod (s / small))', lines=(3, 4), id='s1')]
    """
    blocks: list[Block] = []
    lines: list[str] = []
    numbers: list[int] = []
    identifier: str | None = None

    def close() -> None:
        nonlocal identifier
        if lines:
            blocks.append(Block("\n".join(lines), tuple(numbers), identifier))
            lines.clear()
            numbers.clear()
            identifier = None

    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if line[:1] == "#" or line.lstrip()[:1] == "#":
            found = _ID.match(line.lstrip())
            if found:
                identifier = found[1]
        elif line and not line.isspace():
            lines.append(line)
            numbers.append(number)
        else:
            close()
    close()
    return blocks


def _corpus(whole: Whole, blocks: list[tuple[Block, Graph]], ids: Iterable[str]) -> Corpus:
    documents = tuple(
        Document(id=identifier, data={"id": identifier, "amr": block.text}, line=block.lines[0])
        for identifier, (block, _) in zip(ids, blocks, strict=True)
    )
    return Corpus(path=whole.place, documents=documents, digest=whole.digest)
