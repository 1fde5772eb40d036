"""Numbers the fields of a block of bytes by name, all at once.

A field is hashed eight bytes at a time and looked up in a table of the fields seen so far, by open addressing. A hit is
compared with the field byte by byte, so that equal hashes never merge two names. Only new fields become texts and go
through `Names`, in the order of their first use: numbers do not depend on blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.model.kbp import Names

    Ints: TypeAlias = npt.NDArray[Any]

LONGEST = 1 << 10
"""Bytes of the longest field that can be looked up: every eight of them are a step for the whole block."""
_ROOM = 1 << 10  # initial capacity
_FACTOR = 0x9E3779B97F4A7C15
_FREE = (1 << 64) - 1  # a slot
_TAG = 0xFFFFFFFF << 32
_HEAD = 2  # words of a field that are kept with it
_HASH, _FIRST, _SECOND, _SIZE = range(4)  # columns kept of a field; the last has its length and its number


class Fields(NamedTuple):
    """Fields of a block, where they begin and how long they are; at least eight bytes follow the last one."""

    data: bytes
    starts: Ints
    lengths: Ints


class Part(NamedTuple):
    """Eight bytes of each field, filled up with zeros; `places` are the fields that are so long, None if all are."""

    places: Ints | None
    words: Ints


class Looked(NamedTuple):
    """The result of a lookup: the numbers of fields, the places and texts of the new ones.

    A line break is between the texts, and if they are `plain`, no blanks are around them.
    """

    numbers: Ints
    fresh: Ints
    kept: Ints
    texts: str = ""
    plain: bool = True


class Interner:
    """The fields seen so far, with their numbers in `names`; blanks around a field do not count.

    >>> import numpy as np
    >>> from adjudge.model.kbp import Names
    >>> known = Interner(Names())
    >>> fields = Fields(b"ben ana ben" + bytes(8), np.array([0, 4, 8]), np.array([3, 3, 3]))
    >>> known.number(known.look(fields)).tolist(), known.names.listed
    ([0, 1, 0], ['ben', 'ana'])
    """

    def __init__(self, names: Names) -> None:
        import numpy as np

        self.names = names
        self._size = 0
        self._given = 0  # how many of the names came from here
        self._filled = 0
        self._slots = np.full(4 * _ROOM, _FREE, dtype=np.uint64)  # half a hash, and where the field is kept
        self._rows = np.zeros((_ROOM, 4), dtype=np.uint64)
        self._tails = np.zeros(_ROOM, dtype=np.int64)  # where the words beyond the second begin
        self._words = np.zeros(_ROOM, dtype=np.uint64)

    def look(self, fields: Fields) -> Looked:
        """Look up fields; no name gets a number yet. A ValueError means that one is blank, not text, or has a hash
        collision."""
        import numpy as np

        parts = _parts(fields)
        hashes = _hashes(parts, len(fields.starts))
        kept = self._find(hashes)
        fresh = np.flatnonzero(kept < 0)
        texts, plain = "", True
        if len(fresh):
            place, is_first = _grouped(hashes[fresh])
            new = fresh[is_first]
            texts, plain = _texts(fields, new), self._are_plain(fields, new)
            if not plain and not all(map(str.strip, texts.split("\n"))):
                raise ValueError("a name must not be empty")
            self._store(new, fields.lengths, hashes, parts)
            kept[fresh] = self._size + place
        rows = np.take(self._rows, kept, axis=0)
        if not self._are_equal(kept, rows, fields.lengths, parts):
            raise ValueError("different fields with the same hash")
        return Looked(rows[:, _SIZE].astype(np.int32), fresh, kept[fresh], texts, plain)

    def number(self, looked: Looked) -> Ints:
        """The numbers of fields that were looked up; new fields are numbered now."""
        import numpy as np

        if looked.texts:
            first, numbers = self._size, self._numbered(looked)
            self._size += len(numbers)
            self._rows[first : self._size, _SIZE] += np.array(numbers, dtype=np.uint64)
            if 2 * self._size > len(self._slots):
                self._slots = np.full(1 << (4 * self._size).bit_length(), _FREE, dtype=np.uint64)
                first = 0
            self._insert(first)
            looked.numbers[looked.fresh] = self._rows[looked.kept, _SIZE].astype(np.int32)
        return looked.numbers

    def _numbered(self, looked: Looked) -> Sequence[int]:
        """The numbers of new fields; their texts need no lookup if all names came from here."""
        first = len(self.names)
        if looked.plain and first == self._given:
            number = looked.texts.count("\n") + 1
            self.names.extend(looked.texts, number)
            numbers: Sequence[int] = range(first, first + number)
        else:
            numbers = [self.names[text] for text in looked.texts.split("\n")]
        self._given += len(self.names) - first
        return numbers

    def _are_plain(self, fields: Fields, places: Ints) -> bool:
        """Whether fields begin and end with a letter or another sign of ASCII, so that there are no blanks around."""
        import numpy as np

        every = np.frombuffer(fields.data, np.uint8)
        starts = fields.starts[places]
        ends = every[np.concatenate((starts, starts + fields.lengths[places] - 1))]
        return bool(((ends > ord(" ")) & (ends < 0x80)).all())

    def _find(self, hashes: Ints) -> Ints:
        """Where the fields with these hashes are kept, -1 if nowhere."""
        import numpy as np

        at, tags = self._slot(hashes), hashes & _TAG
        found = np.take(self._slots, at)
        rest = np.flatnonzero(((found & _TAG) != tags) & (found != _FREE))
        at, own = at[rest], tags[rest]
        while len(rest):  # the slot is taken: the field is in a later one, or new
            at = (at + 1) & (len(self._slots) - 1)
            found[rest] = slots = self._slots[at]
            other = ((slots & _TAG) != own) & (slots != _FREE)
            rest, at, own = rest[other], at[other], own[other]
        return found.astype(np.uint32).view(np.int32)

    def _store(self, new: Ints, lengths: Ints, hashes: Ints, parts: list[Part]) -> None:
        """Keep what tells new fields from others; their numbers come later."""
        import numpy as np

        sizes = np.maximum((lengths[new] + 7) >> 3, _HEAD) - _HEAD
        tails = self._filled + np.cumsum(sizes) - sizes
        stop = self._size + len(new)
        self._rows = _grown(self._rows, stop)
        self._tails = _grown(self._tails, stop)
        self._words = _grown(self._words, self._filled + int(sizes.sum()))
        rows = self._rows[self._size : stop]
        rows[:, _FIRST:_SIZE] = 0
        rows[:, _HASH] = hashes[new]
        rows[:, _SIZE] = lengths[new] << 32
        self._tails[self._size : stop] = tails
        for step, (places, words) in enumerate(parts):
            if places is not None:
                words = _spread(words, places, len(hashes))
            if step < _HEAD:
                rows[:, _FIRST + step] = words[new]
            else:
                longer = sizes > step - _HEAD
                self._words[tails[longer] + step - _HEAD] = words[new[longer]]
        self._filled += int(sizes.sum())

    def _are_equal(self, kept: Ints, rows: Ints, lengths: Ints, parts: list[Part]) -> bool:
        """Whether all fields equal what was found for them."""
        import numpy as np

        same = (rows[:, _SIZE] >> np.uint64(32)).view(np.int64) == lengths
        for step, (places, words) in enumerate(parts):
            if step < _HEAD:
                own = rows[:, _FIRST + step]
                same &= own == (words if places is None else _spread(words, places, len(lengths)))
                continue
            own = self._words[self._tails[kept if places is None else kept[places]] + step - _HEAD]
            if not np.array_equal(own, words):
                return False
        return bool(same.all())

    def _insert(self, first: int) -> None:
        """Insert the fields that are kept from a place on."""
        import numpy as np

        hashes = self._rows[first : self._size, _HASH]
        slots = (hashes & _TAG) | np.arange(first, self._size, dtype=np.uint64)
        at = self._slot(hashes)
        while len(slots):
            free = self._slots[at] == _FREE
            self._slots[at[free]] = slots[free]
            left = self._slots[at] != slots
            slots, at = slots[left], (at[left] + 1) & (len(self._slots) - 1)

    def _slot(self, hashes: Ints) -> Ints:
        """Where the search begins, by the half of the hash that is not in the slots."""
        import numpy as np

        return (hashes & np.uint64(len(self._slots) - 1)).astype(np.int64)


def interner_of(names: Names) -> Interner:
    """The interner of these names, shared by all files."""
    if names.interner is None:
        names.interner = Interner(names)
    found: Interner = names.interner
    return found


def intern_together(fields: Sequence[Fields], names: Sequence[Names]) -> list[Ints] | None:
    """The numbers of the fields of a block, those of each kind by names of their own; None if a field is not a name."""
    if any(own.lengths.max() > LONGEST for own in fields):
        return None
    interners = [interner_of(own) for own in names]
    try:
        looked = [interner.look(own) for interner, own in zip(interners, fields, strict=True)]
    except ValueError:
        return None
    return [interner.number(each) for interner, each in zip(interners, looked, strict=True)]


def name_hash(name: str) -> int:
    """A 64-bit number for a name that depends only on the name.

    >>> name_hash("ana") == name_hash("ana"), name_hash("ana") == name_hash("ben")
    (True, False)
    """
    data, found = name.encode("utf-8", "surrogatepass"), 0
    if len(data) > LONGEST:
        return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")
    for at in range(0, max(len(data), 1), 8):
        found = (int.from_bytes(data[at : at + 8], "little") + found) * _FACTOR & _FREE
        found ^= found >> 32
    return found ^ len(data)


def name_hashes(names: Names) -> Ints:
    """The hash of each of many names (bench kbp/files-1).

    >>> from adjudge.model.kbp import Names
    >>> name_hashes(Names(["ana", "ben"])).tolist() == [name_hash("ana"), name_hash("ben")]
    True
    """
    import numpy as np

    data = names.joined().encode("utf-8", "surrogatepass") + b"\n" + bytes(8)
    ends = np.flatnonzero(np.frombuffer(data, np.uint8)[:-8] == ord("\n"))
    if len(ends) != len(names):  # some have line breaks of their own
        sizes = [len(name.encode("utf-8", "surrogatepass")) + 1 for name in names]
        ends = np.cumsum(np.array(sizes, dtype=np.int64)) - 1
    starts = np.concatenate((np.zeros(min(1, len(ends)), dtype=np.int64), ends[:-1] + 1))
    lengths = ends - starts
    found = _hashes(_parts(Fields(data, starts, np.minimum(lengths, LONGEST))), len(names))
    found ^= lengths.astype(np.uint64)
    for place in np.flatnonzero(lengths > LONGEST).tolist():
        whole = blake2b(data[starts[place] : ends[place]], digest_size=8)
        found[place] = int.from_bytes(whole.digest(), "little")
    return found


def _parts(fields: Fields) -> list[Part]:
    import numpy as np
    from numpy.lib.stride_tricks import as_strided

    every = as_strided(np.frombuffer(fields.data, "<u8", 1), (len(fields.data) - 7,), (1,), writeable=False)
    masks = np.array([(1 << 8 * size) - 1 for size in range(9)], dtype=np.uint64)
    starts, lengths, places = fields.starts, fields.lengths, None
    found: list[Part] = []
    while True:
        found.append(Part(places, every[starts] & np.take(masks, lengths, mode="clip")))
        longer = np.flatnonzero(lengths > 8)
        if not len(longer):
            return found
        if len(longer) < len(starts):
            places = longer if places is None else places[longer]
            starts, lengths = starts[longer], lengths[longer]
        starts, lengths = starts + 8, lengths - 8


def _hashes(parts: list[Part], size: int) -> Ints:
    import numpy as np

    found = np.zeros(size, dtype=np.uint64)
    for places, words in parts:
        mixed = words + (found if places is None else found[places])
        mixed *= np.uint64(_FACTOR)
        mixed ^= mixed >> np.uint64(32)
        if places is None:
            found = mixed
        else:
            found[places] = mixed
    return found


def _spread(words: Ints, places: Ints, size: int) -> Ints:
    """The words of all fields; of those that are too short, zero."""
    import numpy as np

    found = np.zeros(size, dtype=np.uint64)
    found[places] = words
    return found


def _grouped(hashes: Ints) -> tuple[Ints, Ints]:
    """For each hash its number among the distinct ones, in the order of first use, and whether it is the first.

    >>> import numpy as np
    >>> [column.tolist() for column in _grouped(np.array([7, 3, 7, 5]))]
    [[0, 1, 0, 2], [True, True, False, True]]
    """
    import numpy as np

    order = np.argsort(hashes)
    new, ordered = np.ones(len(order), dtype=bool), hashes[order]
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    first = np.minimum.reduceat(order, starts)
    is_first = np.zeros(len(order), dtype=bool)
    is_first[first] = True
    found = np.empty_like(order)
    found[order] = np.repeat((np.cumsum(is_first) - 1)[first], np.diff(starts, append=len(order)))
    return found, is_first


def _grown(column: Ints, size: int) -> Ints:
    import numpy as np

    if size <= len(column):
        return column
    larger = np.empty((max(size, 2 * len(column)), *column.shape[1:]), dtype=column.dtype)
    larger[: len(column)] = column
    return larger


def _texts(fields: Fields, places: Ints) -> str:
    """The fields at some places as one text, with a line break between them."""
    import numpy as np

    sizes = fields.lengths[places] + 1
    ends = np.cumsum(sizes)
    every = np.frombuffer(fields.data, np.uint8)
    whole = every[np.arange(int(ends[-1])) + np.repeat(fields.starts[places] - (ends - sizes), sizes)]
    whole[ends - 1] = ord("\n")
    return bytes(whole[:-1]).decode()
