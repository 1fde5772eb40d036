"""The bundled campaign as a server: a new folder, all its documents given to one reader, and an invitation."""

from __future__ import annotations

from pathlib import Path

from adjudge.serve.access import Access
from adjudge.serve.campaigns import assign, create_campaign, import_sources
from adjudge.serve.codecs import Sources, codec_of
from adjudge.serve.exchange import set_training
from adjudge.serve.folder import Folder
from adjudge.serve.schema import named_schema
from adjudge.serve.store import Store

CAMPAIGN, SCHEMA = "demo", "eal-2015"
GUIDELINE = """\
Read the highlighted sentences: they are the justification. Mark what is wrong; everything else counts as correct.

The event type is wrong if the justification supports no event of this type, the role if nothing fills it there.
A filler (CAS) is a name or a noun that stands for itself; of a time, a normalised date. A base filler may be a pronoun.
Realis: generic if no particular event is meant; other if it is denied, planned or only possible; else actual.
"""


def make_demo(path: Path, reader: str) -> tuple[Folder, str]:
    """A folder with the bundled campaign, unassessed, and the token of an invitation for its only reader."""
    from adjudge.demo.eal import ASSESSMENTS, FOLDER, SOURCES

    folder = Folder.create(path, '[server]\nname = "demo"\n')
    schema = named_schema(SCHEMA)
    with Store.open(folder.path) as store:
        settings = {**codec_of(schema).settings(None), "title": "The bundled campaign", "guideline": GUIDELINE}
        create_campaign(store, CAMPAIGN, schema, settings)
        sources = Sources(answers=ASSESSMENTS, texts=SOURCES)
        import_sources(store, folder.secret, CAMPAIGN, sources, answers=False)
        set_training(store, CAMPAIGN, FOLDER / "training.jsonl")
        assign(store, CAMPAIGN, reader)
        token, _ = Access(store, folder.secrets, folder.settings).invite(reader, "assessor", CAMPAIGN)
    return folder, token
