"""A folder in which two readers have finished a document and disagree: run with the Python of adjudge.

With `group` behind the folder they agree on the answers, and have put different fillers together; with `link` the
answers and groups are the stored ones, and they have put different rows into events.
"""

import json
import sys
from pathlib import Path

from adjudge.demo.eal import ASSESSMENTS, SOURCES
from adjudge.serve.access import Access
from adjudge.serve.campaigns import assign, create_campaign, import_sources
from adjudge.serve.codecs import Sources, codec_of
from adjudge.serve.desk import Desk, Sheet
from adjudge.serve.folder import Folder
from adjudge.serve.messages import JudgeItem
from adjudge.serve.schema import named_schema
from adjudge.serve.store import Store
from adjudge.serve.views import scope_view
from adjudge.serve.workbench import judge, operate

NAME, SCOPE = "demo", "MINI_NW_01"
RIGHT = {"aet": "C", "aer": "C", "cas": "C", "bf": "C", "realis": "Actual", "mention_type": "NAME"}
OTHER = {"ann": {}, "ben": {0: {"aet": "W"}, 2: {"aet": "W"}, 3: {**RIGHT, "realis": "Other"}}}
JOINED = {"ann": (1, 2), "ben": (1, 3)}
ROLES = {"ann": "assessor", "ben": "assessor", "cara": "assessor", "dora": "adjudicator", "otto": "organiser"}


def main(path: Path, stage: str = "assess") -> None:
    """Make it, and print the invitations of everybody as JSON."""
    folder = Folder.create(path, '[server]\nname = "desks"\n')
    schema = named_schema("eal-2015")
    with Store.open(folder.path) as store:
        create_campaign(store, NAME, schema, codec_of(schema).settings(None))
        sources = Sources(answers=ASSESSMENTS, texts=SOURCES)
        import_sources(store, folder.secret, NAME, sources, answers=stage == "link")
        for slot, reader in enumerate(OTHER):
            assign(store, NAME, reader, [SCOPE], slot=slot)
        for reader, answers in OTHER.items():
            desk = Desk(store, NAME, reader, folder.secret)
            if stage == "link":
                link(desk, alone=reader == "ann")
            else:
                assess(desk, answers if stage == "assess" else {})
        for reader, places in JOINED.items() if stage == "group" else ():
            desk = Desk(store, NAME, reader, folder.secret)
            rows = [row["id"] for row in scope_view(desk, SCOPE)["groups"]["rows"]]
            ops = [{"op": "join", "a": rows[0], "b": rows[at]} for at in places]
            operate(desk, SCOPE, "group", 0, [*ops, {"op": "finish"}], f"{reader}-group")
        access = Access(store, folder.secrets, folder.settings)
        print(json.dumps({name: access.invite(name, role, NAME)[0] for name, role in ROLES.items()}))


def assess(desk: Desk, answers: dict[int, dict[str, str]]) -> None:
    """Everything is right, but for what `answers` says of cards by number."""
    with desk.store.read() as snapshot:
        cards = [stack.card.id for stack in Sheet(desk, snapshot, SCOPE).stacks]
    given = [
        JudgeItem(item=card, version=0, answers=answers.get(at, RIGHT), ms=1900, key=f"{desk.reader}-{at}")
        for at, card in enumerate(cards)
    ]
    assert not [each for each in judge(desk, SCOPE, given) if isinstance(each, Exception)]
    operate(desk, SCOPE, "assess", 0, [{"op": "finish"}], f"{desk.reader}-finish")


def link(desk: Desk, *, alone: bool) -> None:
    """Every row is an event, or all rows of a type are one."""
    ops, number = [], 0
    for table in scope_view(desk, SCOPE)["frames"]["tables"]:
        for at, row in enumerate(table["rows"]):
            number += alone or at == 0
            ops.append({"op": "put", "row": row["id"], "event": "new" if alone or at == 0 else str(number)})
    operate(desk, SCOPE, "link", 0, [*ops, {"op": "finish"}], f"{desk.reader}-link")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
