"""How an input becomes what a reader takes.

A reader that needs several files takes them from one input, in parts with a line `~~~~` between them. A reader of paths
gets them in a folder of its own, which must be empty again afterwards: a reader leaves nothing there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace

from adjudge.errors import FormatError, UsageError
from fuzz.seeding import parts, seeds_of


def direct(function: str, **options: Any) -> Callable[[bytes, Path], Any]:
    """A function of bytes, `module:name` below adjudge."""
    return partial(_direct, function, options)


def _direct(function: str, options: Mapping[str, Any], data: bytes, _: Path) -> Any:
    return _call(function, data, **options)


def graphrag_folder(data: bytes, room: Path) -> Any:
    """A folder whose table of relationships has these bytes."""
    with TemporaryDirectory(dir=room) as folder:
        Path(folder, "relationships.parquet").write_bytes(data)
        return _call("formats.kg_graphrag:read_graphrag", folder)


def marked(data: bytes, _: Path) -> Any:
    """A text of a language model, put onto the words of a small key."""
    key = _call("formats.corefud:read_corefud", KEY, trees=True).documents
    return _call("formats.corefud_text:read_marked", data, key=key)


KEY = (
    b"# newdoc id = d\n1\tAda\t_\t_\t_\t_\t2\tnsubj\t_\t_\n1.1\t_\t_\t_\t_\t_\t_\t_\t2:obj\t_\n"
    b"2\tcame\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
)


def filed(function: str, name: str, **options: Any) -> Callable[[bytes, Path], Any]:
    """A function of a path; the bytes are put into a file of that name."""

    def run(data: bytes, room: Path) -> Any:
        path = room / name
        path.write_bytes(data)
        return _drained(_call(function, path, **options))

    return run


def placed(function: str, *more: Any, **options: Any) -> Callable[[bytes, Path], Any]:
    """A function of bytes and further arguments."""
    return lambda data, _: _call(function, data, *more, **options)


def _call(function: str, *arguments: Any, **options: Any) -> Any:
    return _drained(_load(function)(*arguments, **options))


@cache
def _load(function: str) -> Callable[..., Any]:
    import importlib

    module, _, name = function.partition(":")
    return getattr(importlib.import_module(f"adjudge.{module}"), name)


def _drained(value: Any) -> Any:
    return list(value) if isinstance(value, Iterable) and hasattr(value, "__next__") else value


def brat(data: bytes, _: Path, **options: str) -> Any:
    """Annotation and text."""
    annotation, text = parts(data, 2)
    words = text.decode("utf-8", "replace") if text else None
    return _call("formats.brat:read_brat", annotation, document="a", text=words, name="a.ann", **options)


def brat_folder(data: bytes, room: Path) -> Any:
    """A folder with one annotation and its text."""
    annotation, text = parts(data, 2)
    with TemporaryDirectory(dir=room) as folder:
        Path(folder, "d.ann").write_bytes(annotation)
        Path(folder, "d.txt").write_bytes(text)
        return _call("formats.brat_documents:read_brat_documents", folder)


def ere(data: bytes, _: Path, **options: str) -> Any:
    """Annotation and text."""
    xml, text = parts(data, 2)
    words = text.decode("utf-8", "replace") if text else None
    return _call("formats.ere:read_ere", xml, text=words, name="a.xml", **options)


def ace(data: bytes, room: Path, **options: str) -> Any:
    """Annotation and text, as a folder has them."""
    xml, text = parts(data, 2)
    (room / "X1.apf.xml").write_bytes(xml)
    (room / "X1.sgm").write_bytes(text)
    return _call("formats.kb_annotation:read_ace", room, **options)


def kb_ere(data: bytes, room: Path, **options: str) -> Any:
    """Annotation and text, each in a folder."""
    xml, text = parts(data, 2)
    for folder, name, content in (("ere", "d.rich_ere.xml", xml), ("source", "d.xml", text)):
        (room / folder).mkdir(exist_ok=True)
        (room / folder / name).write_bytes(content)
    return _call("formats.kb_annotation:read_ere_corpus", room / "ere", docs=room / "source", **options)


def scirex(data: bytes, room: Path) -> Any:
    """The three files of a system."""
    for name, content in zip(("ner.jsonl", "clusters.jsonl", "relations.jsonl"), parts(data, 3), strict=True):
        (room / name).write_bytes(content)
    _call("formats.json_file:read_folder_digest", room)
    return _call("formats.relation_documents:read_scirex_output", room)


def linking(data: bytes, _: Path, **options: str) -> Any:
    """Responses, and the frames that name them."""
    arguments, linking = parts(data, 2)
    known, problems = _call("formats.eal_arguments:parse_arguments", arguments, "MINI_NW_02", "arguments")
    return problems, _call("formats.eal_linking:scan_linking", linking, known, "linking", **options)


def frames(data: bytes, _: Path) -> Any:
    """Assessments, and the frames of their responses."""
    answers, frames = parts(data, 2)
    known, problems = _call("formats.eal_assessments:parse_key", answers, "MINI_NW_02")
    return problems, _call("formats.eal_linking:parse_linking", frames, known, "frames")


def sources(data: bytes, room: Path) -> Any:
    """A list of source documents."""
    path = room / "list.tsv"
    path.write_bytes(data)
    (room / "D2.txt").write_bytes(data)
    found = _load("formats.eal_sources:Sources")(path)
    return [found.text(document) for document in found.documents if document == "D2"]


def store(data: bytes, room: Path, *, folder: bool, strict: bool = False, **options: Any) -> Any:
    """Everything that a store of arguments and linking, packed or not, has to say."""
    if folder:
        for name, content in zip(("arguments", "linking"), parts(data, 2), strict=True):
            (room / name).mkdir()
            (room / name / "MINI_NW_02").write_bytes(content)
        path = room
    else:
        path = room / ("s.zip" if data[:2] == b"PK" else "s.tar.gz")
        path.write_bytes(data)
    with _load("formats.eal_store:open_store")(path, **options) if strict else nullcontext() as opened:
        if opened is not None:
            return [(opened.arguments(document), opened.linking(document)) for document in opened.documents]
    store, findings = _load("formats.eal_store:scan_store")(path, **options)
    found = list(findings)
    try:
        for document in store.documents:
            more = store.scan_arguments(document)[1]
            found += more
            if document in store.linking_documents:
                found += store.scan_linking(document)[1]
    finally:
        store.close()
    return found


def flat(data: bytes, room: Path, function: str) -> Any:
    """A folder of one file each: answer keys, or frames."""
    answers, frames = parts(data, 2)
    for name, content in (("key", answers), ("frames", frames)):
        (room / name).mkdir()
        (room / name / "MINI_NW_02").write_bytes(content)
    with _load("formats.eal_store:open_key")(room / "key") as keys:
        if function == "open_key":
            return [keys.key(document) for document in keys.documents]
        known = keys.key("MINI_NW_02")
    with _load("formats.eal_store:open_frames")(room / "frames") as store:
        return store.linking(known)


def lock(data: bytes, room: Path) -> Any:
    """A store that is locked by a file of these bytes: what is said of it, and a writer that wants it."""
    with TemporaryDirectory(dir=room) as folder:
        Path(folder, "__lock").write_bytes(data)
        Path(folder, "MINI_NW_02").touch()
        said = str(_call("formats.eal_lock:just_locked", folder))  # about the store: no line is wrong
        seen = _call("formats.eal_lock:identity", folder)
        with suppress(UsageError), _load("formats.eal_lock:locked")(folder, overwrite=True, seen=seen):
            pass
        _call("formats.eal_lock:clear_lock", folder)
        return said


def validate_eal(data: bytes, room: Path) -> Any:
    """A submission and its source text."""
    arguments, linking, text = parts(data, 3)
    for name, content in (("arguments", arguments), ("linking", linking), ("texts", text)):
        (room / name).mkdir()
        (room / name / ("MINI_NW_02" + ".txt" * (name == "texts"))).write_bytes(content)
    (room / "store").mkdir()
    for name in ("arguments", "linking"):
        (room / name).rename(room / "store" / name)
    return _call("tasks.eal.validation:validate", room / "store", docs=room / "texts")


def validate_family(data: bytes, _: Path, *, family: str, reader: str) -> Any:
    """A file of a family, as its validator looks at it."""
    from adjudge.evaluate.validation import Checks
    from adjudge.findings import finding_lines
    from adjudge.tasks.family import find_family
    from adjudge.tasks.task import family_task

    found = family_task(find_family(family), reader).validate(data, Checks())
    return finding_lines(found)


def doctor(data: bytes, room: Path) -> Any:
    """A file, and the folder that it is in."""
    from adjudge.tasks.doctor import examine

    (room / "a.conll").write_bytes(data)
    return [examine(str(path)) for path in (room / "a.conll", room)]


def validate_nugget(data: bytes, room: Path) -> Any:
    """Nuggets, token table and text."""
    tbf, tokens, text = parts(data, 3)
    for folder, name, content in (("tokens", "a.tab", tokens), ("texts", "a.txt", text)):
        if content:
            (room / folder).mkdir()
            (room / folder / name).write_bytes(content)
    folders = {
        name: room / folder for name, folder in (("tables", "tokens"), ("texts", "texts")) if (room / folder).exists()
    }
    return _call("tasks.nugget.validation:validate", tbf, types=("Life_Die", "Conflict_Attack"), **folders)


def spec(data: bytes, room: Path) -> Any:
    """A metric as data."""
    path = room / ("m.json" if data[:1] == b"{" else "m.yaml")
    path.write_bytes(data)
    spec = _call("algebra.spec:load_spec", path)
    _call("algebra.spec:dump_spec", spec)
    return spec


def similarity(data: bytes, _: Path) -> Any:
    """Not a file: what is wrong has no place, and whoever reads it from a file adds that."""
    try:
        return _call("algebra.spec:decode", data)
    except FormatError as error:
        raise FormatError([replace(problem, path="<similarity>") for problem in error.problems]) from None


def settings(data: bytes, _: Path) -> Any:
    """The settings of a campaign."""
    return _call("tasks.eal.campaign_settings:parse_settings", data, "campaign.toml")


def state(data: bytes, room: Path) -> Any:
    """What a campaign remembers."""
    (room / ".campaign").mkdir()
    (room / ".campaign" / "state.json").write_bytes(data)
    return _call("tasks.eal.campaign_state:read_state", room)


def coldstart(data: bytes, _: Path, **options: Any) -> Any:
    """A knowledge base."""
    return _call("formats.kb_coldstart:read_coldstart", data, **options)[0]


def repair(data: bytes, _: Path) -> Any:
    """A file is mended, and what is still wrong is said; it never becomes worse by being mended again."""
    return _call("tasks.kbp.validation:repair", data)


def tbf(data: bytes, _: Path, mode: str | None = None) -> Any:
    """Every document of a file."""
    file = _load("formats.tbf:open_tbf")(data, mode=mode)
    try:
        for document in file.ids:
            file.read(document)
        return [*(problem for each in file.ids for problem in file.read(each).problems), *file.notes]
    finally:
        file.close()


def links(data: bytes, _: Path) -> Any:
    """A table of links, attached to documents."""
    table = _call("formats.kb_links:read_links", data)
    documents = _call("formats.kb_documents:read_kb_documents", seeds_of("kb-documents")[0]).documents
    return _call("formats.kb_links:attach_links", table, documents)[1]


def shard(data: bytes, room: Path, name: str) -> Any:
    """One of two shards."""
    (room / name).write_bytes(data)
    (room / "part-0.jsonl").write_bytes(b'{"id": "first"}\n')
    found = _call("formats.source:find_shards", room)
    return _call("formats.jsonl:read_shards", str(room), found)


def both_sides(data: bytes, _: Path) -> Any:
    """The tags of a system beside those of gold."""
    gold = _call("formats.bio:read_bio", seeds_of("bio")[0])
    return _call("formats.bio:check_sentences", gold, _call("formats.bio:read_bio", data, name="system"))


def gen_arg(data: bytes, _: Path) -> Any:
    """Generated arguments."""
    return _call("scorers.gen_arg:_templates", data)
