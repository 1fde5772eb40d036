"""What stands in a page, read back: its tables, and the documents as alignments."""

import json

from lxml import html

from adjudge.stats.alignment import Alignment, Item, Matching, Pair, Single

PARTS = ("documents", "scores", "counts")


def tree_of(page):
    return html.document_fromstring(page.encode("utf-8"))


def data_of(page):
    """What the script gets at once."""
    return json.loads(tree_of(page).xpath("string(//script[@id='data'])"))


def lines_of(page, part="documents"):
    """What the script gets when somebody looks at it."""
    text = tree_of(page).xpath(f"string(//script[@id='data-{part}'])")
    return [json.loads(line) for line in text.split("\n")] if text else []


def about(page):
    return " ".join(tree_of(page).get_element_by_id("about").text_content().split())


def texts(table):
    """The rows of a table as lists of texts, without drawings."""
    return [
        [" ".join(cell.text_content().split()) for cell in row if cell.get("class") != "plot"]
        for row in table.xpath(".//tbody/tr")
    ]


def kept(page, name):
    """The rows of the table that can be downloaded under a name."""
    (found,) = (each for each in tree_of(page).xpath("//*[@data-file]") if each.get("data-file") == name)
    return texts(found.xpath(".//table")[0])


def documents_of(page):
    """Every document of every system as it was aligned: {(document, system): Alignment}."""
    head = data_of(page)
    found = {}
    for name, raw in zip(head["ids"], lines_of(page), strict=True):
        if not raw:
            continue
        text = raw.get("t")
        gold = [_item(each, head, text, ()) for each in raw["g"]]
        for system, own in zip(head["systems"], raw["s"], strict=True):
            if own:
                items, matchings, *why = own
                found[name, system] = Alignment(
                    gold=tuple(gold),
                    system=tuple(_item(each, head, text, gold) for each in items),
                    matchings=tuple(_matching(each, head) for each in matchings),
                    text=text,
                    groups=raw.get("k", ""),
                    missing=why == [1],
                    unread="".join(each for each in why if each != 1),
                )
    return found


def _item(raw, head, text, gold):
    if isinstance(raw, int):
        return gold[raw]
    if isinstance(raw, list):
        like = gold[raw[0]]
        return Item(
            **{**{name: getattr(like, name) for name in Item.__struct_fields__}, "id": raw[1], "group": tuple(raw[2])}
        )
    ends = raw.get("p", [])
    units = (text or "").encode("utf-16-le", "surrogatepass")

    def place(at):  # as Python counts, from what a browser counts
        return len(units[: 2 * at].decode("utf-16-le", "surrogatepass")) if text is not None else at

    places = tuple((place(a), place(b)) for a, b in zip(ends[::2], ends[1::2], strict=True))
    said = " … ".join((text or "")[a:b] for a, b in places)
    words = raw.get("x", said)
    return Item(
        id=raw["i"],
        level=head["levels"][raw["l"]],
        text=words,
        place=places,
        label=head["labels"][raw["t"]] if "t" in raw else "",
        group=tuple(raw.get("g", ())),
        roles=tuple(raw.get("r", ())),
        value=raw.get("v"),
    )


def _matching(raw, head):
    raw = [*raw, *([[]] * (8 - len(raw)))]
    metric, correct, others, missed, spurious, ignored, _, numbers = raw
    pairs = [Pair(a, b) for a, b in zip(correct[::2], correct[1::2], strict=True)]
    pairs += [Pair(a, b, head["outcomes"][kind], credit, why) for a, b, kind, credit, why in others]
    singles = [
        tuple(Single(*(each if isinstance(each, list) else [each])) for each in found)
        for found in (missed, spurious, ignored)
    ]
    return Matching(
        metric=head["metrics"][metric],
        pairs=tuple(sorted(pairs, key=lambda pair: (pair.gold, pair.system))),
        missed=singles[0],
        spurious=singles[1],
        ignored=singles[2],
        numbers=numbers or {},
    )
