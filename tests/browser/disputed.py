"""A folder in which two readers have finished a document and disagree: run with the Python of adjudge."""

import json
import sys
from pathlib import Path

from adjudge.demo.eal import ASSESSMENTS, SOURCES
from adjudge.serve.access import Access
from adjudge.serve.campaigns import assign, create_campaign, import_sources
from adjudge.serve.codecs import Sources, codec_of
from adjudge.serve.desk import Desk, Sheet
from adjudge.serve.folder import Folder
from adjudge.serve.schema import named_schema
from adjudge.serve.store import Store
from adjudge.serve.workbench import Judgment, judge, operate

NAME, SCOPE = "demo", "MINI_NW_01"
RIGHT = {"aet": "C", "aer": "C", "cas": "C", "bf": "C", "realis": "Actual", "mention_type": "NAME"}
OTHER = {"ann": {}, "ben": {0: {"aet": "W"}, 2: {"aet": "W"}, 3: {**RIGHT, "realis": "Other"}}}
ROLES = {"ann": "assessor", "ben": "assessor", "cara": "assessor", "dora": "adjudicator", "otto": "organiser"}


def main(path: Path) -> None:
    """Make it, and print the invitations of everybody as JSON."""
    folder = Folder.create(path, '[server]\nname = "desks"\n')
    schema = named_schema("eal-2015")
    with Store.open(folder.path) as store:
        create_campaign(store, NAME, schema, codec_of(schema).settings(None))
        import_sources(store, folder.secret, NAME, Sources(answers=ASSESSMENTS, texts=SOURCES), answers=False)
        for slot, reader in enumerate(OTHER):
            assign(store, NAME, reader, [SCOPE], slot=slot)
        for reader, answers in OTHER.items():
            desk = Desk(store, NAME, reader, folder.secret)
            with store.read() as snapshot:
                cards = [stack.card.id for stack in Sheet(desk, snapshot, SCOPE).stacks]
            given = [
                Judgment(item=card, version=0, answers=answers.get(at, RIGHT), ms=1900, key=f"{reader}-{at}")
                for at, card in enumerate(cards)
            ]
            assert not [each for each in judge(desk, SCOPE, given) if isinstance(each, Exception)]
            operate(desk, SCOPE, "assess", 0, [{"op": "finish"}], f"{reader}-finish")
        access = Access(store, folder.secrets, folder.settings.limits)
        print(json.dumps({name: access.invite(name, role, NAME)[0] for name, role in ROLES.items()}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
