"""The page of any result: whole, inert whatever stands in it, small, and with the numbers of the terminal."""

import json
import re
import shutil
import subprocess
from itertools import pairwise

import msgspec
import pytest
from lxml import html

import adjudge as aj
from adjudge.demo import GOLD, METRICS, SYSTEMS
from adjudge.report.html.page import asset
from adjudge.report.html.result import DRAWN, LEGEND, STATIC, render_result
from adjudge.report.html.result_data import numbers_of, ranks
from adjudge.stats.ranking import rank_distribution
from adjudge.stats.saved import decode_result
from adjudge.stats.text import comparison_grid, score_grid
from hostile import MARKUP

HOSTILE = [
    *MARKUP,
    "]]> </style> </title> javascript:alert(1) &lt;b&gt; \u2028\u2029\u202e\u2066",
    "a\u0000b\u0007c\u001b[31m\r\nd",
    "\U0001f600 \u0627\u0644",
]
KINDS = [entry.key for entry in LEGEND]


def demo(**options):
    return aj.score(
        ",".join(METRICS),
        str(GOLD),
        [str(path) for path in SYSTEMS.values()],
        **{"names": list(SYSTEMS), "bootstrap": 100, "documents": True, "by": ["genre", "relations.type"], **options},
    )


@pytest.fixture(scope="module")
def result():
    return demo()


@pytest.fixture(scope="module")
def page(result):
    return render_result(result, title="A campaign")


def island(page):
    (found,) = html.document_fromstring(page).xpath("//script[@id='data']/text()")
    return json.loads(found)


def documents(page):
    found = html.document_fromstring(page).xpath("//script[@id='documents']/text()")
    return [json.loads(line) for line in found[0].split("\n")] if found else []


def grid_texts(grid):
    return [[" ".join(str(cell).split()) for cell in row] for group in grid.groups for row in group]


def table_texts(table):
    return [[" ".join(cell.text_content().split()) for cell in row] for row in table.xpath(".//tbody/tr")]


# ---------------------------------------------------------------------------------------------------------------------
# The page as a whole


def test_it_needs_nothing_from_outside(page):
    assert not re.search(r"https?:/|//[a-z]+\.|@import|url\(|integrity=", page)
    tree = html.document_fromstring(page)
    assert not tree.xpath("//@src | //link | //iframe | //object | //embed | //base | //form")
    links = set(tree.xpath("//@href"))
    assert links == {
        "#main", "#scores-title", "#compare-title", "#slices-title", "#spread-title", "#confusion-title"
    }  # fmt: skip
    assert all(tree.xpath(f"//*[@id='{link[1:]}']") for link in links)


def test_scripts_never_make_markup(tmp_path):
    for name in ("browse.js", "result.js", "result_scatter.js"):
        text = asset(name)
        assert not re.search(r"</script|<!--|innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|fetch\(", text)
        if shutil.which("node"):
            (tmp_path / name).write_text(text)
            subprocess.run(["node", "--check", str(tmp_path / name)], check=True, capture_output=True)
    assert not re.search(r"</style|@import|url\(", asset("result.css"))


def test_ids_are_unique_and_labels_name_something(page):
    tree = html.document_fromstring(page)
    ids = tree.xpath("//@id")
    assert len(set(ids)) == len(ids)
    assert set(tree.xpath("//@aria-labelledby")) <= set(ids)
    script = asset("browse.js") + asset("result.js") + asset("result_scatter.js")
    assert set(re.findall(r'byId\("([\w-]+)"\)', script)) <= {*ids, "about"}
    levels = [int(each.tag[1]) for each in tree.xpath("//body//*[self::h1 or self::h2 or self::h3 or self::h4]")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


# ---------------------------------------------------------------------------------------------------------------------
# Numbers


def test_scores_are_those_of_the_terminal(result, page):
    grid = score_grid(result)
    expected = {}
    for cells, (metric, where, system) in zip(grid_texts(grid), [k for group in grid.keys for k in group], strict=True):
        expected[metric, where, system] = cells[grid.labels :]
    tree = html.document_fromstring(page)
    tables = tree.xpath("//section[@aria-labelledby='scores-title']//table")
    shown, metric = {}, ""
    for row in table_texts(tables[1]):
        if len(row) == 6:
            metric, *row = row
        shown[metric, (), row[0]] = row[1:-1]
    assert shown == {key: cells for key, cells in expected.items() if key[1] == ()}
    headline = {row[0]: row[1:-1] for row in table_texts(tables[0])}
    for name, cells in headline.items():
        assert cells == [expected[name, (), system][-1] for system in SYSTEMS]


def test_slices_are_those_of_the_terminal(result, page):
    grid = score_grid(result)
    expected = {}
    for cells in grid_texts(grid):
        if cells[1] != "all":
            expected[cells[0], cells[1], cells[2]] = cells[grid.labels :]
    shown = {}
    for part in html.document_fromstring(page).xpath("//section[@aria-labelledby='slices-title']/details"):
        metric, field = part.xpath("summary")[0].text_content().split(" by ")
        where = ""
        for row in table_texts(part.xpath(".//table")[1]):
            if len(row) == 6:
                where, *row = row
            shown[metric, f"{field}={where}", row[0]] = row[1:-1]
    assert shown == expected
    assert len(shown) > 20


def test_differences_are_those_of_the_terminal(result, page):
    (whole, slices) = [
        table_texts(html.document_fromstring(page).xpath(f"//div[@data-file='{name}']//table")[0])
        for name in ("differences", "differences-slices")
    ]
    expected = grid_texts(comparison_grid(result))
    assert slices == [row for row in expected if row[1] != "all"]
    assert whole == [[row[0], *row[2:]] for row in expected if row[1] == "all"]


def test_several_results_are_compared_as_the_command_does():
    together = render_result(demo())
    parts = [
        aj.score(",".join(METRICS), str(GOLD), str(path), names=[name], bootstrap=100, documents=True)
        for name, path in SYSTEMS.items()
    ]
    compared = render_result(aj.compare(parts))
    assert documents(compared) == documents(together)
    assert island(compared)["values"] == island(together)["values"]


def test_ranks_are_of_the_corpora_behind_the_intervals(result, page):
    numbers = numbers_of(result)
    assert numbers.samples is not None
    for each in ranks(result, numbers):
        key = each.metric, each.part
        found = rank_distribution({name: numbers.samples[name][key] for name in SYSTEMS}, level=0.95)
        assert tuple(row[0] for row in each.rows) == found.order
        assert all(span == found.ranges[name] for name, _, span, _ in each.rows)
    table = html.document_fromstring(page).xpath("//div[@data-file='ranks-1']//table")[0]
    assert table_texts(table)[0][0] == ranks(result, numbers)[0].rows[0][0]


def test_corpora_that_cannot_be_drawn_again_are_not_shown(result):
    changed = msgspec.structs.replace(result, signature=result.signature + "|draws:java")
    assert numbers_of(changed).samples is None
    page = render_result(changed)
    assert "resampled corpora" not in page.split("<script")[0].split("</style>")[1]
    assert "on 24 documents" in page


def test_figures_have_a_text_and_a_table(page):
    tree = html.document_fromstring(page)
    drawn = tree.xpath("//section[@aria-labelledby='spread-title']//figure[.//*[local-name()='svg']]")
    assert len(drawn) == 2 * len(METRICS)
    for figure in drawn:
        (chart,) = figure.xpath(".//*[local-name()='svg']")
        assert chart.get("role") == "img"
        assert chart.get("aria-label")
        assert chart.xpath("*[local-name()='desc']")[0].text_content().count("median") == len(SYSTEMS)
        assert len(table_texts(figure.xpath(".//table")[0])) == len(SYSTEMS)


# ---------------------------------------------------------------------------------------------------------------------
# Documents


def rows(document, system, metric):
    """What the script makes of a document."""
    own = document["systems"][system]
    (outcome,) = [each for each in own[1] if each[0] == metric]
    _, gold, theirs, scores, missed, spurious, near, beyond = outcome
    found = [("partial" if scores and scores[n] < 1 else "correct", gold[n], theirs[n]) for n in range(len(gold))]
    found += [("wrong-type", g, s) for g, s in zip(near, beyond, strict=True)]
    found += [("missed", n, None) for n in missed if n not in near]
    return found + [("spurious", None, n) for n in spurious if n not in beyond]


def values(document, items):
    return [document["gold"][-1 - item[0]][2] if item[0] < 0 else item[2] if len(item) > 2 else None for item in items]


def test_another_type_is_at_the_same_place(page):
    found = 0
    for document in documents(page):
        for kind, ours, theirs in rows(document, 1, 0):
            if kind == "wrong-type":
                one, other = (
                    values(document, document["gold"])[ours],
                    values(document, document["systems"][1][0])[theirs],
                )
                assert (one["subject"], one["object"]) == (other["subject"], other["object"])
                assert one["type"] != other["type"]
                found += 1
    assert found


def test_without_a_script(page):
    tree = html.document_fromstring(page)
    articles = tree.xpath("//noscript//article")
    assert len(articles) == STATIC
    shown = documents(page)
    for place, article in enumerate(articles):
        tables = article.xpath(".//table")
        for metric in range(len(METRICS)):
            labels = [row[0] for row in table_texts(tables[metric])]
            expected = [LEGEND[KINDS.index(kind)].label for kind, _, _ in rows(shown[place], 0, metric)]
            assert labels == expected
    assert [each for each in tree.xpath("//input[@type='checkbox']") if each.get("disabled") is None] == []


def typed(identifier, text, *entities):
    spans = [{"span": {"start": start, "end": end}, "type": type_} for start, end, type_ in entities]
    return {"id": identifier, "text": text, "entities": spans}


# ---------------------------------------------------------------------------------------------------------------------
# Whatever comes


def test_a_token_of_a_megabyte():
    token = "x" * 1_000_000
    gold = [{"id": "d", "text": token, "entities": [{"span": {"start": 0, "end": 1_000_000}, "type": token[:1000]}]}]
    result = aj.score("ner.strict", gold, {"a": gold, "b": [{"id": "d", "entities": []}]}, bootstrap=0, documents=True)
    page = render_result(result)
    assert page.count("x" * 500_000) <= 2 * 2  # once for the script, once for readers without one
    assert len(page) < 3 * len(result.to_json(with_tables=True))


@pytest.mark.parametrize(
    "options",
    [
        {"documents": False},
        {"bootstrap": 0},
        {"pool": "macro"},
        {"docs": ["nw-01"]},
        {"by": []},
        {"documents": False, "bootstrap": 0, "by": []},
    ],
)
def test_less_is_shown_of_less(options):
    result = demo(**options)
    page = render_result(result)
    tree = html.document_fromstring(page)
    assert bool(documents(page)) == options.get("documents", True)
    assert bool(tree.xpath("//*[@id='slices-title']")) == bool(options.get("by", True))
    assert bool(tree.xpath("//*[@id='legend']")) == options.get("documents", True)
    assert ("--save-documents" in page) == (not options.get("documents", True))
    assert bool(tree.xpath("//div[@data-file='ranks-1']")) == (
        options.get("bootstrap") != 0 and len(result.systems[0].table.ids) > 1
    )


def test_a_result_without_tables(result):
    bare = decode_result(result.to_json().encode())
    page = render_result(bare)
    assert "relation.strict" in page
    assert not html.document_fromstring(page).xpath("//*[@id='panes'] | //*[@id='scatter']")


def test_results_of_tasks_with_their_own_pages():
    from adjudge.demo.coref import KEY
    from adjudge.demo.coref import SYSTEMS as COREF

    found = aj.coref.score(str(KEY), [str(path) for path in COREF.values()], bootstrap=20)
    page = render_result(found)
    tree = html.document_fromstring(page)
    assert island(page)["metrics"] == []
    assert tree.xpath("//*[@id='scatter']")
    assert not tree.xpath("//*[@id='legend']")
    # What is not drawn is in a table: every further score, over corpora and documents, for every system.
    drawn = len(tree.xpath("//figure[.//*[local-name()='svg']]"))
    assert drawn == 2 * DRAWN
    (table,) = tree.xpath("//div[@data-file='distributions']//table")
    assert len(table_texts(table)) == 2 * (len(island(page)["scores"]) - DRAWN) * len(COREF)
