"""What every reader promises: whatever the bytes are, it reads them or says what is wrong with them, and where."""

from __future__ import annotations

import gzip

import pytest

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
