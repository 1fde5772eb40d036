"""Whether the relations of a document are consistent: clusters closed, links between two, no cycles."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from adjudge.errors import did_you_mean
from adjudge.findings import Findings
from adjudge.formats.tbf_scan import quote
from adjudge.model.graph import closed, components
from adjudge.model.nugget import AFTER, COREFERENCE, SUBEVENT, Relation
from adjudge.tasks.nugget.coreference import overlaps

NAMES = (COREFERENCE, AFTER, SUBEVENT)
UNKNOWN_NAMES = 10
"""The official validator takes this many relations of other names in a file."""

_SHOWN = 8  # maximum mentions shown of a cycle
_PASTED = 100_000  # maximum characters of a suggested line


class Line(NamedTuple):
    """A relation and the column in which its arguments begin."""

    relation: Relation
    column: int


def check_relations(lines: Sequence[Line], places: Mapping[str, Hashable], out: Findings) -> None:
    """Everything about the relations of a document; `places` has the place of every mention."""
    for line in lines:
        _check_name(line, out)
        _check_arguments(line, places, out)
    clusters = [line for line in lines if line.relation.name == COREFERENCE]
    member = _check_closure(clusters, places, out)
    for line in clusters:
        _check_twins(line, places, out)
    for name in (AFTER, SUBEVENT):
        links = [line for line in lines if line.relation.name == name and len(line.relation.arguments) == 2]
        _check_links(name, links, member, places, out)


def _check_name(line: Line, out: Findings) -> None:
    relation = line.relation
    if relation.name in NAMES:
        return
    name = relation.name.strip().lower()
    close = [each for each in NAMES if name and each.lower().startswith(name)]
    hint = f"write @{close[0]}" if close else did_you_mean(relation.name[:100], NAMES)
    message = f"there is no relation {quote(relation.name)}, and it is not scored"
    hint = hint or f"relations are {', '.join(NAMES)}"
    out.warn("relation-name", message, relation.line, 1, hint)
    if out.counts["relation-name"] == UNKNOWN_NAMES + 1:
        message = f"more than {UNKNOWN_NAMES} relations have unknown names, which the official validator refuses"
        out.add("relation-names", message, relation.line, 1, f"use {', '.join(NAMES)}")


def _check_arguments(line: Line, places: Mapping[str, Hashable], out: Findings) -> None:
    relation = line.relation
    if not relation.id or len(relation.id.split()) != 1 or relation.id != relation.id.strip():
        what = f"the relation id {quote(relation.id)} has a blank in it" if relation.id.strip() else "no relation id"
        hint = "write a name without blanks, such as R1"
        out.add("relation-id", what, relation.line, line.column - len(relation.id) - 1, hint)
    column = line.column
    seen: set[str] = set()
    for argument in relation.arguments:
        if not argument.strip():
            message, hint = "an empty mention id", "write mention ids with one comma between them"
            out.add("argument", message, relation.line, column, hint)
        elif argument not in places:
            bare = argument.strip()
            hint = "remove the blank" if bare in places else "it needs a mention line of this document"
            message = (
                f"{relation.name} names {quote(argument)}, which is not a mention of document "
                f"{quote(out.document or '')}"
            )
            out.add("unknown-mention", message, relation.line, column, hint)
        elif argument in seen:
            message = f"mention {quote(argument)} occurs twice in one relation"
            out.warn("repeated-argument", message, relation.line, column, "write it once")
        seen.add(argument)
        column += len(argument) + 1
    count = len(relation.arguments)
    if relation.name == COREFERENCE and count == 1:
        message, hint = "a cluster of one mention says nothing", "leave the line out, or name the other mentions"
        out.warn("one-member", message, relation.line, line.column, hint)
    elif relation.name in (AFTER, SUBEVENT) and count != 2:
        message = f"{relation.name} relates two mentions, not {count}"
        hint = "write one line for each pair"
        out.add("link-arguments", message, relation.line, line.column, hint)


def _check_closure(lines: Sequence[Line], places: Mapping[str, Hashable], out: Findings) -> dict[str, str]:
    """Clusters that share a mention are one; the answer is the first member of the cluster of each mention."""
    clusters = [line.relation.arguments for line in lines]
    for overlap in overlaps(clusters):
        _suggest([lines[number] for number in overlap.lines], lines[overlap.second], overlap.mention, places, out)
    groups = closed(clusters, dict.fromkeys(name for cluster in clusters for name in cluster))
    return {name: group[0] for group in groups for name in group}


def _suggest(group: Sequence[Line], second: Line, shared: str, places: Mapping[str, Hashable], out: Findings) -> None:
    """One finding for lines that must be one, with that line."""
    members = [each for each in dict.fromkeys(a for line in group for a in line.relation.arguments) if each in places]
    fix = f"@{COREFERENCE}\t{group[0].relation.id}\t{','.join(members)}"
    numbers = [str(line.relation.line) for line in group]
    lines = f"{', '.join(numbers[:_SHOWN])}{' ...' * (len(numbers) > _SHOWN)}"
    message = f"mention {quote(shared)} is in two clusters, so lines {lines} are one cluster"
    out.add(
        "closure",
        message,
        second.relation.line,
        second.column + _offset(second.relation.arguments, shared),
        f"write one line instead of these {len(group)}",
        fix=fix if len(members) > 1 and len(fix) <= _PASTED else None,
    )


def _offset(arguments: Iterable[str], wanted: str) -> int:
    """Where an argument begins among the others."""
    offset = 0
    for argument in arguments:
        if argument == wanted:
            break
        offset += len(argument) + 1
    return offset


def _check_twins(line: Line, places: Mapping[str, Hashable], out: Findings) -> None:
    """Two mentions of one place cannot be the same event (section 4.4.1 of the specification)."""
    first: dict[Hashable, str] = {}
    for argument in dict.fromkeys(line.relation.arguments):
        place = places.get(argument)
        if place is None:
            continue
        if place in first:
            message = f"{quote(first[place])} and {quote(argument)} have the same place and are in one cluster"
            column = line.column + _offset(line.relation.arguments, argument)
            hint = "they are one mention: remove one of them"
            out.add("same-place", message, line.relation.line, column, hint)
        else:
            first[place] = argument


def _check_links(
    name: str,
    lines: Sequence[Line],
    member: Mapping[str, str],
    places: Mapping[str, Hashable],
    out: Findings,
) -> None:
    """Directed links: none inside a cluster, none both ways, no cycles; mentions of one cluster are one event."""
    first: dict[tuple[str, str], Line] = {}
    exact: dict[tuple[str, ...], int] = {}
    for line in lines:
        a, b = line.relation.arguments
        if a not in places or b not in places:
            continue
        if a == b:
            message, hint = f"{name} relates {quote(a)} to itself", "remove the line"
            out.add("self-link", message, line.relation.line, line.column, hint)
            continue
        if (a, b) in exact:
            message = f"{name} of {quote(a)} and {quote(b)} is in line {exact[a, b]} already"
            out.warn("repeated-link", message, line.relation.line, line.column, "remove one")
            continue
        exact[a, b] = line.relation.line
        pair = member.get(a, a), member.get(b, b)
        if pair[0] == pair[1]:
            message = f"{name} relates {quote(a)} and {quote(b)}, which are in one cluster, and is not scored"
            out.warn("link-in-cluster", message, line.relation.line, line.column, "remove it")
        else:
            first.setdefault(pair, line)
    for (a, b), line in first.items():
        other = first.get((b, a))
        if other is not None and other.relation.line < line.relation.line:
            message = f"{name} goes from {_pair(line)} here and the other way in line {other.relation.line}"
            out.add("both-ways", message, line.relation.line, line.column, "keep one of them")
    rest = {pair: line for pair, line in first.items() if (pair[1], pair[0]) not in first}
    for circle in find_circles(rest):
        inside = [rest[pair] for pair in circle]
        last = max(inside, key=lambda each: each.relation.line)
        names = [each.relation.arguments[0] for each in inside[:_SHOWN]]
        more = " -> ..." * (len(inside) > _SHOWN)
        shown = " -> ".join(quote(each)[1:-1] for each in names) + more + f" -> {quote(names[0])[1:-1]}"
        message = f"{name} forms a cycle: {shown}"
        hint = f"remove one of lines {', '.join(str(each.relation.line) for each in inside[:_SHOWN])}"
        out.add("circle", message, last.relation.line, last.column, hint)


def _pair(line: Line) -> str:
    a, b = line.relation.arguments
    return f"{quote(a)} to {quote(b)}"


def find_circles(links: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """A shortest cycle through the first node of each strongly connected component of a graph.

    >>> find_circles([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    [[('a', 'b'), ('b', 'c'), ('c', 'a')]]
    """
    number: dict[str, int] = {}
    after: list[list[int]] = []
    for pair in links:
        for node in pair:
            if node not in number:
                number[node] = len(after)
                after.append([])
        after[number[pair[0]]].append(number[pair[1]])
    names = list(number)
    circles = [_circle(part, after) for part in components(after) if len(part) > 1]
    return [[(names[a], names[b]) for a, b in circle] for circle in circles]


def _circle(part: Sequence[int], after: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    inside, start = set(part), min(part)
    came: dict[int, int] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in after[node]:
            if other == start:
                path = [(node, start)]
                while node != start:
                    path.append((came[node], node))
                    node = came[node]
                return path[::-1]
            if other in inside and other not in came:
                came[other] = node
                queue.append(other)
    raise AssertionError("a strongly connected part has a circle")
