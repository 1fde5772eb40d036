"""Reference frames: what is to be linked, a template for those who link it, and their frames on another key.

Source: task description of 2015, "Creating Event Frames". The linking pool are the good responses whose realis is
Actual or Other. Responses with the same type, role, realis and cluster of the CAS are one class, a TRFR. Files list
responses: a frame has a TRFR if it lists any of its responses, and is written with all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from adjudge.errors import visible
from adjudge.formats.eal_fields import sha1_id, trfr_id
from adjudge.formats.eal_linking import INCOMPLETE, LinkingLayout, write_linking
from adjudge.model.eal import AnswerKey, Cas, Frame, Linking, Response
from adjudge.tasks.eal.responses import Trfr, class_of, is_good

SHOWN = 4  # different strings of a filler that a comment names

_ABOUT = """\
# {document}: a line for each event, the ids of its responses with TABs between them. Lines like this one are not read.
# Below each description are the ids of what it describes. To make an event, copy them into one line without the #.
# One id of a description stands for all of its ids, and a description may be in several events. The INCOMPLETE line
# need not be changed: when the frames are read, what is in an event is taken off it."""


def is_linkable(response: Response, key: AnswerKey) -> bool:
    """Whether a response belongs to the linking pool: it is good, and its realis is Actual or Other."""
    assessment = key.assessed.get(response)
    return assessment is not None and response.realis != "Generic" and is_good(response, assessment)


def linkable(key: AnswerKey) -> dict[Trfr, tuple[Response, ...]]:
    """The linking pool by TRFR, each in the order of its places in the text; a CAS without a cluster is its own.

    >>> from adjudge.model.eal import Assessment, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> him = bob._replace(cas=Cas("him", Span(5, 7)))
    >>> right = Assessment("C", "C", "C", "C", "Actual", "NAME")
    >>> pool = linkable(AnswerKey("d", {him: right, bob: right}, (), {bob.cas: 3, him.cas: 3}))
    >>> [[response.cas.text for response in responses] for responses in pool.values()]
    [['Bob', 'him']]
    """
    found: dict[Trfr, list[Response]] = {}
    for response in sorted((each for each in key.assessed if is_linkable(each, key)), key=_by_place):
        found.setdefault(class_of(response, key.coref), []).append(response)
    order = sorted(found, key=lambda each: (each.type, each.role, _by_place(found[each][0])))
    return {each: tuple(found[each]) for each in order}


def _by_place(response: Response) -> tuple[object, ...]:
    return response.cas.span, response.cas.text, response.type, response.role, response.realis, response


def template(key: AnswerKey) -> Linking:
    """The linking pool as a linking in which nothing is linked yet."""
    return Linking(key.document, [], frozenset(response for group in linkable(key).values() for response in group))


def classes(responses: Iterable[Response], coref: Mapping[Cas, int]) -> frozenset[Trfr]:
    """The TRFRs of responses."""
    return frozenset(class_of(response, coref) for response in responses)


class Projection(NamedTuple):
    """Frames on a key: `lost` are listed responses that have no place in it, `unlinked` TRFRs that no frame has.

    `split` are TRFRs that were one under the coreference of the source, if that is known, and now are several.
    """

    linking: Linking
    lost: Sequence[Response]
    unlinked: Sequence[Trfr]
    split: Sequence[Trfr] = ()


def project(linking: Linking, key: AnswerKey, source: AnswerKey | None = None) -> Projection:
    """The frames of a linking as they are on a key, perhaps not the one they were made for.

    Each response becomes all linkable responses of its TRFR in the key; one whose TRFR the key does not have is lost.
    Empty frames vanish, of equal frames one stays. What no frame has is incomplete. If the key has split a cluster that
    frames were made for, both halves are in all of its frames.
    """
    pool = linkable(key)
    frames: dict[frozenset[Trfr], str | None] = {}
    lost: dict[Response, None] = {}
    for frame in linking.frames:
        here = set()
        for response in sorted(frame.responses, key=_by_place):
            each = class_of(response, key.coref)
            if each in pool:
                here.add(each)
            else:
                lost[response] = None
        if here:
            frames.setdefault(frozenset(here), frame.id)
    linked = frozenset[Trfr]().union(*frames)
    rest = [each for each in pool if each not in linked]
    made = [
        Frame(frozenset(response for each in members for response in pool[each]), name)
        for members, name in frames.items()
    ]
    incomplete = frozenset(response for each in rest for response in pool[each])
    split: list[Trfr] = []
    if source is not None:
        now: dict[Trfr, set[Trfr]] = {}
        for response in linking.linked:
            after = class_of(response, key.coref)
            now.setdefault(class_of(response, source.coref), set()).update({after} & pool.keys())
        split = sorted({each for several in now.values() if len(several) > 1 for each in several}, key=str)
    return Projection(Linking(key.document, made, incomplete), list(lost), rest, split)


def describe(responses: Sequence[Response]) -> str:
    """A TRFR in words.

    >>> from adjudge.model.eal import Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> describe([bob])
    'Life.Die Victim Actual: "Bob" 0-2'
    """
    first = responses[0]
    places: dict[Cas, None] = dict.fromkeys(response.cas for response in responses)
    shown = [f'"{cas.text}" {cas.span}' for cas in list(places)[:SHOWN]]
    more = f", and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    return f"{first.type} {first.role} {first.realis}: {', '.join(shown)}{more}"


def layout_of(linking: Linking) -> LinkingLayout:
    """The layout in which the frames of a linking lose nothing."""
    return "2016" if any(frame.id is not None for frame in linking.frames) else "2015"


def format_linking(linking: Linking, key: AnswerKey, *, comments: bool) -> bytes:
    """A linking file; with `comments` it says what each frame has, and describes what nobody has linked yet."""
    layout = layout_of(linking)
    data = write_linking(linking, layout=layout)
    if not comments:
        return data
    *frames, last = data.decode().removesuffix("\n").split("\n")
    lines = _ABOUT.format(document=visible(key.document)).split("\n")
    for frame, line in zip(linking.frames, frames, strict=True):
        lines.append("#")
        lines += [f"# {visible(describe(group))}" for group in _groups(frame.responses, key).values()]
        lines.append(line)
    separator = "\t" if layout == "2015" else " "
    for group in _groups(linking.incomplete, key).values():
        lines += ["#", f"# {visible(describe(group))}", "#" + separator.join(map(sha1_id, group))]
    return "".join(f"{line}\n" for line in (*lines, "#", last)).encode()


def format_classes(linking: Linking, key: AnswerKey) -> bytes:
    r"""The same with TRFRs in place of responses, each by the digest of its first CAS in the key.

    >>> format_classes(Linking("d"), AnswerKey("d"))
    b'INCOMPLETE\t\n'
    """
    first: dict[int, Cas] = {}
    for response in (*key.assessed, *key.unassessed):
        if response.cas in key.coref:
            first.setdefault(key.coref[response.cas], response.cas)

    def names(responses: Iterable[Response]) -> str:
        found = set()
        for each in classes(responses, key.coref):
            cas = first[each.cluster] if isinstance(each.cluster, int) else each.cluster
            found.add(trfr_id(each.document, each.type, each.role, cas, each.realis))
        return "\t".join(sorted(found))

    lines = [names(frame.responses) for frame in linking.frames]
    return "".join(f"{line}\n" for line in (*lines, f"{INCOMPLETE}\t{names(linking.incomplete)}")).encode()


def _groups(responses: Iterable[Response], key: AnswerKey) -> dict[Trfr, list[Response]]:
    found: dict[Trfr, list[Response]] = {}
    for response in sorted(responses, key=lambda each: (each.type, each.role, _by_place(each))):
        found.setdefault(class_of(response, key.coref), []).append(response)
    return found
