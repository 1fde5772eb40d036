"""What readers disagree on, and the decision about it: who decides sees answers, and names only afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from adjudge.errors import ValidationError
from adjudge.serve.answers import interpret
from adjudge.serve.desk import Desk, Range, Sheet
from adjudge.serve.groups import GROUP, members_of, numbers_after, sets_of, unnamed
from adjudge.serve.links import Linked, linked
from adjudge.serve.messages import Decide
from adjudge.serve.store import ASSESS, DECIDED, Snapshot, Write, stream_of
from adjudge.serve.store.tables import Grouping, Judgment
from adjudge.serve.views import schema_view, shown_of, text_view
from adjudge.serve.workbench import Refusal, answered_twice, answers_by, check_answers, comparable, settle

PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")


def disputed_scopes(desk: Desk, snapshot: Snapshot) -> list[str]:
    """Scopes whose readers have all finished the stage that they are at, without agreeing, perhaps with themselves."""
    states: dict[str, list[tuple[str, str]]] = {}
    for each in snapshot.assignments(desk.campaign):
        states.setdefault(each.scope, []).append((each.stage, each.state))
    found = []
    for scope in snapshot.scopes(desk.campaign):
        here = [state for stage, state in states.get(scope.id, []) if stage == scope.stage]
        if here and all(state == "finished" for state in here):  # one reader may have answered twice
            found.append(scope.id)
    return found


def disputes(desk: Desk) -> list[dict[str, Any]]:
    """All open disputes, by document."""
    with desk.store.read() as snapshot:
        return [each for scope in disputed_scopes(desk, snapshot) for each in scope_disputes(desk, snapshot, scope)]


def scope_disputes(desk: Desk, snapshot: Snapshot, scope: str) -> list[dict[str, Any]]:
    """What waits for a decision in one document; readers are first, second, ..."""
    sheet = Sheet(desk, snapshot, scope)
    stage, readers = sheet.scope.stage, readers_of(sheet, snapshot)
    done = {each.subject for each in snapshot.decisions(desk.campaign, scope, stage)}
    if stage == ASSESS:
        return _cards(sheet, snapshot, readers, done)
    if stage in done or sheet.schema.stage_of(stage) is None:
        return []
    put = _put_together(sheet, snapshot, stage, readers)
    found = together(put.sets)
    blocks = {
        name: {
            "text": ", ".join(dict.fromkeys(put.words[each] for each in own)),
            "marks": [place for each in own for place in put.marks[each]],
        }
        for name, own in found.blocks.items()
    }
    return [
        {
            "scope": scope,
            "stage": stage,
            "subject": stage,
            "version": 0,
            "claim": stage,
            "said": [
                {"reader": PLACES[at], "sets": sorted(sorted(put.words[each] for each in own) for own in sets)}
                for at, sets in enumerate(put.sets)
            ],
            "blocks": blocks,
            "agreed": found.agreed,
            "pairs": [{"pair": pair, "by": [PLACES[at] for at in who]} for pair, who in found.disputed.items()],
            "closed": stage == GROUP,  # what is the same as a third is the same
        }
    ]


def dispute_view(desk: Desk, scope: str) -> dict[str, Any]:
    """What is needed to decide about one document: its text, the schema, and what readers say."""
    with desk.store.read() as snapshot:
        sheet = Sheet(desk, snapshot, scope)
        found = scope_disputes(desk, snapshot, scope) if scope in disputed_scopes(desk, snapshot) else []
        return {
            "campaign": desk.campaign,
            "scope": scope,
            "stage": sheet.scope.stage,
            **text_view(sheet.text.text),
            "schema": schema_view(sheet.schema),
            "disputes": found,
        }


def readers_of(sheet: Sheet, snapshot: Snapshot) -> list[str]:
    """The readers of the stage that a scope is at, the first one first."""
    own = [
        each for each in snapshot.assignments(sheet.desk.campaign, sheet.scope.id) if each.stage == sheet.scope.stage
    ]
    return [each.reader for each in sorted(own, key=lambda each: (each.slot, each.reader))]


def _cards(sheet: Sheet, snapshot: Snapshot, readers: Sequence[str], done: set[str]) -> list[dict[str, Any]]:
    campaign, scope = sheet.desk.campaign, sheet.scope.id
    given = answers_by(snapshot, campaign, scope, readers)
    alike = [comparable(sheet.schema, sheet.items, own) for own in given.values()]
    versions = {each.subject: each.version for each in snapshot.decisions(campaign, scope, ASSESS)}
    twice = answered_twice(snapshot, campaign, scope, given)
    found = []
    for stack in sheet.stacks:
        item = stack.items[0]
        said = [each.get(item.id) for each in alike]
        offline = twice.get(item.id, [])
        if item.id in done or (all(each == said[0] for each in said) and not offline):
            continue
        names = [question.id for question in sheet.schema.question]
        rows = [*said, *(answers for _, answers in offline)]
        values = {name: [str(each[name]) for each in rows if each and name in each] for name in names}
        differ = [name for name in names if len(set(values[name])) > 1]  # of what was asked of two readers
        differ = differ or [name for name in names if 0 < len(values[name]) < len(rows)]
        found.append(
            {
                "scope": scope,
                "stage": ASSESS,
                "subject": item.id,
                "version": versions.get(item.id, 0),
                **shown_of(sheet, stack),
                "differ": differ,
                "said": [
                    {"reader": PLACES[at], "answers": given[name].get(item.id, {})} for at, name in enumerate(readers)
                ]
                + [
                    {"reader": f"{PLACES[readers.index(name)]}, offline", "answers": answers}
                    for name, answers in offline
                ],
            }
        )
    return found


class _Put(NamedTuple):
    """What readers have put together: their sets, and the words and places of what is in them."""

    bodies: list[Mapping[str, Any]]
    sets: list[list[list[str]]]
    words: dict[str, str]
    marks: dict[str, list[Range]]
    links: Linked | None = None  # of events


def _put_together(sheet: Sheet, snapshot: Snapshot, stage: str, readers: Sequence[str]) -> _Put:
    found = [snapshot.get(Grouping, sheet.desk.campaign, sheet.scope.id, stage, reader) for reader in readers]
    bodies: list[Mapping[str, Any]] = [row.body if row else {} for row in found]
    if stage == GROUP:
        sets = [sets_of(body) for body in bodies]
        asked = members_of(sheet, sheet.schema.own_stage(GROUP), sheet.items)
        named = {member for own in sets for members in own for member in members}
        words = {name: asked[name].text if name in asked else str(unnamed(name)[0]) for name in named}
        return _Put(bodies, sets, words, {each: list(asked[each].ranges) if each in asked else [] for each in named})
    links = linked(sheet, snapshot, {})
    sets = []
    for body in bodies:
        state = links._replace(body=dict(body))
        sets.append(state.sets + [[row.id] for row in state.rows.values() if not state.of(row)])
    claims = {item.id: shown_of(sheet, stack)["claim"] for stack in sheet.stacks for item in stack.items}
    words = {row.id: claims[row.items[0].id] for row in links.rows.values()}
    return _Put(bodies, sets, words, {row.id: list(row.ranges) for row in links.rows.values()}, links)


def _own_sets(sheet: Sheet, snapshot: Snapshot, verdict: Decide, readers: Sequence[str]) -> dict[str, Any]:
    """Groups or events in which what all agree on is together, and of the rest what was decided to be."""
    put = _put_together(sheet, snapshot, verdict.stage, readers)
    found = together(put.sets)
    pairs = sorted(chosen(found, verdict.same or ()))
    if put.links is None:
        known = put.bodies[0].get("of", {})
        fresh = iter(numbers_after({number for body in put.bodies for number in body.get("of", {}).values()}))
        return {"of": numbered(groups_of(found, pairs), known, lambda: str(next(fresh)))}
    rows = put.links.rows
    wanted = {row for sets in put.sets for own in sets for row in own if len(own) > 1}
    wanted |= rows.keys() - put.links.ignored
    events = [own for own in events_of(found, pairs) if set(own) & wanted]
    return {
        "events": {
            str(number): {"name": None, "items": {item.id: True for row in own for item in rows[row].items}}
            for number, own in enumerate(events, 1)
        }
    }


def decide(desk: Desk, scope: str, subject: str, verdict: Decide) -> dict[str, Any]:
    """Write the official answer; the names of the readers are told only now. The scope goes on if it was the last."""
    if desk.reader is None:
        raise Refusal("only adjudicators decide", hint="sign in as one")
    with desk.store.read() as snapshot:
        sheet = Sheet(desk, snapshot, scope)
        if sheet.campaign.state == "frozen":
            raise Refusal("the campaign is frozen", kind="frozen", hint="ask the organiser")
        if sheet.scope.stage != verdict.stage:
            raise Refusal(f"{scope} is at the stage {sheet.scope.stage!r}", hint="load the page again")
        if scope not in disputed_scopes(desk, snapshot):
            raise Refusal(f"the readers of {scope} have not all finished", hint="wait for them")
        readers = readers_of(sheet, snapshot)
        answers = _answers(sheet, snapshot, subject, verdict, readers)
        stacks = [stack for stack in sheet.stacks if any(item.id == subject for item in stack.items)]
        if verdict.stage == ASSESS and not stacks:
            raise ValidationError(f"there is no item {subject!r}", hint="load the page again")
        items = [item.id for item in stacks[0].items] if verdict.stage == ASSESS else [subject]
        names = [*readers, *(f"{name}, offline" for name, _ in _offline(sheet, snapshot, subject, readers))]
    stream = stream_of(desk.campaign, scope, DECIDED)
    body = {"stage": verdict.stage, "answers": answers, "how": "adjudicated", "by": desk.reader, "why": verdict.why}
    first, *others = items
    writes = [Write(stream, "decide", first, body, desk.reader, verdict.key, verdict.version)]
    for at, item in enumerate(others, 1):
        writes.append(Write(stream, "decide", item, body, desk.reader, f"{verdict.key}+{at}"))
    done, *_ = desk.store.append(writes)
    stage = settle(desk, scope, verdict.stage, kept=True)
    return {"version": done.version, "n": done.n, "readers": names, "stage": stage}


def _answers(sheet: Sheet, snapshot: Snapshot, subject: str, verdict: Decide, readers: Sequence[str]) -> dict[str, Any]:
    campaign, scope = sheet.desk.campaign, sheet.scope.id
    if verdict.take is not None:
        offline = _offline(sheet, snapshot, subject, readers)
        most = len(readers) + len(offline)
        if not 1 <= verdict.take <= most:
            raise ValidationError(f"there is no reader {verdict.take}", hint=f"choose from 1 to {most}")
        if verdict.take > len(readers):
            return dict(offline[verdict.take - len(readers) - 1][1])
        reader = readers[verdict.take - 1]
        if verdict.stage != ASSESS:
            row = snapshot.get(Grouping, campaign, scope, verdict.stage, reader)
            return {key: value for key, value in (row.body if row else {}).items() if key != "seen"}
        found = snapshot.get(Judgment, campaign, subject, reader)
        if found is None or not found.complete:
            raise ValidationError("this reader has not answered it", hint="give an answer of your own")
        return dict(found.answers)
    if verdict.stage != ASSESS and verdict.same is not None:
        return _own_sets(sheet, snapshot, verdict, readers)
    if verdict.stage != ASSESS or not verdict.answers:
        raise ValidationError("a decision takes a reader's answer or has one of its own", hint="give take or answers")
    check_answers(sheet.schema, verdict.answers)
    stack = next((each for each in sheet.stacks if any(item.id == subject for item in each.items)), None)
    if stack is None:
        raise ValidationError(f"there is no item {subject!r}", hint="load the page again")
    state = interpret(sheet.schema, stack.card.fields, verdict.answers)
    if not state.complete:
        raise ValidationError(f"not answered: {', '.join(state.open)}", hint="answer every question")
    return dict(state.settled())


def _offline(
    sheet: Sheet, snapshot: Snapshot, subject: str, readers: Sequence[str]
) -> list[tuple[str, dict[str, str]]]:
    """What readers have answered differently offline."""
    campaign, scope = sheet.desk.campaign, sheet.scope.id
    given = answers_by(snapshot, campaign, scope, readers)
    return answered_twice(snapshot, campaign, scope, given).get(subject, [])


# ---------------------------------------------------------------------------------------------------------------------
# What several readers have put together
#
# Blocks that nobody divides, and pairs of blocks on which readers differ. Two blocks belong together if somebody who
# decides says so, or if all readers do. Groups are what hangs together; one thing may be in several events, so events
# are the largest sets in which every two belong together.


Sets = Sequence[Iterable[str]]
Pair = tuple[str, str]
_MOST = 1000  # events that are made of pairs


class Together(NamedTuple):
    """Blocks by the name of their first member, pairs that all readers put together, and those that some do.

    >>> found = together([[["a", "b"], ["c"]], [["a", "b", "c"]]])
    >>> found.blocks, found.agreed, found.disputed
    ({'a': ['a', 'b'], 'c': ['c']}, [], {('a', 'c'): [1]})
    """

    blocks: dict[str, list[str]]
    agreed: list[Pair]
    disputed: dict[Pair, list[int]]  # and the places of the readers who do


def together(readers: Sequence[Sets]) -> Together:
    """Compare the sets of readers."""
    places: dict[str, set[tuple[int, int]]] = {}
    for reader, sets in enumerate(readers):
        for number, members in enumerate(sets):
            for member in members:
                places.setdefault(member, set()).add((reader, number))
    blocks: dict[frozenset[tuple[int, int]], list[str]] = {}
    for member in sorted(places):
        blocks.setdefault(frozenset(places[member]), []).append(member)
    agreed, disputed = [], {}
    for (one, mine), (other, yours) in combinations(blocks.items(), 2):
        who = sorted({reader for reader, _ in one & other})
        if len(who) == len(readers):
            agreed.append((mine[0], yours[0]))
        elif who:
            disputed[mine[0], yours[0]] = who
    return Together({members[0]: members for members in blocks.values()}, agreed, disputed)


def chosen(found: Together, same: Iterable[Sequence[str]]) -> set[Pair]:
    """All pairs that belong together, if of the disputed ones these do; a pair that nobody disputes is refused."""
    pairs = {(one, other) for one, other in same}
    strange = sorted(pairs - found.disputed.keys())
    if strange:
        raise ValidationError(f"{strange[0]} is not disputed", hint="load the page again")
    return pairs | set(found.agreed)


def groups_of(found: Together, pairs: Iterable[Pair]) -> list[list[str]]:
    """The connected groups.

    >>> groups_of(together([["ab", "c", "d"], ["a", "bc", "d"]]), [("a", "b"), ("b", "c")])
    [['a', 'b', 'c'], ['d']]
    """
    first = {block: block for block in found.blocks}
    for one, other in pairs:
        old, new = first[other], first[one]
        first = {block: new if own == old else own for block, own in first.items()}
    sets: dict[str, list[str]] = {}
    for block, own in first.items():
        sets.setdefault(own, []).extend(found.blocks[block])
    return [sorted(members) for members in sets.values()]


def events_of(found: Together, pairs: Iterable[Pair]) -> list[list[str]]:
    """The largest sets in which every two belong together.

    >>> events_of(together([["ac", "bc"], ["ac", "b"]]), [("a", "c"), ("b", "c")])
    [['a', 'c'], ['b', 'c']]
    """
    near: dict[str, set[str]] = {block: set() for block in found.blocks}
    for one, other in pairs:
        near[one].add(other)
        near[other].add(one)
    sets: list[list[str]] = []

    def grow(inside: list[str], open_: set[str], done: set[str]) -> None:
        if not open_ and not done:
            sets.append(sorted(member for block in inside for member in found.blocks[block]))
            if len(sets) > _MOST:
                raise ValidationError(f"these pairs make more than {_MOST} events", hint="join or divide more of them")
        pivot = max(open_ | done, key=lambda each: (len(near[each] & open_), each), default="")
        for block in sorted(open_ - near.get(pivot, set())):
            grow([*inside, block], open_ & near[block], done & near[block])
            open_, done = open_ - {block}, done | {block}

    grow([], set(near), set())
    return sorted(sets)


def numbered(sets: Iterable[Sequence[str]], known: Mapping[str, str], fresh: Callable[[], str]) -> dict[str, str]:
    """A number for every member: that of one of its set which no set before has, else a new one."""
    found: dict[str, str] = {}
    for members in sets:
        used = set(found.values())
        number = next((known[each] for each in members if each in known and known[each] not in used), None) or fresh()
        found.update(dict.fromkeys(members, number))
    return found
