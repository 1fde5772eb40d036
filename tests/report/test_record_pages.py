"""The page of records: gold and system in one table with tables inside, fields with the worst first, answers unread."""

import json

import pytest

import adjudge as aj
from adjudge.report.page import render_result
from pages import data_of, documents_of, kept, texts, tree_of

GOLD = [
    {"id": "i1", "no": "A", "lines": [{"item": "bolt", "price": 2}, {"item": "nut", "price": 1}]},
    {"id": "i2", "no": "B", "lines": [{"item": "saw", "price": 9}]},
    {"id": "i3", "no": "C", "lines": []},
]
ANSWERS = [
    {"id": "i1", "output": '{"no": "A", "lines": [{"item": "nut", "price": 3}, {"item": "oil", "price": 7}]}'},
    {"id": "i2", "output": '{"no": "B", '},
]


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    for name, lines in (("gold", GOLD), ("answers", ANSWERS)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return aj.score(
        "record",
        str(folder / "gold"),
        str(folder / "answers"),
        reader="answers",
        by=["field"],
        bootstrap=0,
        documents=True,
    )


@pytest.fixture(scope="module")
def page(result):
    return render_result(result)


def own(table):
    """The caption of a table, its rows and the tables inside, all as texts."""
    (caption,) = table.xpath("./caption")
    rows = [[cell.text_content() for cell in row] for row in table.xpath("./tbody/tr[not(@class='inside')]")]
    return " ".join(caption.text_content().split()), rows, [own(each) for each in table.xpath("./tbody/tr/td/table")]


def test_a_record_is_a_table_with_tables_inside_without_a_script(page):
    (told, *_) = tree_of(page).xpath("//noscript/article[h3='i1']//h4[.='record.fields']/following-sibling::div")
    assert own(told.xpath("./table")[0]) == (
        "records[0]",
        [["no", "A", "A", "correct"]],
        [
            ("lines[0]", [["item", "bolt", "–", "omitted"], ["price", "2", "–", "omitted"]], []),
            ("lines[1]", [["item", "nut", "nut", "correct"], ["price", "1", "3", "wrong"]], []),
            (
                "lines[1] only in the system",
                [["item", "–", "oil", "hallucinated"], ["price", "–", "7", "hallucinated"]],
                [],
            ),
        ],
    )


def test_why_there_is_nothing_of_a_document_stands_at_its_top(page):
    told = {each.xpath("string(h3)"): each[1].text_content() for each in tree_of(page).xpath("//noscript/article")}
    assert told["i2"] == "The answer could not be read (truncated JSON): it counts as empty."
    assert told["i3"] == "The system has no such document."
    assert told["i1"] == "record.fields"


def test_documents_come_back_with_what_could_not_be_read(page):
    read = [(name, each.unread, each.missing) for (name, _), each in documents_of(page).items()]
    assert read == [("i1", "", False), ("i2", "truncated JSON", False), ("i3", "", True)]


def test_the_script_knows_which_metrics_count_leaves_and_what_fields_are_called(page):
    head = data_of(page)
    assert [head["metrics"][each] for each in head["leaves"]] == ["record.fields", "record.field-mean"]
    assert sorted(each for each in head["fields"].values()) == ["lines[].item", "lines[].price", "no"]


def test_fields_stand_on_the_first_view_the_worst_first(page):
    assert kept(page, "fields") == [
        ["lines[].price", "3", "0", "1", "2", "1", "0.0", "0.0", "0.0"],
        ["lines[].item", "3", "1", "0", "2", "1", "50.0", "33.3", "40.0"],
        ["no", "3", "1", "0", "2", "0", "100.0", "33.3", "50.0"],
    ]
    metrics = {row[0] for row in kept(page, "scores")}
    assert metrics == {"record.exact", "record.match", "record.field-mean", "record.fields"}
    assert len(texts(tree_of(page).xpath("//*[@data-file='scores']//table")[0])[0]) == 4
