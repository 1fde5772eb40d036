"""The page of nuggets: whole, inert whatever stands in it, and with the marks in the right places."""

import json
import re
import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from adjudge.demo.nugget import GOLD, SYSTEMS, TEXTS, TOKENS
from adjudge.errors import FormatError, UsageError
from adjudge.evaluate.run import Run
from adjudge.model.nugget import Nugget, NuggetDocument, Relation, Token, TokenTable
from adjudge.report.html.layout import Layout, fits, layout, place
from adjudge.report.html.marks import Segment, in_utf16, segments
from adjudge.report.html.nugget import CHANGES, LEGEND, STATIC, Compared, agreement, nugget_page, render_nuggets
from adjudge.report.html.page import asset, island, score_table, shown
from adjudge.stats.inference import Inference
from adjudge.stats.result import Note, Result, Score, SystemResult
from adjudge.tasks.nugget.explanation import KINDS
from adjudge.tasks.nugget.observe import observe
from adjudge.tasks.nugget.settings import settings
from adjudge.tasks.nugget.task import NuggetTask, evaluate_nuggets
from hostile import MARKUP

HOSTILE = [
    *MARKUP,
    "]]> </style> </title> javascript:alert(1) &lt;b&gt; \u2028\u2029\u202e",
]


def result(*names, profile="spec", notes=()):
    def scores():
        for part, value in (("precision", 0.5), ("recall", 0.25), ("f1", 1 / 3)):
            yield Score(
                metric="nugget.type", pool="micro", part=part, value=value, low=0.1, high=0.6, level=0.95, slice={}
            )
        yield Score(metric="nugget.type", pool="micro", part="tp", value=3, slice={})
        yield Score(metric="coref.kbp", pool="micro", part="f1", value=None, slice={})

    systems = tuple(SystemResult(name=n, documents=1, scores=tuple(scores()), notes=tuple(notes)) for n in names)
    return Result(adjudge="0", task="nugget", profile=profile, signature="nugget|v:0", systems=systems, comparisons=())


def compared(gold, *systems, text=None, table=None):
    mappings = [observe(gold, system).mappings for system in systems]
    return Compared(gold, systems, mappings, text, table)


def data_of(page):
    (found,) = html.document_fromstring(page).xpath("//script[@id='data']/text()")
    return json.loads(found)


def evaluated(paths=None, chosen=None, **reading):
    paths = paths or {name: str(path) for name, path in SYSTEMS.items()}
    run = Run(inference=Inference(bootstrap=0), keep=True, pool="micro")
    return evaluate_nuggets(NuggetTask(chosen or settings(), **reading), str(GOLD), paths, run)


def demo(**options):
    return nugget_page(evaluated(tokens=str(TOKENS)), **{"texts": TEXTS, **options})


@pytest.fixture(scope="module")
def page():
    return demo()


# ---------------------------------------------------------------------------------------------------------------------
# The page as a whole


def test_it_needs_nothing_from_outside(page):
    assert not re.search(r"https?:/|//[a-z]|@import|url\(|integrity=", page)
    tree = html.document_fromstring(page)
    assert not tree.xpath("//@src | //link | //iframe | //object | //embed | //base")
    assert set(tree.xpath("//@href")) == {"#main"}


def test_scripts_never_make_markup():
    for name in ("page.js", "browse.js", "nugget.js"):
        text = asset(name)
        assert not re.search(r"</script|<!--|innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|fetch\(", text)
    for name in ("page.css", "charts.css", "browse.css", "nugget.css"):
        assert not re.search(r"</style|@import|url\(", asset(name))


def test_every_kind_has_a_colour_and_a_line():
    assert tuple(entry.key for entry in LEGEND) == KINDS
    css = asset("page.css")
    lines = []
    for kind in KINDS:
        assert len(re.findall(rf"--k-{kind}: \d+ \d+ \d+;", css)) == 2  # light and dark
        lines.append(re.search(rf"\.k-{kind} {{ --k: var\(--k-{kind}\); (.*?) }}", css)[1])
    # Missed nuggets stand in gold only, spurious ones in the system only; all others are told apart by their lines.
    assert len(set(lines)) == len(KINDS) - 1
    assert lines[KINDS.index("missed")] == lines[KINDS.index("spurious")]


def test_the_demo(page):
    tree, data = html.document_fromstring(page), data_of(page)
    assert data["systems"] == list(SYSTEMS)
    assert [document["id"] for document in data["documents"]][:2] == ["nw-01", "nw-02"]
    assert data["documents"][0]["text"] == (TEXTS / "nw-01.txt").read_text()
    assert [change["key"] for change in data["changes"]] == list(CHANGES)
    text = tree.text_content()
    for piece in ("10 documents, 107 gold nuggets, 3 systems", "nugget.type+realis", "coref.kbp", "spec", "nugget|"):
        assert piece in text
    # The numbers of the table are those of the island.
    shown = [[int(cell.text) for cell in row.xpath("td")] for row in tree.xpath("//table[@class='outcomes']/tbody/tr")]
    counted = [[0] * len(SYSTEMS) for _ in KINDS]
    for document in data["documents"]:
        for number, system in enumerate(document["systems"]):
            for kind, partner, _ in system["gold"] + [each for each in system["own"] if each[1] < 0]:
                counted[kind][number] += 1
                assert (partner < 0) == (KINDS[kind] in ("missed", "spurious"))
    assert shown == counted
    assert sum(counted[kind][0] for kind in range(len(KINDS)) if KINDS[kind] != "spurious") == 107


def test_without_a_script(page):
    tree = html.document_fromstring(page)
    articles = tree.xpath("//noscript//article")
    assert len(articles) == 10
    for article in articles:
        name = article.xpath("h3")[0].text
        assert [each.text_content() for each in article.xpath(".//div[@class='text']")] == [
            (TEXTS / f"{name}.txt").read_text()
        ] * 2
    assert tree.xpath("//noscript//mark[contains(@class, 'k-partial')]/@title")
    assert [each for each in tree.xpath("//input[@type='checkbox']") if each.get("disabled") is None] == []


def test_only_some_documents_are_written_twice():
    gold = NuggetDocument("d", [Nugget("E1", "T", "R", "x", ("t1",))])
    many = [compared(gold, gold)] * (STATIC + 5)
    page = render_nuggets(result("A"), many)
    assert len(html.document_fromstring(page).xpath("//noscript//article")) == STATIC
    assert f"first {STATIC} documents" in page
    assert len(data_of(page)["documents"]) == STATIC + 5


def test_nothing_to_show():
    assert data_of(render_nuggets(result("A"), []))["documents"] == []
    gold = NuggetDocument("d")
    (document,) = data_of(render_nuggets(result("A"), [Compared(gold, [None], [{"span": [], "type": []}])]))[
        "documents"
    ]
    assert (document["text"], document["systems"][0]["absent"]) == (None, True)


# ---------------------------------------------------------------------------------------------------------------------
# Hostile strings


@pytest.mark.parametrize("evil", HOSTILE)
def test_hostile_strings_are_inert(evil):
    text = f"{evil} ran {evil}"
    size = len(evil)
    nuggets = [
        Nugget(evil, evil, evil, evil, pieces=((0, size),)),
        Nugget(evil + "2", evil, evil, evil, pieces=((2, size + 4),)),
    ]
    relations = [Relation("Coreference", evil, (evil, evil + "2")), Relation(evil, evil, (evil, evil + "2"))]
    gold = NuggetDocument(evil, nuggets, relations, text)
    bare = NuggetDocument(evil + "bare", nuggets, relations)
    spelled = result(evil, profile=evil, notes=[Note("x", 1, evil, (evil,))])
    page = render_nuggets(
        spelled,
        [compared(gold, gold), compared(bare, NuggetDocument(evil))],
        title=evil,
        remarks=[evil],
    )
    tree = html.document_fromstring(page)
    assert len(tree.xpath("//script")) == 2
    assert not tree.xpath("//img | //*[local-name()='svg' and @onload]")
    assert not [name for each in tree.iter() for name in each.attrib if name.startswith("on") or name == "autofocus"]
    assert len(tree.xpath("//noscript")) == len(tree.xpath("//style")) == len(tree.xpath("//title")) == 1
    data = data_of(page)
    assert data["systems"] == data["types"] == data["realis"] == [evil]
    assert (data["documents"][0]["id"], data["documents"][0]["text"]) == (evil, text)
    assert data["documents"][0]["gold"]["links"] == [[evil, 0, 1]]
    assert tree.xpath("//title")[0].text == shown(evil)
    assert [each.text_content() for each in tree.xpath("//noscript//div[@class='text']")] == [shown(text)] * 2
    assert shown(evil) in tree.xpath("//noscript//article[2]//table")[0].text_content()
    assert "49" not in tree.xpath("//h1")[0].text


@given(st.recursive(st.text() | st.floats(allow_nan=False, allow_infinity=False), lambda s: st.lists(s, max_size=3)))
def test_an_island_is_its_data_and_no_markup(data):
    text = str(island(data))
    assert not re.search("[<>&\u2028\u2029]", text)
    assert json.loads(text) == data


# ---------------------------------------------------------------------------------------------------------------------
# Marks


pieces = st.tuples(st.integers(-2, 12), st.integers(-2, 14))


@given(st.lists(st.lists(pieces, max_size=3), max_size=5), st.integers(0, 10))
def test_segments_mark_what_they_should(places, length):
    found = segments(places, length)
    marked = [set() for _ in range(length)]
    for mark, own in enumerate(places):
        for begin, end in own:
            for at in range(max(begin, 0), min(end, length)):
                marked[at].add(mark)
    drawn = [set() for _ in range(length)]
    for begin, end, marks in found:
        assert begin < end
        assert len(set(marks)) == len(marks) > 0
        for at in range(begin, end):
            assert not drawn[at]
            drawn[at] = set(marks)
    assert drawn == marked
    assert [each.begin for each in found] == sorted(each.begin for each in found)


def test_the_earlier_and_longer_mark_is_outside():
    assert segments([[(2, 4)], [(2, 6)], [(0, 3)], [(2, 6)]], 9) == [
        Segment(0, 2, (2,)),
        Segment(2, 3, (2, 1, 3, 0)),
        Segment(3, 4, (1, 3, 0)),
        Segment(4, 6, (1, 3)),
    ]


@given(st.text("a\u00e9\U0001f600\U0001f680", max_size=12), st.data())
def test_places_in_a_browser(text, data):
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, len(text)))
    ((first, last, marks),) = in_utf16(text, [Segment(begin, end, (7,))])
    units = text.encode("utf-16-le")
    assert units[2 * first : 2 * last].decode("utf-16-le") == text[begin:end]
    assert marks == (7,)


def test_twins_gaps_and_overlaps_in_the_data():
    text = "He \U0001f600 took the town over, a murder"
    table = TokenTable("d", [Token(str(n), text[b:e], b, e) for n, (b, e) in enumerate(_words(text))])
    gold = NuggetDocument(
        "d",
        [
            Nugget("E1", "Attack", "Actual", "took over", ("2", "5")),
            Nugget("E2", "Attack", "Actual", "murder", ("7",)),
            Nugget("E3", "Die", "Actual", "murder", ("7",)),
            Nugget("E4", "Own", "Actual", "took the town", ("2", "3", "4")),
            Nugget("E5", "Own", "Actual", "?", ("99",)),
        ],
        [Relation("Coreference", "R1", ("E1", "E2"))],
    )
    system = NuggetDocument("d", [Nugget("m1", "Die", "Other", "murder", ("7",))])
    (document,) = data_of(render_nuggets(result("A"), [compared(gold, system, text=text, table=table)]))["documents"]
    units = text.encode("utf-16-le")
    drawn = [(units[2 * b : 2 * e].decode("utf-16-le"), marks) for b, e, *marks in document["gold"]["marks"]]
    assert drawn == [("took", [0, 3]), (" the town", [3]), ("over,", [0]), ("murder", [1, 2])]
    assert [nugget[4] for nugget in document["gold"]["nuggets"]] == [0, 0, 1, 2, 3]
    own = document["systems"][0]
    missed, realis = KINDS.index("missed"), KINDS.index("wrong-realis")
    assert own["gold"] == [[missed, -1, 0], [missed, -1, 0], [realis, 0, 1], [missed, -1, 0], [missed, -1, 0]]
    assert own["own"] == [[realis, 2, 1]]
    assert [list(CHANGES)[change] for change, _, _ in own["groups"]] == ["missed", "same", "missed", "missed"]


def _words(text):
    return [match.span() for match in re.finditer(r"\S+", text)]


# ---------------------------------------------------------------------------------------------------------------------
# Texts


def test_a_text_from_tokens():
    table = TokenTable(
        "d",
        [Token("t1", "They", 0, 4), Token("t2", "ran", 9_000_000, 9_000_003), Token("t3", ".", 9_000_003, 9_000_004)],
    )
    found = layout(NuggetDocument("d"), None, table)
    assert found.text == "They ran."
    assert place(Nugget("E", "T", "R", "They ran", ("t2", "t1", "t9")), found) == [(0, 8)]
    assert place(Nugget("E", "T", "R", "They .", ("t1", "t3")), found) == [(0, 4), (8, 9)]


def test_a_text_of_another_document_is_not_shown():
    table = TokenTable("d", [Token("t1", "They", 0, 4), Token("t2", "ran", 5, 8)])
    assert fits("They ran", table)
    assert fits("They\tran", TokenTable("d", [Token("t1", "They ran", 0, 8)]))
    assert not fits("They run", table)
    assert layout(NuggetDocument("d"), "Somebody else", table).text == "They ran"
    assert layout(NuggetDocument("d"), "Somebody else", None).text == "Somebody else"
    assert layout(NuggetDocument("d", text="Own"), None, None).text == "Own"
    assert layout(NuggetDocument("d"), None, TokenTable("d")) is None


def test_characters_outside_of_the_text_are_not_drawn():
    found = Layout("They ran", {})
    nugget = Nugget("E", "T", "R", "x", pieces=((5, 8), (0, 4), (6, 99), (3, 3), (-2, 1)))
    assert place(nugget, found) == [(0, 4), (5, 8)]


def test_without_texts_and_without_anything():
    by_tokens = data_of(demo(texts=None))["documents"][0]
    assert by_tokens["text"].startswith("Police post attacked near Tarnholt Gunmen attacked a police post")
    begin, end, *_ = by_tokens["gold"]["marks"][0]
    assert by_tokens["text"][begin:end] == "attacked"
    page = nugget_page(evaluated(str(SYSTEMS["wren"])))
    document = data_of(page)["documents"][0]
    assert (document["text"], document["gold"]["marks"]) == (None, [])
    assert "Conflict_Attack" in html.document_fromstring(page).xpath("//noscript//table")[0].text_content()


def test_texts_that_are_missing_or_wrong(tmp_path):
    (tmp_path / "nw-01.txt").write_bytes((TEXTS / "nw-01.txt").read_bytes())
    assert "no text for 9 of the documents (nw-02, nw-03, nw-04, nw-05, nw-06, ...)" in demo(texts=tmp_path)
    (tmp_path / "nw-02.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match=r"nw-02\.txt: not UTF-8, at byte 0, convert the text to UTF-8"):
        demo(texts=tmp_path)
    with pytest.raises(UsageError, match="there is no such folder, name the folder with the texts"):
        demo(texts=tmp_path / "none")


# ---------------------------------------------------------------------------------------------------------------------
# Scores and profiles


def test_the_table_of_scores():
    table = score_table(result("A", "B"))
    assert (table.systems, table.parts, table.headline) == (("A", "B"), ("precision", "recall", "f1", "tp"), "f1")
    (name, (row, _)), (other, (empty, _)) = table.metrics
    assert (name, row.cells[0]) == ("nugget.type", ("50.0", "[10.0, 60.0]"))
    assert (other, empty.headline.value, empty.drawn) == ("coref.kbp", "n/a", None)


def test_values_agree_as_the_profile_says():
    spec, last = agreement(settings("spec")), agreement(settings("evmeval-1.8"))
    assert not spec("Life_Die", "life.die")
    assert last("Life_Die", "life.die")
    assert last("NOT_ANNOTATED", "Other")
    assert not last("Other", "NOT_ANNOTATED")


@pytest.mark.parametrize("profile", ["evmeval-2015", "evmeval-1.8"])
def test_other_profiles(profile):
    page = nugget_page(evaluated(chosen=settings(profile), tokens=str(TOKENS)), texts=TEXTS)
    assert profile in html.document_fromstring(page).xpath("//footer")[0].text_content()


def test_nothing_heavy_before_it_is_needed():
    code = (
        "import sys; import adjudge.report.html.nugget; print(sorted({'jinja2', 'numpy', 'lxml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---------------------------------------------------------------------------------------------------------------------
# The scripts, if there is something to run them

STAGE = """
class Node {
  constructor(name) { this.name = name; this.children = []; this.attributes = {}; this.classList = { remove() {} }; }
  append(...these) { this.children.push(...these); }
  setAttribute(key, value) { this.attributes[key] = value; }
  addEventListener() {}
  get textContent() { return this.children.map((each) => each.textContent ?? each).join(""); }
}
globalThis.document = {
  documentElement: new Node("html"),
  getElementById: () => ({ textContent: "{}" }),
  createElement: (name) => new Node(name),
  querySelectorAll: () => [],
};
"""
SHOW = """
const shape = (node) => typeof node === "string" ? node : [node.name, node.attributes, ...node.children.map(shape)];
const target = new Node("div");
const [text, marks, query] = JSON.parse(process.argv[1]);
const make = (mark, depth, first) => adjudge.element("mark", { m: mark, d: depth, first });
adjudge.draw(target, text, marks, adjudge.hits(text, query), make);
console.log(JSON.stringify([target.textContent, target.children.map(shape)]));
"""
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def draw(text, marks, query):
    code = STAGE + asset("page.js") + SHOW
    argument = json.dumps([text, marks, query])
    done = subprocess.run(["node", "-e", code, argument], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@needs_node
def test_drawing_a_text():
    text = "a bomb killed (them)"
    marks = [[2, 6, 0], [6, 13, 0, 1], [15, 19, 1]]
    assert draw(text, marks, "B KILL") == [
        text,
        [
            "a ",
            ["mark", {"m": 0, "d": 0, "first": True}, "bom", ["span", {"class": "hit"}, "b"]],
            [
                "mark",
                {"m": 0, "d": 0},
                ["mark", {"m": 1, "d": 1, "first": True}, ["span", {"class": "hit"}, " kill"], "ed"],
            ],
            " (",
            ["mark", {"m": 1, "d": 0, "first": True}, "them"],
            ")",
        ],
    ]
    assert draw("a\0b\u202ec\x7f\ud800\U0001f600", [[1, 2, 0]], "")[0] == "a\\x00b\\u202ec\\x7f\\ud800\U0001f600"
    assert draw(text, [], "(them)")[1] == ["a bomb killed ", ["span", {"class": "hit"}, "(them)"]]
    assert draw("aaa.-/[x]", [[1, 2, 0]], "a")[0] == "aaa.-/[x]"
    assert draw("a-b/c", [], "-b/")[1] == ["a", ["span", {"class": "hit"}, "-b/"], "c"]


@needs_node
def test_the_scripts_can_be_read(tmp_path):
    path = tmp_path / "page.js"
    path.write_text("\n".join(asset(name) for name in ("page.js", "browse.js", "nugget.js")))
    subprocess.run(["node", "--check", str(path)], check=True)
