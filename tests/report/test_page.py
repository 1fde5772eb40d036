"""The page of any result: whole, inert whatever stands in it, with the numbers of the terminal and every item."""

import json
import re
import shutil
import string
import subprocess
from base64 import b64encode
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

import adjudge as aj
from adjudge.demo import GOLD, METRICS, SYSTEMS
from adjudge.demo.pages import demo_page
from adjudge.report.page import SCRIPTS, asset, render_result, shown
from adjudge.stats.alignment import (
    Alignment,
    Item,
    Matching,
    Pair,
    Single,
    saved_document,
)
from adjudge.stats.result import Comparison, Note, Result, Score, SystemResult
from adjudge.stats.saved import decode_result
from adjudge.stats.text import clean, comparison_grid, score_grid
from hostile import HOSTILE, hostile_result
from pages import about, data_of, documents_of, kept, lines_of, texts, tree_of

OBEYED = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"


def demo(**options):
    named = {name: str(path) for name, path in SYSTEMS.items()}
    chosen = {"bootstrap": 100, "documents": True, "by": ["genre", "relations.type"], **options}
    return aj.score(",".join(METRICS), str(GOLD), named, **chosen)


@pytest.fixture(scope="module")
def result():
    return demo()


@pytest.fixture(scope="module")
def page(result):
    return render_result(result, title="A campaign")


def scores(values, *, low=None, high=None):
    """A result of systems with one score each."""
    systems = [
        SystemResult(
            name=name,
            documents=9,
            scores=(Score(metric="m", pool="micro", part="f1", value=value, low=low, high=high, slice={}),),
            notes=(),
        )
        for name, value in values.items()
    ]
    return Result(adjudge="0.1.0", task="t", profile="p", signature="s", systems=tuple(systems), comparisons=())


def compared(a, b, **known):
    return Comparison(a=a, b=b, metric="m", part="f1", slice={}, **{"difference": 0.1, **known})


# ---------------------------------------------------------------------------------------------------------------------
# The page as a whole


@pytest.mark.parametrize("task", ["extraction", "coref", "nugget", "eal", "kbp"])
def test_it_needs_nothing_from_outside(task):
    page = demo_page(task)
    assert not re.search(r"(src|href)=.?https?:|@import|url\((?!#)|integrity=", page)
    tree = tree_of(page)
    assert not tree.xpath("//@src | //link | //iframe | //object | //embed | //base | //form | //@style")
    assert not [each for each in tree.xpath("//@*") if each.attrname.startswith("on")]
    ids = set(tree.xpath("//@id"))
    assert {link.removeprefix("#") for link in tree.xpath("//@href")} <= ids
    names = [*tree.xpath("//section//@id")]
    assert len(set(names)) == len(names)
    # The policy lets the browser run exactly what stands in the page.
    (policy,) = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    code = [each.text for each in tree.xpath("//script[not(@type)] | //style")]
    hashes = {f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in code}
    assert set(re.findall(r"'sha256-[^']+'", policy)) == hashes
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


def test_scripts_can_be_read_by_machines(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    path = tmp_path / "page.js"
    path.write_text("\n".join(asset(name) for name in SCRIPTS), encoding="utf-8")
    subprocess.run([node, "--check", path], check=True)
    assert "innerHTML" not in path.read_text(encoding="utf-8")


def test_the_same_result_gives_the_same_page_also_when_it_was_saved(result, page):
    again = decode_result(result.to_json(with_tables=True).encode())
    assert render_result(again, title="A campaign") == page


def test_numbers_are_those_of_the_terminal(result, page):
    def rows(grid):
        return [[" ".join(str(cell).split()) for cell in row] for group in grid.groups for row in group]

    bare = msgspec.structs.replace(
        result,
        systems=tuple(
            msgspec.structs.replace(each, scores=tuple(s for s in each.scores if not s.slice))
            for each in result.systems
        ),
        comparisons=tuple(each for each in result.comparisons if not each.slice),
    )
    whole = [[cell for cell in row if cell != "all"] for row in kept(page, "scores")]
    assert whole == rows(score_grid(bare, ranked=True))
    assert kept(page, "pairs") == rows(comparison_grid(bare))
    sliced = {tuple(row) for row in rows(score_grid(result)) if row[1] != "all"}
    assert {tuple(row) for row in kept(page, "slices")} == sliced
    assert result.signature in about(page)


# ---------------------------------------------------------------------------------------------------------------------
# Headline, ranking, differences


@pytest.mark.parametrize(
    ("values", "comparisons", "said"),
    [
        ({"A": 0.5}, [], "A has a m f1 of 50.0 on 9 documents."),
        ({"A": 0.5, "B": 0.625}, [], "B is first with a m f1 of 62.5, 12.5 points above A."),
        (
            {"A": 0.5, "B": 0.4},
            [compared("A", "B", p=0.2)],
            "A is first with a m f1 of 50.0, 10.0 points above B: that may be chance (p = 0.2).",
        ),
        (
            {"A": 0.5, "B": 0.4},
            [compared("B", "A", p=0.00001)],
            "A is first with a m f1 of 50.0, 10.0 points above B: beyond chance (p < 0.0001).",
        ),
        (
            {"A": 0.5, "B": 0.4, "C": 0.3},
            [compared("A", "B", p=0.02, p_holm=0.06)],
            "A is first with a m f1 of 50.0, 10.0 points above B: "
            "that may be chance (p = 0.06, corrected for all pairs).",
        ),
        (
            {"A": 0.5, "B": 0.4},
            [compared("A", "B")],
            "A is first with a m f1 of 50.0, 10.0 points above B: whether that is more than chance was not tested.",
        ),
        (
            {"A": 0.5, "B": 0.5},
            [compared("A", "B", p=1.0)],
            "A and B are first, both with a m f1 of 50.0: that may be chance (p = 1).",
        ),
        ({"A": None, "B": 0.5}, [], "B is first with a m f1 of 50.0."),
    ],
)
def test_the_headline(values, comparisons, said):
    result = msgspec.structs.replace(scores(values), comparisons=tuple(comparisons))
    tree = tree_of(render_result(result))
    first, *_ = tree.xpath("//*[@class='headline']/p")
    assert " ".join(first.text_content().split()) == said


def test_how_many_cannot_be_told_from_the_first_and_what_to_be_careful_about():
    result = scores({"A": 0.5, "B": 0.49, "C": 0.48, "D": 0.1})
    comparisons = [compared("A", name, p=p) for name, p in (("B", 0.5), ("C", 0.3), ("D", 0.001))]
    notes = tuple(Note("n", 1, f"note {number}") for number in range(6))
    page = render_result(msgspec.structs.replace(result, comparisons=tuple(comparisons), notes=notes))
    tree = tree_of(page)
    _, second, third = (each.text_content() for each in tree.xpath("//*[@class='headline']/p"))
    assert second == "2 of the 3 other systems cannot be distinguished from it."
    assert third == "4 systems from 10.0 to 50.0, on 9 documents."
    (careful,) = tree.xpath("//*[@class='careful']")
    assert [each.text_content() for each in careful.xpath(".//li")] == [
        *(f"note {n}" for n in range(4)),
        "2 more notes",
    ]
    assert [each.text_content() for each in tree.xpath("//*[@class='notes']/li")] == [f"note {n}" for n in range(6)]
    rows = tree.xpath("//table[@class='ranking']/tbody/tr")
    assert [row.get("class") for row in rows] == [None, "level", "level", None]


def test_systems_are_rows_the_best_first(result, page):
    tree = tree_of(page)
    titles = [each.get("data-name") for each in tree.xpath("//*[@id='ranking']//section")]
    assert titles == [f"{metric} f1" for metric in METRICS]
    for table, title in zip(tree.xpath("//table[@class='ranking']"), titles, strict=True):
        metric = title.split()[0]
        rows = texts(table)
        found = {system.name: result.system(system.name)[metric].f1 for system in result.systems}
        assert [row[1] for row in rows] == sorted(found, key=lambda name: -found[name])
        for _, name, cell in rows:
            assert cell == f"{100 * found[name]:.1f} [{100 * found[name].low:.1f}, {100 * found[name].high:.1f}]"
        for row in table.xpath(".//tbody/tr"):
            low, high = map(float, re.findall(r"[\d.]+", row.xpath(".//*[@class='range']/@d")[0])[::2])
            (dot,) = (float(each.split()[0][1:]) for each in row.xpath(".//*[contains(@class, 'm0')]/@d")[1:])
            assert 0 <= low <= dot <= high <= 100


def test_how_often_each_rank_occurs_is_said(result, page):
    said = {" ".join(cell.text_content() for cell in row) for row in tree_of(page).xpath("//tbody/tr")}
    found = [each for each in result.ranking if each.rank_shares]
    assert found
    for each in found:
        shares = ", ".join(f"{rank}: {100 * share:.1f}" for rank, share in sorted(each.rank_shares.items()) if share)
        assert f"{each.system} {shares}" in said
    assert "How often each rank occurs" not in render_result(demo(bootstrap=0))


def test_forty_systems_have_signs_that_differ():
    page = render_result(scores({f"s{number}": number / 50 for number in range(40)}, low=0.1, high=0.9))
    rows = tree_of(page).xpath("//table[@class='ranking']/tbody/tr")
    signs = {
        (row.xpath(".//th/svg/@class")[0], row.xpath(".//th/svg/path/@class")[0], len(row.xpath(".//th/svg/path")))
        for row in rows
    }
    assert len(rows) == len(signs) == 40
    assert len(tree_of(page).xpath("//table[contains(@class, 'matrix')]//td[@title]")) == 40 * 39


def test_differences_are_a_matrix(result, page):
    (first, *_) = tree_of(page).xpath("//table[contains(@class, 'matrix')]")
    names = [" ".join(each.text_content().split()) for each in first.xpath(".//thead//th")]
    cells = {(row[0], column): cell for row in texts(first) for column, cell in zip(names, row[1:], strict=True)}
    assert {a for a, b in cells if cells[a, b] == "–"} == {a for a, _ in cells}
    for each in result.comparisons:
        if (each.metric, each.slice) == (METRICS[0], {}):
            star = "*" if each.p_holm < 0.05 else ""
            assert cells[each.a, each.b] == f"{100 * each.difference:+.1f}{star}"
            assert cells[each.b, each.a] == f"{-100 * each.difference:+.1f}{star}"


# ---------------------------------------------------------------------------------------------------------------------
# What goes wrong


def item(words, label, begin=None, **more):
    place = () if begin is None else ((begin, begin + len(words)),)
    return Item(id=f"{words}-{label}-{begin}", level="e", text=words, label=label, place=place, **more)


def with_documents(*alignments, panels=()):
    """A result of one system with these documents."""
    saved = [saved_document(f"d{number}", [each]) for number, each in enumerate(alignments)]
    result = scores({"A": 0.5})
    system = msgspec.structs.replace(result.systems[0], aligned=tuple(own for _, (own,) in saved))
    return msgspec.structs.replace(
        result, systems=(system,), documents=tuple(gold for gold, _ in saved), panels=tuple(panels)
    )


def test_errors_are_told_apart_and_counted():
    gold = (
        item("Ann", "PER", 0),
        item("Rome", "LOC", 9),
        item("the bank", "ORG", 20),
        item("Bo", "PER", 40),
        item("Bo", "PER", 50),
    )
    system = (item("Ann", "PER", 0), item("Rome", "ORG", 9), item("bank", "ORG", 24), item("it", "MISC", 60))
    matching = Matching(
        metric="ner",
        pairs=(Pair(0, 0), Pair(1, 1, "wrong", 0.0, "LOC was taken for ORG")),
        missed=(Single(2, "the end differs", 2), Single(3), Single(4)),
        spurious=(Single(2, "the end differs", 2), Single(3)),
    )  # fmt: skip
    page = render_result(with_documents(Alignment(gold=gold, system=system, matchings=(matching,), text="x" * 70)))
    assert kept(page, "outcomes") == [["A", "1", "1", "3", "2"]]
    assert kept(page, "kinds") == [["A", "1", "1", "1", "2", "1"]]  # correct, boundary, label, missed, spurious
    assert kept(page, "strings-missed")[0] == ["Bo", "PER", "2", "2"]
    labels = {row[0]: row[1:] for row in kept(page, "labels-A")}
    names = [each.text for each in tree_of(page).xpath("//figure[@data-file='labels-A']//thead//th")][1:]
    assert names == ["LOC", "MISC", "ORG", "PER", "nothing"]
    assert labels["LOC"] == ["–", "–", "1", "–", "–"]
    assert labels["PER"] == ["–", "–", "–", "1", "2"]
    assert labels["nothing"] == ["–", "1", "–", "–", "–"]
    assert ["wrong", "LOC was taken for ORG", "1"] in kept(page, "why-A")
    assert kept(page, "lengths") == [["A", "25.0", "0.0"]]
    assert kept(page, "times") == [["A", "33.3", "0.0"]]


def of_systems(gold, **found):
    """A result of systems, the first one the best, that found these of the gold items, each at least partly."""
    result = scores({name: 0.9 - 0.1 * place for place, name in enumerate(found)})
    aligned = [
        Alignment(
            gold=gold,
            system=gold,
            matchings=(
                Matching(
                    metric="m",
                    pairs=tuple(Pair(at, at, "partial" if at % 2 else "correct", 0.5) for at in own),
                    missed=tuple(Single(at) for at in range(len(gold)) if at not in own),
                ),
            ),
        )
        for own in found.values()
    ]
    document, systems = saved_document("d", aligned)
    return msgspec.structs.replace(
        result,
        documents=(document,),
        systems=tuple(
            msgspec.structs.replace(each, aligned=(own,)) for each, own in zip(result.systems, systems, strict=True)
        ),
    )


def test_gold_items_that_both_systems_find_or_one_or_none():
    event = Item(id="e1", level="events", label="Meet")
    roles = [Item(id=f"a{n}", level="arguments", label=role, group=("e1",)) for n, role in enumerate("PPQ")]
    page = render_result(of_systems((event, *roles), A={0, 1, 2}, B={0, 1}, C={3}))
    assert kept(page, "found-A") == [  # beside B, the second: both, only A, only B, neither
        ["Meet P", "1", "1", "0", "0"],
        ["Meet", "1", "0", "0", "0"],
        ["Meet Q", "0", "0", "0", "1"],
        ["all", "2", "1", "0", "1"],
    ]
    assert kept(page, "found-B")[0] == ["Meet P", "1", "0", "1", "0"]  # beside A, the first
    assert kept(page, "found-C")[-1] == ["all", "0", "1", "3", "0"]
    (heads, *_) = tree_of(page).xpath("//figure[@data-file='found-C']//thead")
    assert [each.text for each in heads.xpath(".//th")] == ["label", "both", "only C", "only A", "neither"]


def test_an_item_that_is_found_once_is_found_and_a_wrong_pair_finds_nothing():
    result = of_systems((item("Ann", "PER"), item("Bo", "PER")), A={0}, B={0})
    pairs = (Pair(0, 0), Pair(0, 1, "wrong", 0.0), Pair(1, 1, "wrong", 0.0))
    (own,) = result.systems[1].aligned
    own = msgspec.structs.replace(own, matchings=(Matching(metric="m", pairs=pairs),))
    systems = result.systems[0], msgspec.structs.replace(result.systems[1], aligned=(own,))
    page = render_result(msgspec.structs.replace(result, systems=systems))
    assert kept(page, "found-A") == [["all", "1", "0", "0", "1"]]


def test_rare_labels_are_counted_together():
    gold = tuple(item(f"w{number}", f"L{number:02}") for number in range(30))
    rows = kept(render_result(of_systems(gold, A=set(range(30)), B=set())), "found-A")
    assert len(rows) == 26
    assert rows[-2:] == [["others", "0", "6", "0", "0"], ["all", "0", "30", "0", "0"]]


@pytest.mark.parametrize("task", ["extraction", "coref", "nugget", "eal", "kbp"])
def test_every_task_says_what_two_systems_find(task):
    found = tree_of(demo_page(task)).xpath("//figure[starts-with(@data-file, 'found-')]")
    assert len(found) >= 3
    for each in found:
        rows = texts(each.xpath(".//table")[0])
        numbers = [[int(cell) for cell in row[1:]] for row in rows]
        assert numbers[-1] == [sum(column) for column in zip(*(numbers[:-1] or numbers), strict=True)]
        assert sum(numbers[-1]) > 0


def test_groups_are_counted():
    gold = tuple(item(name, "", group=(chain,)) for name, chain in ("a1", "b1", "c2"))
    system = tuple(item(name, "", group=(chain,)) for name, chain in ("a1", "b1", "c3"))
    matching = Matching(metric="coref", pairs=(Pair(0, 0), Pair(1, 1)), missed=(Single(2),), spurious=(Single(2),))
    found = Alignment(gold=gold, system=system, matchings=(matching,), groups="chain")
    page = render_result(with_documents(found))
    assert kept(page, "groups") == [["A", "1", "1", "1"]]  # the same, missed, spurious
    assert lines_of(page)[0]["s"][0][1][0][6] == [[0, ["1"], ["1"]], [5, ["2"], []], [6, [], ["3"]]]


# ---------------------------------------------------------------------------------------------------------------------
# Documents


def normal_pair(pair):
    counts = pair.outcome == "correct" and not pair.why
    return msgspec.structs.replace(pair, credit=1.0 if counts else round(pair.credit, 4))


def normal(found):
    """As a page has it: pairs in order, roles of one piece left out, numbers rounded."""

    def plain(each):
        return msgspec.structs.replace(
            each,
            roles=each.roles if len(each.roles) > 1 or len(each.place) > 1 else (),
            value=None if each.value in (None, each.text) else json.loads(json.dumps(each.value)),
        )

    matchings = tuple(
        msgspec.structs.replace(
            each,
            pairs=tuple(sorted(map(normal_pair, each.pairs), key=lambda pair: (pair.gold, pair.system))),
            grouped=True,
        )
        for each in found.matchings
    )
    gold, system = (tuple(map(plain, side)) for side in (found.gold, found.system))
    return msgspec.structs.replace(found, gold=gold, system=system, matchings=matchings)


def same_documents(result, page):
    read = documents_of(page)
    for place, gold in enumerate(result.documents):
        for system in result.systems:
            if system.aligned:
                assert read[gold.id, system.name] == normal(system.aligned[place].aligned(gold))
    return len(read)


def test_documents_come_back_as_they_were_aligned(result, page):
    assert same_documents(result, page) == 72
    counts = lines_of(page, "counts")
    head = data_of(page)
    for metric in range(len(METRICS)):
        for place, system in enumerate(result.systems):
            for at, own in enumerate(system.aligned):
                (found,) = (each for each in own.matchings if each.metric == METRICS[metric])
                line = counts[metric * len(result.systems) + place][6 * at : 6 * at + 6]
                assert line[3:] == [len(found.missed), len(found.spurious), len(found.ignored)]
                assert sum(line[:3]) == len(found.pairs)
    assert head["outcomes"] == ["correct", "partial", "wrong", "missed", "spurious", "ignored"]
    values = lines_of(page, "scores")
    assert len(values) == len(METRICS) * len(result.systems)
    assert all(len(line) == len(head["ids"]) for line in values)


TEXT = st.text(st.characters(codec="utf-8") | st.sampled_from("<>&\"'\u2028\x00\U0001f600"), max_size=6)
WORDS = "Ann \U0001f600 left <Rome> \u05d0\u05d1"


@st.composite
def random_alignments(draw):
    def side():
        items = []
        for number in range(draw(st.integers(0, 4))):
            ends = sorted(draw(st.lists(st.integers(0, len(WORDS)), min_size=2, max_size=2)))
            place = draw(st.sampled_from([(), (tuple(ends),), (tuple(ends), (0, 3))]))
            roles = tuple(draw(TEXT) for _ in place)
            group = tuple(draw(st.lists(st.sampled_from("12"), max_size=2, unique=True)))
            value = draw(st.none() | TEXT | st.dictionaries(TEXT, TEXT | st.integers() | st.none(), max_size=2))
            items.append(
                Item(id=f"{draw(TEXT)}{number}", level=draw(TEXT), text=draw(TEXT), place=place, roles=roles,
                     label=draw(TEXT), group=group, value=value)
            )  # fmt: skip
        return tuple(items)

    gold, system = side(), side()
    free = [list(range(len(gold))), list(range(len(system)))]
    pairs = []
    while free[0] and free[1] and draw(st.booleans()):
        outcome = draw(st.sampled_from(["correct", "partial", "wrong"]))
        pairs.append(Pair(free[0].pop(), free[1].pop(), outcome, draw(st.sampled_from([0.0, 0.5, 1.0])), draw(TEXT)))

    def single(number, others):
        return Single(number, draw(TEXT), draw(st.none() | st.integers(0, others - 1)) if others else None)

    matching = Matching(
        metric=draw(st.sampled_from(["m", "<m>"])),
        pairs=tuple(pairs),
        missed=tuple(single(each, len(system)) for each in free[0]),
        spurious=tuple(single(each, len(gold)) for each in free[1]),
        numbers=draw(st.dictionaries(TEXT, st.integers(0, 9) | st.none(), max_size=2)),
    )
    return Alignment(
        gold=gold, system=system, matchings=(matching,), text=draw(st.none() | st.just(WORDS)),
        groups=draw(st.sampled_from(["", "chain"])),
        **draw(st.sampled_from([{}, {"missing": True}, {"unread": "no JSON"}])),
    )  # fmt: skip


@settings(deadline=None, max_examples=25)
@given(st.lists(random_alignments(), min_size=1, max_size=3))
def test_any_document_comes_back(found):
    result = with_documents(*found)
    assert same_documents(result, render_result(result)) == len(found)


# ---------------------------------------------------------------------------------------------------------------------
# Hostile text


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: "".join(c for c in text if c in string.ascii_letters)[:20])
def test_hostile_text_in_every_field_is_shown_and_not_obeyed(text):
    plain = re.sub(r"[^0-9A-Za-z\s]", "x", text)  # of as many words
    harmless = tree_of(render_result(hostile_result(plain), title=plain))
    result = hostile_result(text)
    page = render_result(result, title=text)
    assert page.encode()  # a file can hold it
    tree = tree_of(page)

    def shape(each):
        return [(one.tag, *sorted(one.keys())) for one in each.iter() if isinstance(one.tag, str)]

    assert shape(tree) == shape(harmless)  # not one element or attribute more
    for each in tree.xpath("//script"):
        each.text = ""
    assert not re.search(OBEYED, html.tostring(tree, encoding="unicode"))
    words = "".join(shown(text).split())
    assert "".join(tree.xpath("//h1")[0].text_content().split()) == words
    assert "".join(shown(clean(text)).split()) in "".join(tree.get_element_by_id("about").text_content().split())
    assert data_of(page)["ids"] == [text]
    found = documents_of(page)
    assert {document for document, _ in found} == {text}
    for own in found.values():
        (matching,) = own.matchings
        assert own.text == f"{text} ran {text}"
        assert own.gold == result.documents[0].items
        assert own.system == result.systems[0].aligned[0].items
        assert {each.why for each in (*matching.pairs, *matching.missed, *matching.spurious, *matching.ignored)} == {
            text
        }
        assert (own.groups, matching.numbers) == (text, {text: 1})


# ---------------------------------------------------------------------------------------------------------------------
# Results with less


@pytest.mark.parametrize(
    ("options", "tabs"),
    [
        ({"documents": False, "by": []}, ["ranking", "differences", "spread", "documents", "about"]),
        ({"bootstrap": 0, "by": []}, ["ranking", "differences", "mistakes", "spread", "documents", "about"]),
        ({"docs": ["nw-01"], "by": []}, ["ranking", "differences", "mistakes", "documents", "about"]),
        ({}, ["ranking", "differences", "slices", "mistakes", "spread", "documents", "about"]),
    ],
)
def test_what_there_is_is_shown(options, tabs):
    tree = tree_of(render_result(demo(**options)))
    assert [link.removeprefix("#") for link in tree.xpath("//nav[@class='tabs']/a/@href")] == tabs
    assert [each.get("id") for each in tree.xpath("//main/section")] == tabs


def test_a_result_without_tables_or_systems():
    result = decode_result(demo(documents=False).to_json().encode())
    page = render_result(result)
    assert "alder" in tree_of(page).xpath("string(//table[@class='ranking'])")
    assert data_of(page)["ids"] == []
    empty = msgspec.structs.replace(result, systems=(), comparisons=())
    assert "0 systems" in html.fromstring(render_result(empty)).text_content()


def test_a_page_can_be_read_without_a_script(result, page):
    (told,) = tree_of(page).xpath("//noscript")
    assert [each.text for each in told.xpath(".//article/h3")] == [each.id for each in result.documents[:10]]
    rows = texts(told.xpath(".//table")[0])
    assert rows[0][0] == "missed"
    assert rows[0][3].startswith("type is 'located-in', gold 'part-of'")


def test_a_page_is_about_as_large_as_what_it_shows(result):
    """A page of one more document is not much larger than its text and items."""
    sizes = [
        len(render_result(demo(docs=[each.id for each in result.documents[:number]], bootstrap=0, by=[])))
        for number in (12, 24)
    ]
    items = sum(len(msgspec.json.encode(each)) for each in result.documents[12:])
    assert sizes[1] - sizes[0] < 12 * items


def test_lengths_count_words_to_their_end_and_no_dots():
    """Of a relation of two words, and of an item that is too long to be shown in full."""
    items = (Item(id="a", text="Ann … Rome"), Item(id="b", text="it left " * 8))
    saved, own = saved_document(
        "d", [Alignment(gold=items, matchings=(Matching(metric="m", pairs=(), missed=(Single(0), Single(1))),))]
    )
    made = scores({"A": 0.0})
    system = msgspec.structs.replace(made.systems[0], aligned=tuple(own))
    page = render_result(msgspec.structs.replace(made, systems=(system,), documents=(saved,)), title="x")
    tree = tree_of(page)
    table = tree.xpath("//figure[@data-file='lengths']//table")[0]
    assert [cell.text_content() for cell in table.xpath("./thead//th")][1:] == ["2 words", "longer"]
