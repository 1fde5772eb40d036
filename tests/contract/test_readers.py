"""What every reader promises: whatever the bytes are, it reads them or says what is wrong with them, and where."""

from __future__ import annotations

import gzip
import re

import pytest

from adjudge.errors import AdjudgeError
from adjudge.tasks.family import families, find_family
from fuzz.judge import judge
from fuzz.targets import targets

TARGETS = {target.name: target for target in targets()}
OTHERS = {
    "a table": b"id,text\n1,a\n2,b\n",
    "JSON lines": b'{"id": "a", "items": []}\n{"id": "b"}\n',
    "a JSON array": b'[{"id": "a"}, {"id": "b"}]',
    "CoNLL": b"#begin document (a); part 000\na 0 0 w (1)\n\n#end document\n",
    "XML": b"<?xml version='1.0'?><a><b/></a>",
    "prose": "Es war einmal – ein König.\n".encode(),
}


def variants(seed: bytes) -> dict[str, bytes]:
    """A good file, and how it arrives from elsewhere."""
    lines = seed.split(b"\n")
    return {
        "as it is": seed,
        "nothing": b"",
        "white space": b" \n\t\n",
        "a byte order mark": b"\xef\xbb\xbf" + seed,
        "CR LF": seed.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
        "no last newline": seed.rstrip(b"\n"),
        "every line twice": b"\n".join(line for line in lines for _ in range(2)),
        "half of it": seed[: len(seed) // 2],
        "the last byte missing": seed[:-2],
        "not UTF-8": seed[: len(seed) // 3] + b"\xff\xfe" + seed[len(seed) // 3 :],
        "UTF-16": seed.decode("utf-8", "replace").encode("utf-16"),
        "a null character": seed[:10] + b"\x00" + seed[10:],
        "gzip": gzip.compress(seed),
        "half of a gzip": gzip.compress(seed)[: max(12, len(seed) // 8)],
        **OTHERS,
    }


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_reader_reads_or_says_what_is_wrong(name, tmp_path):
    target = TARGETS[name]
    for what, data in variants(min(target.corpus(), key=len)).items():
        outcome = judge(target, data, tmp_path)
        assert outcome.finding is None, f"{name}: {what}: {outcome.finding}"


NEEDS_A_LIBRARY = ("spacy", "dataset")
CALLED_OTHERWISE = {
    "brat-documents": "formats.brat_documents:read_brat_documents",
    "scirex-output": "formats.relation_documents:read_scirex_output",
    "triple-lines": "formats.exports:read_triple_lines",
}


def test_every_reader_of_every_task_is_here():
    known = {str(word) for target in TARGETS.values() for word in getattr(target.run, "args", ())}
    known |= {function for name, function in CALLED_OTHERWISE.items() if name in TARGETS}
    for family in map(find_family, families()):
        for name, reader in family.readers.items():
            own = {each.removeprefix("adjudge.") for each in (reader.gold, reader.system) if each}
            assert own <= known or name in NEEDS_A_LIBRARY, (family.name, name)


# Several files in one input, settings, texts in which every byte counts, and the doctor, who says how files arrive.
NOT_ONE_FILE = (
    "doctor",
    *("ace", "brat", "eal-", "ere", "hierarchy", "kb-ere", "nugget-", "results", "schema", "scirex-output", "shards"),
    *("similarity", "specs", "tbf", "text", "validate"),
)
MARK_HIDES_A_LINE = ("conll", "conll-strict", "coreference-conll", "coreference-file")  # as for the reference scorer
NEEDS_LAST_LINE = ("trees", "trees-full")


@pytest.mark.parametrize("name", sorted(name for name in TARGETS if not name.startswith(NOT_ONE_FILE)))
def test_a_file_says_the_same_however_it_arrives(name, tmp_path):
    target = TARGETS[name]
    seeds = [seed for seed in sorted(target.corpus(), key=len) if seed.isascii() and b"\r" not in seed]
    for seed in seeds[:3]:
        expected = said(target, seed, tmp_path)
        assert said(target, gzip.compress(seed), tmp_path) == expected
        if name not in MARK_HIDES_A_LINE:
            assert said(target, b"\xef\xbb\xbf" + seed, tmp_path) == expected
        assert said(target, seed.replace(b"\n", b"\r\n"), tmp_path) == expected
        if name not in NEEDS_LAST_LINE:
            assert said(target, seed.removesuffix(b"\n"), tmp_path) == expected


def said(target, data, room):
    """What was read, without the hash of the bytes; or what is wrong, without where."""
    try:
        value = target.run(data, room)
    except AdjudgeError as error:
        return [problem.message for problem in error.problems]
    return re.sub(r"'[0-9a-f]{64}'|0x[0-9a-f]+", "", repr(getattr(value, "documents", value)))
