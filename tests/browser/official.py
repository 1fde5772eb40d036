"""The stored answers of the bundled campaign by what a reader sees of a response: run with the Python of adjudge."""

import sys
import tempfile
from pathlib import Path

import msgspec

from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES
from adjudge.serve.campaigns import create_campaign, import_sources
from adjudge.serve.codecs import Sources
from adjudge.serve.desk import Desk, Sheet, decided
from adjudge.serve.groups import GROUP
from adjudge.serve.links import linked
from adjudge.serve.schema import named_schema
from adjudge.serve.store import ASSESS, Store


def main() -> None:
    """Print them as JSON: for every document the cards (fields, answers, how many), the groups, and the tables."""
    found = {}
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder)) as store:
        create_campaign(store, "official", named_schema("eal-2015"), {})
        import_sources(store, b"key", "official", Sources(answers=ASSESSMENTS, texts=SOURCES, frames=FRAMES))
        with store.read() as snapshot:
            for scope in snapshot.scopes("official"):
                answers = decided(snapshot, "official", scope.id, ASSESS)
                sheet = Sheet(Desk(store, "official", None), snapshot, scope.id)
                cards = [[each.card.fields, answers[each.items[0].id], len(each.items)] for each in sheet.stacks]
                assert all(
                    answers[item.id] == answers[each.items[0].id] for each in sheet.stacks for item in each.items
                )
                groups = decided(snapshot, "official", scope.id, GROUP).get(GROUP, {}).get("of", {})
                found[scope.id] = {"cards": cards, "groups": groups, "frames": linked(sheet, snapshot).view()["tables"]}
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
