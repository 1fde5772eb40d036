"""The page of event arguments: whole, inert whatever stands in it, and its numbers are those of the scores."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import html

from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES, SUBMISSIONS
from adjudge.formats.eal_sources import Sources
from adjudge.formats.eal_write import FramesWriter, KeyWriter, StoreWriter
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Frame, Linking
from adjudge.report.html import eal as module
from adjudge.report.html.eal_data import KINDS, LEGEND, PAIRS, STATUS
from adjudge.report.html.page import asset, shown
from adjudge.tasks.eal.settings import decide, settings
from adjudge.tasks.eal.texts import quote_regions
from eal_keys import CORPUS, GRAPHS, counted, page_of
from eal_responses import response
from hostile import MARKUP

HOSTILE = [
    *MARKUP,
    "]]> </style> </title> javascript:alert(1) &lt;b&gt; \u2028\u2029\u202e",
]
GOOD = Assessment("C", "C", "C", "C", "Actual", "NAME")
LENIENT = settings(decide("spec", {"unassessed": "false-positive"}))


def data_of(page):
    (found,) = html.document_fromstring(page).xpath("//script[@id='data']/text()")
    return json.loads(found)


def demo(**options):
    sources = Sources(SOURCES)
    given = {
        "sources": sources,
        "regions": lambda document: quote_regions(sources.text(document)),
        "bootstrap": 40,
    }
    return page_of(ASSESSMENTS, FRAMES, SUBMISSIONS, LENIENT, **{**given, **options})


@pytest.fixture(scope="module")
def page():
    return demo()


def store(folder, name, *arguments, frames=()):
    document = arguments[0].response.document
    with StoreWriter(folder / name, ids="keep", overwrite=True) as writer:
        writer.write(Arguments(document, arguments), Linking(document, [Frame(frozenset(each)) for each in frames]))
    return folder / name


def campaign(folder, key, frames=()):
    with KeyWriter(folder / "key", overwrite=True) as writer:
        writer.write(key)
    with FramesWriter(folder / "ref", overwrite=True) as writer:
        writer.write(Linking(key.document, [Frame(frozenset(each)) for each in frames]))
    return folder / "key", folder / "ref"


def table_rows(element):
    return [[cell.text_content() for cell in row] for row in element.xpath(".//tbody/tr")]


# ---------------------------------------------------------------------------------------------------------------------
# The page as a whole


def test_it_needs_nothing_from_outside(page):
    assert not re.search(r"https?:/|//[a-z]|@import|integrity=", page)
    assert set(re.findall(r"url\(([^)]*)\)", page)) <= {f"#winners-{at}" for at in range(3)}
    tree = html.document_fromstring(page)
    assert not tree.xpath("//@src | //link | //iframe | //object | //embed | //base | //image | //use")
    assert all(each.startswith("#") for each in tree.xpath("//@href"))


def test_the_script_never_makes_markup():
    forbidden = r"</script|<!--|innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|fetch\("
    assert not re.search(forbidden, asset("eal.js") + asset("browse.js"))
    assert not re.search(r"</style|@import|url\(", asset("eal.css"))


def test_every_kind_has_a_colour_a_line_and_a_sign():
    css = asset("page.css") + asset("eal.css")
    for legend in (LEGEND, PAIRS):
        looks = []
        for entry in legend:
            # Light and dark, or another colour that has both.
            assert len(re.findall(rf"--k-{entry.key}: (?:\d+ \d+ \d+|var\(--k-)", css)) in (1, 2)
            looks.append(re.search(rf"\.k-{entry.key} {{ --k: var\(--k-{entry.key}\); (.*?) }}", css)[1])
        assert len(set(looks)) == len(legend)
        assert len({entry.sign for entry in legend}) == len(legend)


def test_the_leaderboard(page):
    tree = html.document_fromstring(page)
    rows = tree.xpath("//table[@class='board']/tbody/tr")
    assert [row.xpath("th")[0].text_content() for row in rows] == ["granite", "marble", "slate"]
    assert [row.xpath("td[1]")[0].text for row in rows] == ["1", "2", "3"]
    assert re.fullmatch(r"\d+\.\d \[\d+\.\d, \d+\.\d\]", rows[0].xpath("td[2]")[0].text_content())
    assert rows[2].xpath("td[4]")[0].text == "3"
    assert rows[0].xpath("th/a/@href") == ["#system=granite"]
    beats = tree.xpath("//table[@class='beats']/tbody/tr")
    assert beats[0].xpath("td[1]")[0].text == "–"
    assert beats[0].xpath("td[2]/a/@href") == ["#compare=granite,marble"]
    one, other = (float(beats[at].xpath(f"td[{2 - at}]/a")[0].text.split()[0]) for at in (0, 1))
    assert 99.9 <= one + other <= 100.1


def test_graphs_and_notes_are_there(page):
    tree = html.document_fromstring(page)
    names = tree.xpath("//figure/@data-file")
    assert tuple(names) == GRAPHS
    assert len(tree.xpath("//figure//svg[@role='img'][@aria-label]")) == len(names)
    # The numbers of the graphs are those of the scores where the weights are those in use.
    rows = {name: table_rows(figure) for name, figure in zip(names, tree.xpath("//figure"), strict=True)}
    scores = [row.xpath("td[3]")[0].text for row in tree.xpath("//table[@class='board']/tbody/tr")]
    for name, at in (("scores-beta", "0.25"), ("scores-lambda", "0.5")):
        (row,) = [row for row in rows[name] if row[0] == at]
        assert sorted((f"{float(cell):.1f}" for cell in row[1:]), reverse=True) == scores
    for name, at in (("ranks-beta", "0.25"), ("ranks-lambda", "0.5")):
        assert [row for row in rows[name] if row[0] == at] == [[at, "1", "2", "3"]]
    assert all(rows.values())
    changed = tree.xpath("//section[@class='changed']")[0]
    assert [each.text for each in changed.xpath(".//h3")] == ["key and frames", "granite", "marble", "slate"]
    text = changed.text_content()
    for piece in (
        "the key: 8 responses removed as covered by a correct response of another type (Life.Injure by Life.Die)",
        "responses removed as quotations",
        "responses removed as times that say less",
        "false positives cost nothing",
        "are spurious beside right ones",
    ):
        assert piece in text
    assert text.count("the key: 8 responses removed as covered") == 1


@pytest.mark.parametrize(
    ("profile", "frames"), [("spec", True), ("spec", False), ("bbn-2015", True), ("bbn-2014", False)]
)
def test_the_numbers_are_those_of_the_scores(profile, frames):
    key, ref = CORPUS / "key", CORPUS / "ref" if frames else None
    systems = {name: CORPUS / "systems" / name for name in ("S0", "S1", "S2")}
    decided = decide(profile, {"unassessed": "false-positive", "unlinked": "drop"})
    chosen = settings(decided, linking=frames)
    data = data_of(page_of(key, ref, systems, chosen, bootstrap=0))
    result = counted(key, ref, systems, chosen, bootstrap=0).result()
    correct, missed = KINDS.index("correct"), KINDS.index("missed")
    false = [number for number, kind in enumerate(KINDS) if kind.startswith("wrong") or kind == "unassessed"]
    for number, name in enumerate(systems):
        scores = {score.part: score.value for score in result.system(name).scores if score.metric == "eal.argument"}
        counts = [0] * len(KINDS)
        for document in data["documents"]:
            mine = document["systems"][number]
            for row in mine["rows"]:
                counts[row[3]] += 1
            counts[missed] += len(mine["missed"])
            assert mine["scores"][3] == sum(row[3] == correct for row in mine["rows"])
            # What is missed is what is correct and not found.
            found = {document["pool"][row[0]][4] for row in mine["rows"] if row[3] == correct}
            assert {cls for cls, _ in mine["missed"]} == {cls for cls, *_ in document["correct"]} - found
        assert counts[correct] == scores["tp"]
        assert sum(counts[kind] for kind in false) == scores["fp"]
        if decided.unassessed_misses:
            assert counts[missed] == scores["fn"]


def test_the_table_of_outcomes_counts_the_island(page):
    tree, data = html.document_fromstring(page), data_of(page)
    shown = [[int(cell.text) for cell in row.xpath("td")] for row in tree.xpath("//table[@class='outcomes']/tbody/tr")]
    counted = [[0] * len(SUBMISSIONS) for _ in KINDS]
    for document in data["documents"]:
        for number, system in enumerate(document["systems"]):
            for row in system["rows"]:
                counted[row[3]][number] += 1
            counted[KINDS.index("missed")][number] += len(system["missed"])
    assert shown == counted
    assert all(sum(row) for row in counted[:6])  # the demo shows every fault


def test_responses_stand_where_the_files_say(page):
    data = data_of(page)
    assert [document["id"] for document in data["documents"]] == sorted(path.name for path in ASSESSMENTS.iterdir())
    document = data["documents"][0]
    assert document["text"] == (SOURCES / f"{document['id']}.txt").read_text(encoding="utf-8")
    lines = (SUBMISSIONS["granite"] / "arguments" / document["id"]).read_text(encoding="utf-8").splitlines()
    rows = {row[1]: row for row in document["systems"][0]["rows"]}
    assert len(rows) == len(lines)
    for line in lines:
        id_, _, type_, role, cas, at, because, base, _, realis, confidence = line.split("\t")
        row = rows[id_]
        item = document["pool"][row[0]]
        assert [data["types"][item[0]], data["roles"][item[1]], data["realis"][item[2]]] == [type_, role, realis]
        assert document["words"][item[3]] == cas
        assert item[5:9] == [int(end) for span in (at, base) for end in span.split("-")]
        assert item[9] == [int(end) for span in because.split(",") for end in span.split("-")]
        assert row[2] == pytest.approx(float(confidence))


def test_reasons_rules_and_frames(page):
    data = data_of(page)
    assert {"type", "role", "filler", "base filler", "realis", "covered", "less-specific-time"} <= set(data["reasons"])
    assert any(each.startswith("quoted") for each in data["reasons"])
    document = next(each for each in data["documents"] if each["id"] == "MINI_NW_01")
    mine = document["systems"][0]
    covered = [row for row in mine["rows"] if data["reasons"].index("covered") in row[4]]
    assert {data["said"][row[5]] for row in covered} == {"a correct Life.Die covers it"}
    assert {KINDS[row[3]] for row in covered} == {"removed"}
    # Every frame of both sides stands in the comparison once.
    assert sorted(one for one, _ in mine["beside"] if one >= 0) == list(range(len(document["frames"])))
    assert sorted(other for _, other in mine["beside"] if other >= 0) == list(range(len(mine["frames"])))
    statuses = {STATUS[status] for frame in mine["frames"] for _, status in frame}
    assert statuses == {"common", "spurious"}
    correct = {cls for cls, *_ in document["correct"]}
    assert {cls for frame in document["frames"] for cls in frame} <= correct


# ---------------------------------------------------------------------------------------------------------------------
# Without a script, and with little


def test_without_a_script(page):
    tree = html.document_fromstring(page)
    articles = tree.xpath("//noscript//article")
    assert [each.xpath("h3")[0].text for each in articles] == [each["id"] for each in data_of(page)["documents"]]
    for article in articles:
        name = article.xpath("h3")[0].text
        text = (SOURCES / f"{name}.txt").read_text(encoding="utf-8")
        assert article.xpath("div[@class='text']")[0].text_content() == text
        assert len(article.xpath("details")) == 3
    kinds = set(re.findall(r'<td><span class="n d0 k-([a-z-]+)">', page))
    assert kinds >= {"correct", "missed", "redundant", "removed", "wrong-realis"}
    assert [each for each in tree.xpath("//input[@type='checkbox']") if each.get("disabled") is None] == []
    marked = [mark for mark in tree.xpath("//noscript//mark") if mark.text_content() == "Kalder Bay"]
    assert marked


def test_only_some_documents_are_written_twice(monkeypatch):
    monkeypatch.setattr(module, "STATIC", 200)
    page = demo(bootstrap=0)
    articles = html.document_fromstring(page).xpath("//noscript//article")
    assert 0 < len(articles) < 12
    assert f"the first {len(articles)} documents" in page
    known = [each["id"] for each in data_of(page)["documents"]]
    assert [each.xpath("h3")[0].text for each in articles] == known[: len(articles)]


def test_without_texts_frames_and_bootstrap():
    page = page_of(
        ASSESSMENTS,
        None,
        {"slate": SUBMISSIONS["slate"]},
        LENIENT._replace(linking=False),
        bootstrap=0,
    )
    data, tree = data_of(page), html.document_fromstring(page)
    assert {document["text"] for document in data["documents"]} == {None}
    assert not data["linking"]
    assert not tree.xpath("//table[@class='board']")
    assert tree.xpath("//figure/@data-file") == ["scores-beta"]
    assert not tree.xpath("//noscript//div[@class='text']")


def test_texts_that_are_missing(tmp_path):
    shutil.copy(SOURCES / "MINI_NW_01.txt", tmp_path)
    page = demo(sources=Sources(tmp_path), bootstrap=0)
    assert "no text for 11 of the documents (MINI_DF_01, MINI_DF_02, MINI_DF_03, MINI_DF_04, MINI_DF_05, ...)" in page
    assert sum(document["text"] is not None for document in data_of(page)["documents"]) == 1


def test_slices():
    tree = html.document_fromstring(demo(by=("type",), bootstrap=0))
    (details,) = [each for each in tree.xpath("//details") if "By type, role or genre" in each.xpath("summary")[0].text]
    assert "type=Life.Die" in details.text_content()
    assert "eal.overall" not in details.text_content()  # only arguments have a type


def test_nothing_heavy_before_it_is_needed():
    code = "import sys; import adjudge.report.html.eal; print(sorted({'jinja2', 'numpy', 'lxml'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---------------------------------------------------------------------------------------------------------------------
# Hostile strings


def hostile(tmp_path, evil):
    name = "".join(letter for letter in evil.replace("/", "\u2215") if letter.isprintable()).strip()
    text = f"{evil} ran {evil}"
    end = len(evil) - 1
    spans = {"document": name, "type": evil, "role": evil, "at": (0, end), "filler": (0, end)}
    right = response(name, **spans)
    wrong = response(name, **{**spans, "role": name + "2"}, justifications=((1, 5),), additional=((2, 7),))
    lost = response(name + "x", **{**spans, "type": name})
    assessed = {right: GOOD, wrong: Assessment("C", "C", "W", "W", "Other", "NOMINAL"), lost: GOOD}
    coref = {right.cas: 1, lost.cas: 2}
    key, ref = campaign(tmp_path, AnswerKey(name, assessed, (), coref), [[right, lost]])
    ids = [re.sub(r"\s", "_", evil) + mark for mark in "12"]
    mine = store(tmp_path, "sys", Argument(right, 0.5, ids[0]), Argument(wrong, 0.9, ids[1]), frames=[[right, wrong]])
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / name).write_text(text, encoding="utf-8")
    return name, text, key, ref, mine


@pytest.mark.parametrize("evil", HOSTILE)
def test_hostile_strings_are_inert(tmp_path, evil):
    name, text, key, ref, mine = hostile(tmp_path, evil)
    sources = Sources(tmp_path / "texts")
    systems = {evil: mine, evil + ",2": mine}
    page = page_of(key, ref, systems, settings(), sources=sources, bootstrap=5, title=evil)
    tree = html.document_fromstring(page)
    assert len(tree.xpath("//script")) == 2
    assert not tree.xpath("//img | //*[local-name()='svg' and @onload]")
    assert not [name for each in tree.iter() for name in each.attrib if name.startswith("on") or name == "autofocus"]
    assert len(tree.xpath("//noscript")) == len(tree.xpath("//style")) == len(tree.xpath("/html/head/title")) == 1
    assert all(each.startswith("#") for each in tree.xpath("//@href"))
    data = data_of(page)
    assert data["systems"] == [evil, evil + ",2"]
    (document,) = data["documents"]
    assert (document["id"], document["text"]) == (name, text)
    assert evil.strip() in data["types"]
    assert tree.xpath("//h1")[0].text == shown(evil)
    assert "49" not in tree.xpath("//h1")[0].text
    assert tree.xpath("//noscript//div[@class='text']")[0].text_content() == shown(text)
    kinds = [KINDS[row[3]] for row in document["systems"][0]["rows"]]
    assert sorted(kinds) == ["correct", "wrong-filler"]
    assert len(document["systems"][0]["missed"]) == 1


# ---------------------------------------------------------------------------------------------------------------------
# The script, if there is something to run it

STAGE = Path(__file__).with_name("eal_stage.js")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def play(data, hash_="", *steps):
    legends = {"legend": KINDS, "pairs": [entry.key for entry in PAIRS]}
    script = asset("page.js") + asset("browse.js") + asset("eal.js")
    given = json.dumps([json.dumps(data), legends, hash_, steps, script])
    done = subprocess.run(["node", str(STAGE)], input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
def test_views_of_systems_and_documents(page):
    data = data_of(page)
    start, first, pinned, other = play(data, "", ["key", "n"], ["key", "j"], ["key", "s"])
    assert start["hash"] == "#system=granite"
    assert len(start["list"]) == 13
    assert "By event type" in start["text"]
    assert "8 of 141 fillers" in start["text"]
    assert first["hash"] == "#system=granite&doc=MINI_DF_01"
    assert first["whole"] == data["documents"][0]["text"]
    assert "reference beside granite" in first["text"]
    assert not first["about"]
    assert "justification" in pinned["about"]
    assert {"the-cas", "the-bf", "the-pj"} <= {name for name, _ in pinned["spans"]}
    assert pinned["whole"] == first["whole"]
    assert other["hash"] == "#system=marble&doc=MINI_DF_01"


@needs_node
def test_filters(page):
    data = data_of(page)
    type_, realis = data["types"].index("Life.Marry"), data["reasons"].index("realis")
    start, by_type, by_reason, without, all_but = play(
        data,
        "#system=marble&doc=MINI_DF_01",
        ["choose", "type", type_],
        ["choose", "reason", realis],
        ["choose", "type", -1],
        ["uncheck", "legend", "wrong-realis"],
    )
    assert len(start["list"]) == 13
    assert len(by_type["list"]) < 13

    def wrong(of=None):
        return sum(
            realis in row[4] and of in (None, data["types"][document["pool"][row[0]][0]])
            for document in data["documents"]
            for row in document["systems"][1]["rows"]
        )

    assert sum(by_reason["legend"].values()) == wrong("Life.Marry")
    assert sum(without["legend"].values()) == wrong() >= without["legend"]["wrong-realis"] > 0
    # A legend still counts what is switched off, but the documents are gone that have nothing else.
    assert all_but["legend"] == without["legend"]
    assert len(all_but["list"]) < len(without["list"])


@needs_node
def test_two_systems_side_by_side(page):
    data = data_of(page)
    start, document = play(data, "#compare=granite,marble", ["key", "n"])
    assert start["hash"] == "#compare=granite%2Cmarble"
    assert "Links of the reference frames: " in start["text"]
    found = []
    for number in (0, 1):
        correct = KINDS.index("correct")
        found.append(
            {
                (each["id"], each["pool"][row[0]][4])
                for each in data["documents"]
                for row in each["systems"][number]["rows"]
                if row[3] == correct
            }
        )
    only = {
        name: {cls for id_, cls in mine - theirs if id_ == "MINI_DF_01"}
        for name, mine, theirs in (("a", *found), ("b", *found[::-1]))
    }
    assert document["hash"] == "#compare=granite%2Cmarble&doc=MINI_DF_01"
    assert document["text"].count("◐ only the first") == len(only["a"])
    assert document["text"].count("◑ only the second") == len(only["b"])
    assert document["whole"] == data["documents"][0]["text"]


@needs_node
@pytest.mark.parametrize("evil", HOSTILE[:3])
def test_names_with_commas_and_markup(tmp_path, evil):
    name, text, key, ref, mine = hostile(tmp_path, evil)
    systems = {evil: mine, evil + ",2": mine}
    page = page_of(key, ref, systems, settings(), sources=Sources(tmp_path / "texts"), bootstrap=5)
    links = html.document_fromstring(page).xpath("//table[@class='beats']//a/@href")
    assert len(links) == 2
    for link in links:
        start, document = play(data_of(page), link, ["key", "n"])
        assert start["text"].startswith(evil)
        assert f"{evil} and {evil},2" in start["text"] or f"{evil},2 and {evil}" in start["text"]
        assert document["whole"] == text
        assert name in document["text"]


@needs_node
def test_characters_outside_the_first_plane(tmp_path):
    text = "\U0001f600 Bob \U0001f600 died"
    bob = response("Bob", at=(2, 4), filler=(6, 6), justifications=((2, 11),))
    key, ref = campaign(tmp_path, AnswerKey("d", {bob: GOOD}, (), {bob.cas: 1}), [[bob]])
    mine = store(tmp_path, "sys", Argument(bob, 0.5, "1"), frames=[[bob]])
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "d.txt").write_text(text, encoding="utf-8")
    page = page_of(key, ref, {"A": mine}, settings(), sources=Sources(tmp_path / "texts"), bootstrap=0)
    _, pinned = play(data_of(page), "#system=A&doc=d", ["key", "j"])
    assert pinned["marks"] == [["n d0 k-correct", "Bob"]]
    spans = {name: words for name, words in pinned["spans"] if name != "the-pj"}
    assert spans["the-bf"] == "\U0001f600"
    assert "".join(words for name, words in pinned["spans"] if name == "the-pj").endswith("died")
    static = html.document_fromstring(page).xpath("//noscript//mark")
    assert [mark.text for mark in static] == ["Bob"]


@needs_node
def test_the_script_can_be_read(tmp_path):
    path = tmp_path / "page.js"
    path.write_text(asset("page.js") + "\n" + asset("eal.js"))
    subprocess.run(["node", "--check", str(path)], check=True)
