"""Those who decide and organise: disputes by keys, names only afterwards; documents, open again, freeze by forms."""

import json
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect
from serving import Reader, folder_server, press

SCOPE = "MINI_NW_01"
NAMES = ("ann", "ben")
NARROW = {"width": 400, "height": 900}
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def served(request, tmp_path, chromium):
    """Sign somebody in: who they are to a tab; at the end nothing may have gone wrong in any."""
    adjudge = request.config.getoption("--adjudge")
    script, folder = Path(__file__).with_name("disputed.py"), tmp_path / "desks"
    words = [adjudge.with_name("python"), script, folder, *getattr(request, "param", ())]
    made = subprocess.run(words, capture_output=True, check=True)
    invited, people = json.loads(made.stdout), []
    with folder_server(adjudge, folder) as base:

        def sign_in(name, path, **options):
            reader = Reader(chromium, f"{base}/join/{invited[name]}", None, **options)
            people.append(reader)
            page = reader.tab()
            page.goto(reader.link)
            page.locator("main form button").click()
            page.wait_for_url(lambda url: "/join/" not in url)
            page.goto(base + path)
            return reader, page

        yield sign_in
        assert [each.wrong for each in people] == [[] for _ in people]
        for each in people:
            each.context.close()


def ask(reader, path):
    answer = reader.context.request.get(f"{reader.base}/api/v1/campaigns/demo{path}")
    assert answer.ok, answer.text()
    return json.loads(answer.text())


def count(page, text):
    expect(page.locator("#count")).to_have_text(text)


def lit(page):
    """The columns in which the readers differ."""
    rows = page.locator(".said tbody tr").first.locator("td")
    heads = page.locator(".said thead th").all_inner_texts()[1:]
    return [head for head, cell in zip(heads, rows.all(), strict=True) if "differs" in cell.get_attribute("class")]


def test_disputes_are_decided_by_keys_and_names_come_afterwards(served):
    dora, page = served("dora", "/adjudicate/demo")
    count(page, "0 of 3")
    first, second, third = ask(dora, "/disputes")
    expect(page.locator("#claim")).to_have_text(first["claim"])
    assert page.locator(".said tbody th").all_inner_texts() == ["1 first", "2 second"]
    assert lit(page) == ["Event type"]
    assert page.locator("mark").count() > 0
    for name in NAMES:
        expect(page.locator("#work")).not_to_contain_text(name)
        assert name not in json.dumps([first, second, third])
    expect(page.locator("#saved")).to_be_empty()

    press(page, "2")
    expect(page.locator("#saved")).to_have_text("all saved (readers: ann, ben)")
    count(page, "1 of 3")
    expect(page.locator("#claim")).to_have_text(second["claim"])

    press(page, "f")
    page.keyboard.type("a habit")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator("#work")).to_contain_text("why: a habit")
    page.locator(".said tfoot").get_by_role("button", name="g generic").click()  # every key is a button
    expect(page.locator(".said tbody tr").last).to_contain_text("Generic")
    press(page, "n")
    expect(page.locator(".said tbody tr").last.locator("td").first).to_have_text("correct")  # as is implied
    press(page, "Enter")
    count(page, "2 of 3")
    expect(page.locator("#work")).not_to_contain_text("a habit")  # it was about the other one

    press(page, "1", "1", "1")  # a finger that trembles decides once
    expect(page.locator("#work")).to_contain_text("No disputes")
    count(page, "3 of 3")
    press(page, "1", "Enter", "j", "f")
    expect(page.get_by_role("dialog")).to_have_count(0)

    assert ask(dora, "/disputes") == []
    ann, other = served("ann", f"/c/demo/{SCOPE}/assess")
    ann.ready(other)
    view = ann.view(SCOPE)
    assert view["stage"] == "group"
    decided = {each["id"]: each["decided"] for each in view["items"]}
    assert decided[first["subject"]]["answers"] == {"aet": "W"}
    assert decided[second["subject"]]["answers"]["realis"] == "Generic"
    assert decided[second["subject"]]["why"] == "a habit"
    assert decided[third["subject"]]["answers"]["realis"] == "Actual"
    other.locator("#list button").nth([each["id"] for each in view["items"]].index(second["subject"])).click()
    expect(other.locator("#detail .decided")).to_contain_text("decided by an adjudicator: ")
    expect(other.locator("#detail .decided")).to_contain_text("Realis: Generic, CAS is a: NAME, because: a habit")


@pytest.mark.parametrize("served", [("group",)], indirect=True)
def test_groups_are_decided_pair_by_pair(served):
    dora, page = served("dora", "/adjudicate/demo")
    count(page, "0 of 1")
    (dispute,) = ask(dora, "/disputes")
    texts = [[dispute["blocks"][each]["text"] for each in own["pair"]] for own in dispute["pairs"]]
    asked = page.locator("#work .asked")
    for answer, (one, other) in zip("yn", texts, strict=True):
        expect(asked).to_contain_text(f"{one} and {other}: together for the")
        assert page.locator("mark.line").count() > 0
        assert page.locator("mark.tint").count() > 0
        press(page, answer)
    expect(asked).to_have_count(0)
    press(page, "z")
    expect(asked).to_contain_text(texts[1][1])
    press(page, "Enter")  # not before all is said
    count(page, "0 of 1")
    press(page, "f")
    page.keyboard.type("two towns")
    page.keyboard.press("Enter")
    press(page, "n", "Enter")
    expect(page.locator("#saved")).to_have_text("all saved (readers: ann, ben)")
    expect(page.locator("#work")).to_contain_text("No disputes")
    ann, page = served("ann", f"/c/demo/{SCOPE}/group")
    expect(page.locator(".decided")).to_contain_text("two towns")
    rows = [{each["id"] for each in row["members"]} for row in ann.view(SCOPE)["groups"]["rows"]]
    press(page, "h")
    expect(page.get_by_role("dialog")).to_contain_text("Equal strings start in one row")
    expect(page.get_by_role("dialog")).not_to_contain_text("{")  # no question of another stage
    same, apart = (set(each["pair"]) for each in dispute["pairs"])
    assert any(same <= row for row in rows)
    assert ann.view(SCOPE)["stage"] == "link"
    assert not any(apart <= row for row in rows)
    assert ask(dora, "/disputes") == []


def test_what_is_not_complete_is_said_and_nothing_is_lost(served):
    _, page = served("dora", "/adjudicate/demo")
    count(page, "0 of 3")
    press(page, "g", "Enter")
    expect(page.get_by_role("dialog")).to_contain_text("not answered")
    page.keyboard.press("Escape")
    expect(page.locator(".said tbody tr").last).to_contain_text("Generic")
    press(page, "z")
    expect(page.locator(".said tbody tr")).to_have_count(2)
    press(page, "j")
    expect(page.locator("#claim")).not_to_be_empty()
    count(page, "0 of 3")
    press(page, "k", "?")
    expect(page.get_by_role("dialog")).to_contain_text("take the second")


@pytest.mark.parametrize("served", [("link",)], indirect=True)
def test_what_was_decided_about_events_is_said_with_the_reason(served):
    dora, page = served("dora", "/adjudicate/demo")
    count(page, "0 of 1")
    press(page, "f")
    page.keyboard.type("one blast")
    page.keyboard.press("Enter")
    press(page, "2")
    expect(page.locator("#work")).to_contain_text("No disputes")
    assert ask(dora, "/disputes") == []
    ann, page = served("ann", f"/c/demo/{SCOPE}/link")
    expect(page.locator(".decided")).to_contain_text("one blast")
    assert ann.view(SCOPE)["frames"]["decided"]["how"] == "adjudicated"
    ignored = {row["ignored"] for table in ann.view(SCOPE)["frames"]["tables"] for row in table["rows"]} - {None}
    assert len(ignored) > 1
    for table in page.locator(".types button").all():
        table.click()
        for each in page.locator("tr.ignored .about").all_inner_texts():
            assert each in ignored  # said once, not twice


def test_flags_and_comments_are_read_by_the_organiser(served):
    ann, page = served("ann", "/c/demo/MINI_NW_01/assess")
    ann.ready(page)
    press(page, "f")
    page.keyboard.type("<b>which bomb?</b>")
    page.get_by_role("button", name="only a comment").click()
    press(page, "f")
    expect(page.get_by_role("dialog")).to_contain_text("ann: <b>which bomb?</b>")
    page.keyboard.type("a doubt")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('saved').textContent === 'all saved'")
    otto, page = served("otto", "/organise/demo")
    page.get_by_role("link", name="1 flag").click()
    row = page.get_by_role("region", name="Flags and comments").get_by_role("row").last
    expect(row).to_contain_text("Conflict.Attack")
    expect(row).to_contain_text("a doubt")
    expect(row).to_contain_text("<b>which bomb?</b>")
    looks = [each for each in ask(otto, "/events")["events"] if each["kind"] == "look"]
    assert [(each["actor"], each["subject"]) for each in looks] == [("otto", "flags")]


def test_the_organiser_gives_doubles_reopens_and_freezes(served):
    otto, page = served("otto", "/organise/demo")
    status = page.get_by_role("status")
    expect(page.locator("main")).to_contain_text("3 disputes")
    expect(page.get_by_role("row", name="ann 1 of 1")).to_be_visible()
    expect(page.get_by_role("cell", name="ann, ben").first).to_be_visible()  # of the agreement

    page.locator("select[name=reader]").select_option("cara")
    page.get_by_role("button", name="give").click()
    expect(status).to_have_text("cara has 11 more documents")
    page.locator("select[name=reader]").select_option("ann")
    page.get_by_label("or a share to be read twice, in percent").fill("50")
    page.get_by_role("button", name="give").click()
    expect(status).to_have_text("ann has 6 more documents")
    page.get_by_label("documents, or none").fill("nowhere")
    page.get_by_role("button", name="give").click()
    expect(status).to_contain_text("not done: there is no document 'nowhere'")

    page.get_by_label(f"why {SCOPE} is opened again").fill("a new guideline")
    page.get_by_role("row", name=SCOPE).get_by_role("button", name="open again").click()
    expect(status).to_have_text(f"{SCOPE} is open again")
    expect(page.get_by_role("row", name=SCOPE)).to_contain_text("ann (open), ben (open)")
    expect(page.locator("main")).to_contain_text("0 disputes")

    page.get_by_role("button", name="freeze the campaign").click()
    expect(status).to_have_text("frozen")
    page.get_by_role("row", name=SCOPE).get_by_role("button", name="open again").click()
    expect(status).to_contain_text("not done: ")
    page.get_by_role("button", name="thaw the campaign").click()
    expect(status).to_have_text("thawed")
    assert ask(otto, "/progress")["state"] != "frozen"


@pytest.mark.parametrize(("name", "path"), [("dora", "/adjudicate/demo"), ("otto", "/organise/demo")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_and_for_everybody(served, request, name, path, scheme):
    axe = request.config.getoption("--axe")
    _, page = served(name, path, viewport=NARROW, color_scheme=scheme, bypass_csp=bool(axe))
    page.wait_for_selector("main table")
    assert page.evaluate(SIDEWAYS) == 0
    if axe is not None and axe.exists():
        page.evaluate(axe.read_text(encoding="utf-8"))
        found = page.evaluate("async () => (await axe.run()).violations")
        serious = [each["id"] for each in found if each["impact"] in ("serious", "critical")]
        assert not serious
