"""What readers do: judge one or several items, undo, flag, comment, group, link, finish. Every action is an event.

What comes from a page is checked with the schema before anything is written. A card stands for all items that differ in
hidden fields only, and each of them gets an event of its own.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adjudge.errors import AdjudgeError, Problem, ValidationError, did_you_mean
from adjudge.serve.desk import Desk, Sheet, Stack
from adjudge.serve.groups import GROUP, Grouped, grouped, sets_of
from adjudge.serve.links import LINK, Linked, difference, linked
from adjudge.serve.messages import JudgeItem
from adjudge.serve.schema import Schema
from adjudge.serve.store import ASSESS, DECIDED, Conflict, Snapshot, Write, Written, stream_of
from adjudge.serve.store.fold import patched
from adjudge.serve.store.tables import Grouping, Item

MAX_TEXT = 4000  # maximum characters of a flag or a comment


class Refusal(AdjudgeError):
    """Something that cannot be done now; `kind` is `closed` (the stage is over, or not yet open) or `frozen`."""

    def __init__(self, problems: Any, *, kind: str = "closed", hint: str | None = None) -> None:
        super().__init__(problems, hint=hint)
        self.kind = kind


Result = dict[str, Any] | Conflict | AdjudgeError


def judge(desk: Desk, scope: str, judgments: Sequence[JudgeItem]) -> list[Result]:
    """Save judgments, each by itself: what was saved, or why it was not."""
    _reader(desk)
    with desk.store.read() as snapshot:
        sheet = Sheet(desk, snapshot, scope, [each.item for each in judgments])
        _check_open(sheet, ASSESS)
    results: list[Result] = []
    writes: list[Write] = []
    places: list[tuple[int, int, bool]] = []  # the first write of a judgment, how many there are, if it is complete
    for each in judgments:
        start = len(writes)
        try:
            writes += _judge_writes(sheet, each)
            complete = bool(writes[start].body["complete"])
            results.append({})
        except (AdjudgeError, LookupError) as error:
            complete = False
            results.append(error if isinstance(error, AdjudgeError) else _unknown(each.item))
        places.append((start, len(writes) - start, complete))
    written = desk.store.write(writes) if writes else []
    for at, (start, count, complete) in enumerate(places):
        if count:
            results[at] = _result(sheet, judgments[at], written[start : start + count], complete)
    return results


def _judge_writes(sheet: Sheet, given: JudgeItem) -> list[Write]:
    stack = sheet.by_card[given.item]
    check_answers(sheet.schema, given.answers)
    state = sheet.reading.answer(given.item, given.answers)
    answers = dict(sheet.reading.answers.get(given.item, {}))
    body = {"answers": answers, "complete": state.complete, "ms": max(0, min(given.ms, 86_400_000))}
    kind = "undo" if given.cause == "undo" else "judge"  # what it was before is known to the page, also offline
    return _for_each(sheet, stack, kind, body, given)


def _for_each(sheet: Sheet, stack: Stack, kind: str, body: dict[str, Any], given: JudgeItem) -> list[Write]:
    """One event for every item of a card; only the first counts the time."""
    reader = _reader(sheet.desk)
    stream = stream_of(sheet.desk.campaign, sheet.scope.id, reader)
    seen = sheet.version(stack) == given.version
    writes = []
    for at, item in enumerate(stack.items):
        own = sheet.judgments[item.id].version if item.id in sheet.judgments else 0
        key, expect = f"{given.key}+{at}" if at else given.key, own if seen else given.version
        made = {**body, "ms": 0} if at else body
        writes.append(Write(stream, kind, item.id, made, reader, key, expect, given.cause))
    return writes


def _result(sheet: Sheet, given: JudgeItem, written: Sequence[Written | Conflict], complete: bool) -> Result:
    for each in written:
        if isinstance(each, Conflict):
            return each
    done = [each for each in written if isinstance(each, Written)]
    said: dict[str, Any] = {"version": max(each.version for each in done), "n": done[0].n, "complete": complete}
    stack = sheet.by_card[given.item]
    training = sheet.campaign.settings.get("training", {})
    lesson = next((training[item.id] for item in stack.items if item.id in training), None)
    if lesson is not None and complete:
        said["feedback"] = {"answers": lesson["answers"], "why": lesson.get("why", "")}
    return said


def check_answers(schema: Schema, answers: Mapping[str, str]) -> None:
    """Raise everything that is wrong with answers."""
    questions = schema.questions()
    problems = []
    for name, value in answers.items():
        question = questions.get(name)
        if question is None:
            hint = did_you_mean(name, list(questions)) or f"questions are {', '.join(questions)}"
            problems.append(Problem(f"there is no question {name!r}", hint=hint))
        elif question.kind == "choice" and value not in question.values:
            hint = f"choose from {', '.join(question.values)}"
            problems.append(Problem(f"{value!r} is not an answer to {name!r}", hint=hint))
        elif question.kind == "class" and not (value.isascii() and value.isdecimal() and len(value) < 10):
            problems.append(Problem(f"{value!r} is not a class", hint="write a number"))
        elif len(value) > MAX_TEXT:
            problems.append(Problem(f"the answer to {name!r} is too long", hint=f"{MAX_TEXT} characters are enough"))
    if problems:
        raise ValidationError(problems)


def _reader(desk: Desk) -> str:
    if desk.reader is None:
        raise Refusal("only readers judge", hint="sign in as one")
    return desk.reader


def _check_open(sheet: Sheet, stage: str) -> None:
    """Raise if nothing can be done at a stage now."""
    if sheet.campaign.state == "frozen":
        raise Refusal("the campaign is frozen", kind="frozen", hint="ask the organiser")
    if sheet.scope.stage != stage:
        raise Refusal(
            f"{sheet.scope.id} is at the stage {sheet.scope.stage!r}, not {stage!r}", hint="load the page again"
        )
    for each in sheet.assignments:
        if each.stage == stage and each.state == "finished":
            raise Refusal(f"you have finished {sheet.scope.id}", hint="confirm that you want to change it")


def _unknown(item: str) -> ValidationError:
    return ValidationError(f"there is no item {item!r}", hint="load the page again")


def operate(
    desk: Desk, scope: str, stage: str, version: int, ops: Sequence[Mapping[str, Any]], key: str
) -> dict[str, Any]:
    """Do operations of a stage, all or none: those of its page, `undo`, `flag`, `comment`, `finish`, `unfinish`.

    Raises a `Conflict` if somebody else was faster.
    """
    reader = _reader(desk)
    last = ops[-1].get("op") if ops else None
    with desk.store.read() as snapshot:
        sheet = Sheet(desk, snapshot, scope)
        if last == "unfinish":
            if sheet.scope.stage != stage:
                raise Refusal(
                    f"{scope} has gone on to {sheet.scope.stage!r}", hint="ask the organiser to open it again"
                )
            return _done(desk, scope, [_stage_write(sheet, reader, stage, "unfinish", {}, key, None)])
        if stage == ASSESS and last in ("flag", "comment"):
            return _done(desk, scope, [_note_write(sheet, reader, op, _key(key, at)) for at, op in enumerate(ops)])
        _check_open(sheet, stage)
        if stage == ASSESS:
            writes = _assess_ops(sheet, snapshot, reader, ops, key)
        elif stage in (GROUP, LINK) and sheet.schema.stage_of(stage) is not None:
            writes = _stage_ops(sheet, snapshot, reader, stage, (version, ops, key))
        else:
            raise ValidationError(f"there is no stage {stage!r}", hint="load the page again")
    made = _done(desk, scope, writes)
    if last == "finish":
        made["stage"] = settle(desk, scope, stage)
    elif stage != ASSESS:
        with desk.store.read() as snapshot:
            sheet = Sheet(desk, snapshot, scope)
            made["groups" if stage == GROUP else "frames"] = state_of(sheet, snapshot, stage).view()
    return made


def _done(desk: Desk, scope: str, writes: Sequence[Write]) -> dict[str, Any]:
    if not writes:
        raise ValidationError(f"nothing to do for {scope}", hint="name operations")
    last = desk.store.append(writes)[-1]
    return {"version": last.version, "n": last.n}


def _stage_write(
    sheet: Sheet, reader: str, stage: str, kind: str, body: dict[str, Any], key: str, expect: int | None
) -> Write:
    stream = stream_of(sheet.desk.campaign, sheet.scope.id, reader)
    return Write(stream, kind, stage, body, reader, key, expect)


def _key(key: str, at: int) -> str:
    """The key of one of several events of a request."""
    return f"{key}/{at}" if at else key


def _note_write(sheet: Sheet, reader: str, op: Mapping[str, Any], key: str) -> Write:
    stack = sheet.by_card.get(str(op.get("item")))
    if stack is None:
        raise _unknown(str(op.get("item")))
    text = op.get("text")
    kind = str(op.get("op"))
    if kind not in ("flag", "comment") or not (isinstance(text, str) or (text is None and kind == "flag")):
        raise ValidationError("a flag or a comment without a text", hint="write why")
    text = None if text is None else text[:MAX_TEXT]
    body = {"flag": text} if kind == "flag" else {"text": text}
    return _stage_write(sheet, reader, stack.items[0].id, kind, body, key, None)


def _assess_ops(
    sheet: Sheet, snapshot: Snapshot, reader: str, ops: Sequence[Mapping[str, Any]], key: str
) -> list[Write]:
    writes: list[Write] = []
    for at, op in enumerate(ops):
        if op.get("op") == "undo":
            stack = sheet.by_card.get(str(op.get("item")))
            if stack is None:
                raise _unknown(str(op.get("item")))
            before = snapshot.before(sheet.desk.campaign, sheet.scope.id, reader, stack.items[0].id)
            answers = before.body["answers"] if before else {}
            body = {"answers": answers, "complete": bool(before and before.body.get("complete")), "ms": 0}
            version = op.get("version", sheet.version(stack))
            if type(version) is not int:
                raise ValidationError(f"{version!r} is not a version", hint="load the page again")
            given = JudgeItem(item=stack.card.id, version=version, answers={}, key=_key(key, at))
            writes += _for_each(sheet, stack, "undo", body, given)
        elif op.get("op") == "finish":
            open_ = [stack for stack in sheet.stacks if not sheet.complete(stack)]
            if open_:
                message = f"{len(open_)} of {len(sheet.stacks)} are not answered"
                raise ValidationError(
                    message, hint="answer them, or flag what cannot be answered and choose the nearest"
                )
            writes.append(_stage_write(sheet, reader, ASSESS, "finish", {}, _key(key, at), None))
        else:
            raise ValidationError(
                f"there is no operation {op.get('op')!r} here", hint="choose from undo, flag, comment, finish"
            )
    return writes


def _stage_ops(
    sheet: Sheet, snapshot: Snapshot, reader: str, stage: str, request: tuple[int, Sequence[Mapping[str, Any]], str]
) -> list[Write]:
    """The events of operations on groups or links: what changes as a merge patch, and how to take it back."""
    version, ops, key = request
    done = [op for op in ops if op.get("op") not in ("finish", "undo")]
    finish = any(op.get("op") == "finish" for op in ops)
    state = state_of(sheet, snapshot, stage)
    before, patch, now = state.whole, state.patch(done) if done else {}, state.version
    event: dict[str, Any] = {}
    if any(op.get("op") == "undo" for op in ops):
        patch, event["undoes"] = _taken_back(snapshot, sheet, reader, stage)
    after = patched(before, patch)
    event |= {"patch": patch} if now else {"body": after}
    if "undoes" not in event:
        event["back"] = difference(after, before)
    event["items"], event["done"] = state.progress(after)
    if finish and event["done"] < event["items"] and stage == LINK:
        message = f"{event['items'] - event['done']} of {event['items']} rows are in no event"
        raise ValidationError(message, hint="put each into one, even if alone")
    writes = []
    if patch or not now:
        writes.append(_stage_write(sheet, reader, stage, stage, event, key, version))
    if finish:
        own = f"{key}/finish" if writes else key
        writes.append(_stage_write(sheet, reader, stage, "finish", {}, own, None))
    return writes


def state_of(sheet: Sheet, snapshot: Snapshot, stage: str) -> Grouped | Linked:
    """What a reader has put together."""
    return grouped(sheet, snapshot) if stage == GROUP else linked(sheet, snapshot)


def _taken_back(snapshot: Snapshot, sheet: Sheet, reader: str, stage: str) -> tuple[dict[str, Any], int]:
    """How to undo the last operation that is not undone yet."""
    left: list[tuple[dict[str, Any], int]] = []
    for event in snapshot.events(stream_of(sheet.desk.campaign, sheet.scope.id, reader)):
        if event.kind == stage and event.subject == stage:
            if "undoes" in event.body:
                left.pop()
            elif event.body.get("back"):
                left.append((event.body["back"], event.n))
    if not left:
        raise ValidationError("there is nothing to undo", hint="go on")
    return left[-1]


# ---------------------------------------------------------------------------------------------------------------------
# When all readers of a stage have finished: what they agree on is decided, and the scope goes on if nothing is left.
# Classes and groups are compared by what is in them, since their numbers are each reader's own.


DONE = "done"


def next_stage(schema: Schema, stage: str) -> str:
    """The stage after one, or `done`."""
    kinds = [each.kind for each in schema.stage]
    return (*kinds, DONE)[[*kinds, DONE].index(stage) + 1] if stage != DONE else DONE


def settle(desk: Desk, scope: str, stage: str, *, kept: bool = False) -> str:
    """Decide what can be decided without anybody, and say at which stage the scope is then.

    What an adjudicator has decided is `kept`; else readers who agree replace what was official before.
    """
    with desk.store.read() as snapshot:
        sheet = Sheet(desk, snapshot, scope)
        readers = [each for each in snapshot.assignments(desk.campaign, scope) if each.stage == stage]
        if sheet.scope.stage != stage or not readers or any(each.state != "finished" for each in readers):
            return sheet.scope.stage
        names = [each.reader for each in sorted(readers, key=lambda each: (each.slot, each.reader))]
        known = {each.subject: each.answers for each in snapshot.decisions(desk.campaign, scope, stage)}
        if stage == ASSESS:
            made, left = _items(sheet, snapshot, names, known, kept)
        else:
            made, left = ({}, 0) if kept and stage in known else _body(sheet, snapshot, names, stage)
    how = "single" if len(names) == 1 else "agreed"
    body: dict[str, Any] = {"stage": stage, "decisions": made, "how": how, "by": ", ".join(names)}
    after = stage if left else next_stage(sheet.schema, stage)
    if not left:
        body["next"] = after
    if made or not left:
        stream, key = stream_of(desk.campaign, scope, DECIDED), f"settle-{secrets.token_hex(8)}"
        desk.store.append([Write(stream, "decide", stage, body, desk.reader or names[0], key)])
    return after


def _items(
    sheet: Sheet, snapshot: Snapshot, readers: Sequence[str], known: Mapping[str, Any], kept: bool
) -> tuple[dict[str, Any], int]:
    """What all readers say of items alike, and how many items are left."""
    campaign, scope = sheet.desk.campaign, sheet.scope.id
    given = answers_by(snapshot, campaign, scope, readers, complete=True)
    alike = [comparable(sheet.schema, sheet.items, answers) for answers in given.values()]
    twice = answered_twice(snapshot, campaign, scope, given)
    made: dict[str, Any] = {}
    left = 0
    for item in sheet.items:
        if kept and item.id in known:
            continue
        if item.id in twice:
            left += item.id not in known
            continue
        said = [each.get(item.id) for each in alike]
        if all(each is None for each in said) and item.id in known:
            continue
        if said[0] is not None and all(each == said[0] for each in said):
            answers = given[readers[0]][item.id]
            if known.get(item.id) != answers:
                made[item.id] = answers
        else:
            left += 1
    return made, left


def answers_by(
    snapshot: Snapshot, campaign: str, scope: str, readers: Iterable[str], *, complete: bool = False
) -> dict[str, dict[str, dict[str, str]]]:
    """What readers say of the items of a scope, or only what is complete of it."""
    said = {reader: snapshot.judgments(campaign, scope, reader) for reader in readers}
    return {
        reader: {each.item: each.answers for each in own if each.complete or not complete}
        for reader, own in said.items()
    }


def answered_twice(
    snapshot: Snapshot, campaign: str, scope: str, given: Mapping[str, Mapping[str, Mapping[str, str]]]
) -> dict[str, list[tuple[str, dict[str, str]]]]:
    """Items that readers have answered differently offline, with these answers; `given` are those on the server."""
    found: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for note in snapshot.notes(campaign, scope):
        said = [each["answers"] for each in note.comments if "answers" in each]
        if said and note.reader in given and said[-1] != given[note.reader].get(note.item):
            found.setdefault(note.item, []).append((note.reader, said[-1]))
    return found


def comparable(
    schema: Schema, items: Iterable[Item], answers: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, object]]:
    """Answers in which a class is what it has in it: two readers may call the same class by different numbers."""
    listed = [item for item in items if item.id in answers]
    found: dict[str, dict[str, object]] = {item.id: dict(answers[item.id]) for item in listed}
    for question in schema.question:
        if question.kind == "class":
            members: dict[tuple[object, ...], list[str]] = {}
            for item in listed:
                if question.id in answers[item.id]:
                    room = (item.scope, item.parent, *(str(item.body.get(name)) for name in question.within))
                    members.setdefault((*room, answers[item.id][question.id]), []).append(item.id)
            for own in members.values():
                for id_ in own:
                    found[id_][question.id] = tuple(sorted(own))
    return found


def _body(sheet: Sheet, snapshot: Snapshot, readers: Sequence[str], stage: str) -> tuple[dict[str, Any], int]:
    """The groups or events of the first reader if those of all are equal."""
    rows = [snapshot.get(Grouping, sheet.desk.campaign, sheet.scope.id, stage, reader) for reader in readers]
    bodies = [row.body if row else {} for row in rows]
    forms = [_form(body, stage) for body in bodies]
    if any(form != forms[0] for form in forms):
        return {}, 1
    first = {key: value for key, value in bodies[0].items() if key != "seen"}
    return {stage: first}, 0


def _form(body: Mapping[str, Any], stage: str) -> frozenset[frozenset[str]]:
    """A partition, or a set of events, whatever their numbers are."""
    if stage != GROUP:
        return frozenset(frozenset(event["items"]) for event in body.get("events", {}).values())
    return frozenset(map(frozenset, sets_of(body)))
