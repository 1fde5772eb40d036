"""The bundled campaign in a store, for tests."""

from contextlib import contextmanager

from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES
from adjudge.serve.campaigns import assign, create_campaign, import_sources
from adjudge.serve.codecs import Sources, codec_of
from adjudge.serve.desk import Desk
from adjudge.serve.schema import named_schema
from adjudge.serve.store import Store

SECRET = b"s" * 32
NAME = "demo"


def make(store, *, answers=True, readers=(), schema="eal-2015", sources=None):
    schema = named_schema(schema)
    create_campaign(store, NAME, schema, codec_of(schema).settings(None))
    done = import_sources(store, SECRET, NAME, sources or Sources(ASSESSMENTS, SOURCES, FRAMES), answers=answers)
    for slot, reader in enumerate(readers):
        assign(store, NAME, reader, slot=slot)
    return done


@contextmanager
def campaign(folder, database=None, **options):
    with Store.open(folder, database) as store:
        make(store, **options)
        yield store


def desk(store, reader="ann"):
    return Desk(store, NAME, reader, SECRET)
