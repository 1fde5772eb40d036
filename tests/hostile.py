"""Texts that a page must show and not obey, and results that have them everywhere."""

import msgspec

from adjudge.stats.alignment import GoldDocument, Item, Matching, Pair, Single, SystemDocument
from adjudge.stats.panel import BOX, Panel, PanelAxis, PanelMark, PanelSeries
from adjudge.stats.result import Comparison, Note, Result, Score, SystemResult

MARKUP = (
    "</script><img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' autofocus onfocus=alert(1) x='",
    "<!--<script>",
    "</noscript><script>alert(1)</script>",
    "{{ 7 * 7 }} {% raw %} ${alert(1)}",
)
HOSTILE = [
    *MARKUP,
    "]]> </style> </title> javascript:alert(1) &lt;b&gt; \u2028\u2029\u202e\u2066",
    "a\u0000b\u0007c\u001b[31m\r\nd",
    "\U0001f600 \u0627\u0644 \ud83d",
]


def panels_of(text):
    """A panel of every kind with a text in all its fields."""
    axes = tuple(PanelAxis(title=text, low=0, high=1, used=0.5) for _ in "xy")
    series = (PanelSeries(name=text, pieces=(((0, 0), (0.5, 1), (1, 0)),)),)
    marks = (PanelMark(at=(0.5, 0.5), label=text, text=text),)
    common = {"title": text, "caption": text, "most": text, "system": text}
    boxes = (text, 0.5, 0.1, 0.2, 0.3, 0.4, 0.9, 0.28, 0.32)
    yield Panel(kind="table", name=text, header=(text, text), rows=((text, text),), **common)
    yield Panel(
        kind="lines", name=f"{text}l", header=(text,), rows=((text,),), axes=axes, series=series, marks=marks, **common
    )
    yield Panel(
        kind="regions",
        name=f"{text}r",
        header=(text,),
        rows=((text,),),
        axes=axes,
        series=series,
        marks=marks,
        **common,
    )
    yield Panel(kind="bars", name=f"{text}b", header=(text, text, text), rows=((text, 1, 2),), **common)
    yield Panel(kind="boxes", name=f"{text}x", header=(text, *BOX), rows=(boxes,), **common)
    yield Panel(kind="steps", name=f"{text}s", header=(text, text), rows=((text, 3), (text, 1), (text, 2)), **common)
    yield Panel(kind="matrix", name=f"{text}m", header=(text, text), rows=((text, 3),), **common)


def hostile_result(text):
    """A text in every field of every structure that a result has."""
    whole = f"{text} ran {text}"
    one, other = (0, len(text)), (len(text) + 5, len(whole))
    gold = Item(
        id=text,
        level=text,
        text=text,
        place=(one, other),
        roles=(text, text),
        label=text,
        group=(text,),
        value={text: text},
    )
    near = msgspec.structs.replace(gold, id=text + "2", label=text + "2")
    matching = Matching(
        metric=text, pairs=(Pair(0, 0, "partial", 0.5, text),), missed=(Single(1, text, 1),),
        spurious=(Single(1, text, 1),), ignored=(Single(2, text, 0),), numbers={text: 1.0},
    )  # fmt: skip
    document = GoldDocument(id=text, text=whole, items=(gold, near), groups=text)
    aligned = SystemDocument(items=(gold, near, gold), matchings=(matching,), missing=True)
    note = Note(text, 1, text, (text,))
    kinds = [
        Score(
            metric=text, pool=text, part="f1", value=0.5, low=0.4, high=0.6, level=0.95, interval=text, scale=text,
            slice=where,
        )
        for where in ({}, {text: text})
    ]  # fmt: skip
    systems = tuple(
        SystemResult(name=name, documents=1, scores=tuple(kinds), notes=(note,), aligned=(aligned,))
        for name in (text, text + " 2")
    )
    comparisons = tuple(
        Comparison(a=text, b=text + " 2", metric=text, part="f1", difference=0.1, p=0.5, test=text, slice=where)
        for where in ({}, {text: text})
    )
    return Result(
        adjudge="0.1.0", task=text, profile=text, signature=text, systems=systems, comparisons=comparisons,
        notes=(note,), documents=(document,), panels=tuple(panels_of(text)),
    )  # fmt: skip
