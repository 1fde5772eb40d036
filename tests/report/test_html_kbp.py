"""The page of knowledge bases: whole, inert whatever stands in it, with the numbers of the score."""

import re

import pytest
from lxml import html

from adjudge.demo.kbp import GOLD, LINKS, SYSTEMS
from adjudge.model.kbp import Entity, Fact, KbCorpus, KbDocument, KnowledgeBase, Mention, Provenance, Span
from adjudge.report.html.charts import inline, standalone
from adjudge.report.html.charts_plot import Axis
from adjudge.report.html.charts_steps import Range, range_plot, waterfall
from adjudge.report.html.kbp import kbp_page
from adjudge.report.html.page import asset, shown
from adjudge.report.kb_explanations import render_explanations
from adjudge.tasks.kbp.explain import explain_inputs
from adjudge.tasks.kbp.inputs import GoldInput, KbInputs, SystemInput, read_inputs
from adjudge.tasks.kbp.options import make_options

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' autofocus onfocus=alert(1) x='",
    "<!--<script>alert(1)</script>",
    "{{ 7 * 7 }} {% raw %} ${alert(1)}",
    "]]> </style> </title> javascript:alert(1) &lt;b&gt; \u2028\u202e",
]


@pytest.fixture(scope="module")
def inputs():
    return read_inputs(str(GOLD), [str(path) for path in SYSTEMS.values()], wiki=str(LINKS))


@pytest.fixture(scope="module")
def page(inputs):
    return kbp_page(inputs, make_options(), bootstrap=60)


def test_it_needs_nothing_from_outside(page):
    assert not re.search(r"https?:/|//[a-z]|@import|url\(|integrity=", page)
    tree = html.document_fromstring(page)
    assert not tree.xpath("//@src | //link | //iframe | //object | //embed | //base")
    assert set(tree.xpath("//@href")) == {"#main"}
    assert not re.search(r"</style|@import|url\(", asset("kbp.css"))
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))


def test_what_it_shows(page, inputs):
    tree = html.document_fromstring(page)
    text = tree.text_content()
    for piece in (
        "10 documents, 3 systems",
        "kbp.hop2.full",
        "Differences between systems",
        "By relation",
        "per:spouse",
    ):
        assert piece in text
    # The plain warning stands beside the boxes.
    (caution,) = tree.xpath("//div[@class='caution']")
    assert "Notches do not test anything here" in caution.text_content()
    assert "63 % of the documents" in caution.text_content()
    # Every chart has a title and says in words what it shows.
    charts = tree.xpath("//*[local-name()='svg' and @role='img']")
    assert len(charts) == 3 * 3 * 2 + 2 * 6 + 1
    assert all(chart.get("aria-label") and chart.xpath("*[local-name()='desc']")[0].text for chart in charts)
    # The tables of the waterfalls are those of the explanations.
    tables = tree.xpath("//section[@class='hops']//figure//tbody")
    found = explain_inputs(inputs, make_options())
    falls = [(fall, fate) for each in found for fall in each.waterfalls for fate in ("missed", "wrong")]
    for table, (fall, fate) in zip(tables, falls, strict=True):
        numbers = [int(row.xpath("td")[0].text) for row in table.xpath("tr")]
        assert numbers[0] == (fall.gold if fate == "missed" else fall.system) == sum(numbers[1:])
        assert numbers[-1] == fall.both
    assert tree.xpath("//mark[contains(@class, 'k-subject')]/text()")


def test_gold_against_itself_has_nothing_to_explain():
    gold = read_inputs(str(GOLD), [str(GOLD)], wiki=str(LINKS))
    page = kbp_page(gold, make_options("paper"), profile="paper", bootstrap=20)
    tree = html.document_fromstring(page)
    assert not tree.xpath("//li[@class='example']")
    assert "100.0" in tree.text_content()


@pytest.mark.parametrize("evil", HOSTILE)
def test_hostile_strings_are_inert(evil):
    name = " ".join(evil.split())
    text = f"{name} met {name}2 near {name}3"
    first, second = (
        Mention(evil, 0, len(name), text=name),
        Mention(evil, len(name) + 5, len(name) * 2 + 6, text=name + "2"),
    )
    where = Provenance((Span(0, len(text)),))
    facts = [Fact("a" + evil, evil, "b" + evil, evil, where)]
    gold = KbDocument(evil, [Entity("a" + evil, evil, (first,)), Entity("b" + evil, evil, (second,))], facts, text)
    other = KbDocument("e", [Entity("x", mentions=(Mention("e", 0, 1, text=name + "9"),))], [Fact("x", evil, "x", "e")])
    third = Entity(evil, evil, (Mention(evil, 0, len(name), text=name), Mention(evil, 3, 5, text=evil[3:5])))
    kb = KnowledgeBase(evil, [third, Entity("n", mentions=(second,))], [Fact(evil, evil, "n", evil, where)])
    systems = tuple(SystemInput(called, called, "coldstart", kb) for called in (evil, evil + "b"))
    read = KbInputs(GoldInput(evil, "documents", KbCorpus(evil, [gold, other])), systems)
    page = kbp_page(read, make_options(self_loops="keep", hops=2), bootstrap=20, title=evil)
    tree = html.document_fromstring(page)
    assert len(tree.xpath("//script")) == 2
    assert not tree.xpath("//img | //*[local-name()='svg' and @onload]")
    assert not [key for each in tree.iter() for key in each.attrib if key.startswith("on") or key == "autofocus"]
    assert len(tree.xpath("//style")) == len(tree.xpath("//head/title")) == 1
    assert tree.xpath("//h1")[0].text == shown(evil)
    assert "49" not in tree.xpath("//h1")[0].text
    assert shown(text) in [
        "".join(each.itertext()) for each in tree.xpath("//li[@class='example']//div[@class='text']")
    ]
    for format_ in ("text", "md", "csv", "json"):
        written = render_explanations(explain_inputs(read, make_options(hops=1)), format_)
        assert "\x1b" not in written
        assert "\u2028" not in written or format_ == "json"


def test_a_waterfall_hangs_where_the_step_before_ends():
    chart = waterfall("w", [("gold <paths>", 10), ("a", 4), ("b", 1), ("found", 5)], title="x < y", width=400)
    bars = [
        tuple(map(float, each))
        for each in re.findall(r'<rect [^>]*x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', chart.body)
    ]
    assert len(bars) == 4
    (left, whole), (a, a_size), (b, b_size), (last, rest) = bars
    assert a + a_size == pytest.approx(left + whole, abs=0.02)
    assert b + b_size == pytest.approx(a, abs=0.02)
    assert (last, last + rest) == pytest.approx((left, b), abs=0.02)
    assert "gold &lt;paths&gt;: 10" in chart.body
    for written in (inline(chart), standalone(chart)):
        assert "x &lt; y" in written
        assert "<paths>" not in written


def test_waterfalls_of_nothing():
    assert waterfall("w", [("gold paths", 0), ("found", 0)], title="").body.count("<rect") == 2
    assert waterfall("w", [], title="").body == ""


def test_ranges():
    x = Axis("F1", 0.2, 0.8, factor=100)
    chart = range_plot("r", [Range("A & B", 0, 0.5, 0.1, 0.9), Range("C", 1, 0.3)], x, title="F1")
    assert "A &amp; B: 50 [10, 90]" in chart.body
    assert "C: 30<" in chart.body
