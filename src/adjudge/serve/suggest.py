"""Suggestions of automatic judges: answers in files of a campaign's own format, which nobody takes for a reader's.

They are kept for all items. Readers see them only in scopes that do not belong to the validity sample, which is drawn
at the import, before anything is suggested; the chance with which a scope was drawn is stored with its items.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.errors import Problem, ValidationError
from adjudge.findings import Finding
from adjudge.serve.campaigns import Batch, Imported, check_name, schema_of
from adjudge.serve.codecs import Sources, codec_of
from adjudge.serve.desk import Desk
from adjudge.serve.messages import Suggested
from adjudge.serve.store import Store, Write, stream_of
from adjudge.serve.store.tables import Item
from adjudge.serve.training import items_like
from adjudge.serve.workbench import check_answers


def import_suggestions(store: Store, campaign: str, sources: Sources, source: str) -> Imported:
    """Take what files say of the items of a campaign as suggestions of one judge; new ones replace those before."""
    check_name(source, "a judge")
    schema = schema_of(store, campaign)
    done = Imported()
    batch = Batch(store, source)
    for scope in codec_of(schema).read(schema, sources, done.findings):
        with store.read() as snapshot:
            items = {item.identity: item.id for item in snapshot.items(campaign, scope.id)}
            before = {each.item: each.answers for each in snapshot.suggestions(campaign, scope.id, source)}
        said = [(items[each.identity], each.answers) for each in scope.items if each.answers and each.identity in items]
        strange = sum(each.identity not in items for each in scope.items)
        if strange:
            message = f"{strange} of {len(scope.items)} items are not in the campaign"
            problem = Problem(message, path=scope.id, hint="they are left out")
            done.findings.append(Finding("unknown-item", False, problem, scope.id))
        new = [{"item": item, "answers": answers} for item, answers in said if before.get(item) != answers]
        if new:
            batch.add(stream_of(campaign), "suggest", source, {"suggestions": new})
        done.scopes += 1
        done.items += len(scope.items)
        done.new += len(new)
    batch.flush()
    return done


def suggest(desk: Desk, given: Sequence[Suggested], key: str) -> int:
    """Take suggestions of the desk's judge, all or none; new ones replace those before. Gives how many items."""
    assert desk.reader is not None
    schema = schema_of(desk.store, desk.campaign)
    made, problems = [], []
    with desk.store.read() as snapshot:
        for number, each in enumerate(given, 1):
            try:
                check_answers(schema, each.answers)
                if isinstance(each.item, str):
                    found = snapshot.get(Item, desk.campaign, each.item)
                    items = [] if found is None or found.withdrawn is not None else [found]
                    if not items:
                        raise ValueError(f"there is no item {each.item!r}")
                else:
                    items = items_like(snapshot, schema, desk.campaign, each.scope, each.item)
            except (ValueError, ValidationError) as error:
                said = error.problems if isinstance(error, ValidationError) else [Problem(str(error), hint=_HINT)]
                problems += [Problem(own.message, f"suggestions[{number - 1}]", hint=own.hint) for own in said]
                continue
            made += [{"item": item.id, "answers": each.answers, "score": each.score} for item in items]
    if problems:
        raise ValidationError(problems)
    stream, body = stream_of(desk.campaign), {"suggestions": made}
    desk.store.append([Write(stream, "suggest", desk.reader, body, desk.reader, key)])
    return len(made)


_HINT = "name an item by its id, or by its scope and some of its fields"
