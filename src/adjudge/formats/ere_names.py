"""The names of Rich ERE and those of event nuggets: ids, types, realis values, both ways.

The two directions fit: what `ere_...` writes, the others read as it was, wherever that is possible at all.
"""

from __future__ import annotations

SUBTYPES = {
    name.replace("-", "").lower(): name
    for name in (
        "Arrest-Jail",
        "Charge-Indict",
        "Declare-Bankruptcy",
        "End-Org",
        "End-Position",
        "Merge-Org",
        "Release-Parole",
        "Start-Org",
        "Start-Position",
        "Transfer-Money",
        "Transfer-Ownership",
        "Transport-Artifact",
        "Transport-Person",
        "Trial-Hearing",
    )
}
"""The subtypes that lose their hyphen in Rich ERE."""


def nugget_id(id: str) -> str:
    """The id of a nugget: em-180 is E180, any other stays.

    >>> nugget_id("em-180"), nugget_id("m7")
    ('E180', 'm7')
    """
    return f"E{id[3:]}" if id.startswith("em-") else id


def ere_nugget_id(id: str) -> str:
    """The id of an event mention: E180 is em-180."""
    return f"em-{id[1:]}" if id.startswith("E") else id


def cluster_id(id: str) -> str:
    """The id of a cluster: the hopper h-201 is C201."""
    return f"C{id[2:]}" if id.startswith("h-") else id


def ere_cluster_id(id: str) -> str:
    """The id of a hopper: C201 is h-201."""
    return f"h-{id[1:]}" if id.startswith("C") else id


def type_name(type: str, subtype: str | None) -> str:
    """The type of a nugget; a subtype that is all in lower case gets its hyphen back.

    >>> type_name("justice", "arrestjail"), type_name("justice", "arrestJail"), type_name("life", None)
    ('Justice_Arrest-Jail', 'Justice_ArrestJail', 'Life')
    """
    if subtype is None:
        return _capitalised(type)
    return f"{_capitalised(type)}_{SUBTYPES.get(subtype) or _capitalised(subtype)}"


def ere_type(name: str) -> tuple[str, str | None]:
    """Type and subtype as Rich ERE writes them, or as close to it as can be read back.

    >>> ere_type("Justice_Arrest-Jail"), ere_type("Justice_ArrestJail"), ere_type("Life")
    (('justice', 'arrestjail'), ('justice', 'arrestJail'), ('life', None))
    """
    type, underscore, subtype = name.partition("_")
    if not underscore:
        return _lowered(type), None
    bare = subtype.replace("-", "").lower()
    if SUBTYPES.get(bare) == subtype:
        return _lowered(type), bare
    small = _lowered(subtype)
    return _lowered(type), subtype if small in SUBTYPES else small


def realis_name(value: str) -> str:
    """A realis value as nuggets have it.

    >>> realis_name("actual")
    'Actual'
    """
    return _capitalised(value)


def ere_realis(value: str) -> str:
    """A realis value as Rich ERE has it."""
    return _lowered(value)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lowered(text: str) -> str:
    """The text with a small first letter, if it is read back as it was."""
    small = text[:1].lower() + text[1:]
    return small if _capitalised(small) == text else text
