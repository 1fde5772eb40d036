"""What holds for the pages of all tasks: nothing but our own style and script, charts that can be read, known links."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest
from lxml import html

from adjudge.demo.pages import demo_page
from adjudge.report.html.page import environment, island, policy, shown

TASKS = ("extraction", "coref", "nugget", "eal", "kbp")


@pytest.fixture(scope="module", params=TASKS)
def page(request):
    return demo_page(request.param)


@pytest.fixture(scope="module")
def tree(page):
    return html.document_fromstring(page)


def digest(text):
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_lets_in_nothing_but_what_stands_in_the_page(page, tree):
    (found,) = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    rules = dict(rule.split(" ", 1) for rule in found.split("; "))
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert rules == {
        "default-src": "'none'",
        "style-src": digest(style),
        "script-src": digest(script),
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert "unsafe" not in found
    # It stands before everything that it is about.
    assert page.index("Content-Security-Policy") < page.index("<style>") < page.index("<script")
    assert page.index('<meta charset="utf-8">') < 200


def test_the_policy_is_about_these_texts():
    assert policy("a", "b") != policy("b", "a")
    assert digest("a") in policy("a", "b").split("style-src")[1].split(";")[0]


def test_nothing_is_there_that_the_policy_forbids(tree):
    names = {name for each in tree.iter() if isinstance(each.tag, str) for name in each.attrib}
    assert "style" not in names
    assert not [name for name in names if name.startswith("on")]
    assert len(tree.xpath("//style")) == 1
    assert len(tree.xpath("//script[not(@type)]")) == 1
    assert set(tree.xpath("//script/@type")) == {"application/json"}
    assert not tree.xpath("//@src | //link | //iframe | //object | //embed | //base | //form | //image | //use")


def test_every_chart_has_words_numbers_and_a_name_for_its_files(tree):
    figures = tree.xpath("//figure[.//*[local-name()='svg']]")
    names = [each.get("data-file") for each in figures]
    assert len(set(names)) == len(names)
    for each in figures:
        assert re.fullmatch(r"[\w-]+", each.get("data-file"))
        (chart,) = each.xpath(".//*[local-name()='svg']")
        assert chart.get("role") == "img"
        assert chart.get("aria-label").strip()
        assert chart.xpath("*[local-name()='desc']")[0].text_content().strip()
        assert each.xpath(".//table//tbody/tr"), each.get("data-file")
    # All other drawings repeat what stands beside them, or say it themselves.
    for chart in tree.xpath("//*[local-name()='svg'][not(ancestor::figure)]"):
        assert chart.get("aria-hidden") == "true" or chart.get("aria-label").strip()


def test_ids_are_unique_and_links_lead_somewhere(tree):
    ids = tree.xpath("//@id")
    assert len(set(ids)) == len(ids)
    assert set(tree.xpath("//@aria-labelledby")) <= set(ids)
    for link in tree.xpath("//@href"):
        assert link.startswith("#")
        assert "=" in link or link[1:] in ids


def test_what_a_browser_would_obey_is_written_as_an_escape():
    text = "a\x00\x1b[1m\x7f\x9b\u202eb\u2066\ud800 \t\n\U0001f600\u200f"
    assert shown(text) == "a\\x00\\x1b[1m\\x7f\\x9b\\u202eb\\u2066\\ud800 \t\n\U0001f600\u200f"
    assert shown(3) == 3
    made = environment().from_string("<p title='{{ t }}'>{{ t }}</p>").render(t=text + "<b>")
    assert made.count("\\u202eb") == 2
    assert "<b>" not in made
    made.encode()  # a page is UTF-8, whatever stands in it
    assert str(island(["\ud800", "\U0001f600"])) == '["\\ud800","\U0001f600"]'
