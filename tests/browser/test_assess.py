"""The page to assess, in a real browser: by keys alone, without a connection, in two tabs, large and small."""

import json
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect
from serving import Reader, claim, demo_server, press, said, saved

FITS = "() => document.documentElement.scrollWidth <= innerWidth"
CASES = Path(__file__).parents[1] / "serve" / "interpreter.json"
SCHEMAS = """
import msgspec, sys
from adjudge.serve.schema import known_schemas, named_schema
from adjudge.serve.views import schema_view
sys.stdout.buffer.write(msgspec.json.encode({name: schema_view(named_schema(name)) for name in known_schemas()}))
"""
# Runs every case with the interpreter of the page: the steps that came out otherwise.
INTERPRET = """async ([path, cases, schemas]) => {
  const { Reading } = await import(path);
  const wrong = [], sorted = (value) => JSON.stringify(Object.entries(value).sort());
  let steps = 0;
  for (const { about, schema, cards, steps: all } of cases) {
    const reading = new Reading(schemas[schema], cards);
    for (const step of all) {
      steps += 1;
      let good;
      if ("likewise" in step) good = JSON.stringify(reading.likewise(step.likewise)) === JSON.stringify(step.are);
      else if ("classes" in step) {
        const question = reading.schema.questions.find((each) => each.id === step.classes[1]);
        good = JSON.stringify(reading.classes(step.classes[0], question)) === JSON.stringify(step.are);
      } else {
        let state = null;
        if ("state" in step) state = reading.state(step.state);
        else {
          const answers = reading.pressed(...step.press);
          state = answers && reading.answer(step.press[0], answers);
        }
        good = step.none ? state === null : state !== null && JSON.stringify(state.open) === JSON.stringify(step.open)
          && sorted(state.values) === sorted(step.values) && state.complete === step.complete;
      }
      if (!good) wrong.push([about, step]);
    }
  }
  return [steps, wrong];
}"""
# Where a word stands that is a text node of its own.
WORD = """(word) => {
  const walker = document.createTreeWalker(document.getElementById("text"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && walker.currentNode.data !== word);
  const range = document.createRange();
  range.selectNode(walker.currentNode);
  return range.getBoundingClientRect().toJSON();
}"""
# Keys as other keyboards send them, at once.
DISPATCH = """(events) => {
  for (const each of events) document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, ...each }));
}"""


@pytest.fixture(scope="session")
def link(request):
    with demo_server(request.config.getoption("--adjudge")) as found:
        yield found


@pytest.fixture(scope="session")
def state(chromium, link):
    """The cookies of somebody who has opened the link."""
    first = Reader(chromium, link, None)
    page = first.page()
    assert page.url.endswith("/c/demo/MINI_DF_01/assess")
    found = first.context.storage_state()
    first.context.close()
    return found


@pytest.fixture
def reader(chromium, link, state):
    made = Reader(chromium, link, state)
    yield made
    made.context.close()
    assert not made.wrong


def test_the_interpreter_agrees_with_the_one_in_python(reader, request):
    python = request.config.getoption("--adjudge").with_name("python")
    schemas = json.loads(subprocess.run([python, "-c", SCHEMAS], capture_output=True, check=True).stdout)
    page = reader.page("MINI_DF_01")
    source = page.locator("script[src]").get_attribute("src").replace("assess.js", "answers.js")
    steps, wrong = page.evaluate(INTERPRET, [source, json.loads(CASES.read_text(encoding="utf-8")), schemas])
    assert wrong == []
    assert steps > 20


def test_a_document_by_keys_alone(reader):
    """Every response answered, finished by Enter; what the server has is what was pressed."""
    page = reader.page("MINI_NW_02")
    count = len(reader.view("MINI_NW_02")["items"])
    pressed = 0
    while page.locator("#count").inner_text() != f"{count} of {count}":
        keys = ("a",) if "as before" in said(page, "CAS is a") else ("n", "a")
        before = page.locator("#count").inner_text()
        press(page, *keys)
        pressed += len(keys)
        expect(page.locator("#count")).not_to_have_text(before)
    assert pressed < 2 * count
    saved(page)
    answers = reader.answers("MINI_NW_02").values()
    right = {"aet": "C", "aer": "C", "cas": "C", "bf": "C", "realis": "Actual", "mention_type": "NAME"}
    assert list(answers) == [right] * count
    press(page, "Enter")
    page.wait_for_url(lambda url: "MINI_NW_02/assess" not in url)
    assert reader.view("MINI_NW_02")["stage"] == "group"


def test_what_the_keys_do(reader):
    scope = "MINI_NW_03"
    page = reader.page(scope)
    first = claim(page)
    press(page, "q")
    expect(page.locator("#count")).to_contain_text("1 of")
    assert claim(page) != first
    press(page, "z")
    expect(page.locator("#count")).to_contain_text("0 of")
    assert claim(page) == first
    press(page, "Shift+E")
    assert said(page, "CAS") == "inexact"
    press(page, "Shift+E")  # said again, it is taken back
    assert said(page, "CAS") == "correct"
    press(page, "w")
    expect(page.locator("#count")).to_contain_text("1 of")
    press(page, "k")
    assert claim(page) == first
    assert (said(page, "Role"), said(page, "CAS")) == ("wrong", "–")
    assert page.locator("section[aria-label='CAS'] button").first.is_disabled()
    press(page, "j", "j")
    third = claim(page)
    press(page, "s")
    assert claim(page) != third
    press(page, "f")
    page.keyboard.type("a doubt")
    page.keyboard.press("Enter")
    expect(page.locator("#detail .flag")).to_contain_text("a doubt")
    press(page, "/")
    page.keyboard.type(first.split(" is ")[0])
    page.keyboard.press("Enter")
    assert claim(page).startswith(first.split(" is ")[0])
    press(page, "h")
    expect(page.get_by_role("dialog")).to_contain_text("justification")
    page.keyboard.press("Escape")
    saved(page)
    assert {each["flag"] for each in reader.view(scope)["items"]} == {None, "a doubt"}
    said_of_first = next(iter(reader.view(scope)["items"]))["answers"]
    assert said_of_first == {"aet": "C", "aer": "W"}


def test_an_answer_can_wait_for_enter(reader):
    page = reader.page("MINI_NW_03")
    first = claim(page)
    page.evaluate("document.body.dataset.confirm = '1'")
    press(page, "q")
    assert (claim(page), said(page, "Event type")) == (first, "wrong")
    press(page, "Shift+Q")
    assert (claim(page), said(page, "Event type")) == (first, "inexact")
    press(page, "q", "Enter")
    assert claim(page) != first


def test_the_same_for_all_alike(reader):
    scope = "MINI_NW_04"
    page = reader.page(scope)
    for _ in range(len(reader.view(scope)["items"])):  # until one has others like it
        press(page, "q")
        if page.locator("#keys button[data-key='.']").count():
            break
    more = int(page.locator("#keys button[data-key='.']").inner_text().split()[-2])
    done = int(page.locator("#count").inner_text().split()[0])
    press(page, ".")
    expect(page.locator("#count")).to_contain_text(f"{done + more} of")
    saved(page)
    answered = [each for each in reader.view(scope)["items"] if each["answers"]]
    assert len(answered) == done + more
    press(page, "z")
    expect(page.locator("#count")).to_contain_text(f"{done} of")
    saved(page)
    assert len([each for each in reader.view(scope)["items"] if each["answers"]]) == done


def test_every_key_is_a_button(reader):
    page = reader.page("MINI_NW_05")
    first = claim(page)
    page.wait_for_timeout(140)
    page.get_by_role("button", name="name", exact=False).first.click()
    page.get_by_role("button", name="actual").click()
    expect(page.locator("#count")).to_contain_text("1 of")
    page.locator("#keys").get_by_role("button", name="previous").click()
    assert claim(page) == first
    assert page.locator("section[aria-label='Realis'] button[aria-pressed='true']").inner_text().endswith("actual")
    page.locator("#list button").nth(3).focus()
    page.keyboard.press("Enter")  # of the button, not of the page
    expect(page.locator("#list button").nth(3)).to_have_attribute("aria-current", "true")
    assert page.locator("#live").inner_text().startswith(claim(page).replace("\n", " "))
    saved(page)


def test_slips_and_other_keyboards(reader):
    page = reader.page("MINI_NW_06")
    press(page)
    first = claim(page)
    page.evaluate(
        DISPATCH, [{"key": "q", "code": "KeyQ", "repeat": True}, {"key": "q", "code": "KeyQ", "ctrlKey": True}]
    )
    assert claim(page) == first
    page.evaluate(DISPATCH, [{"key": "q", "code": "KeyQ"}] * 3)  # the others come before anybody can have read it
    expect(page.locator("#count")).to_contain_text("1 of")
    press(page)
    page.evaluate(DISPATCH, [{"key": "й", "code": "KeyQ"}])
    expect(page.locator("#count")).to_contain_text("2 of")
    press(page)
    page.evaluate(DISPATCH, [{"key": "Q", "code": "KeyQ"}])  # Caps Lock, not Shift
    expect(page.locator("#count")).to_contain_text("3 of")
    press(page)
    page.evaluate(DISPATCH, [{"key": "Й", "code": "KeyQ", "shiftKey": True}])
    assert said(page, "Event type") == "inexact"
    saved(page)


def test_keys_can_be_others(reader):
    page = reader.page("MINI_NW_06")
    press(page, "?")
    page.get_by_role("button", name="change the key for Event type: wrong").click()
    page.keyboard.press("p")
    page.keyboard.press("Escape")
    expect(page.locator("section[aria-label='Event type'] kbd").first).to_have_text("p")
    done = int(page.locator("#count").inner_text().split()[0])
    press(page, "q")
    press(page, "p")
    expect(page.locator("#count")).to_contain_text(f"{done + 1} of")
    page.reload()
    reader.ready(page)
    expect(page.locator("section[aria-label='Event type'] kbd").first).to_have_text("p")
    page.keyboard.press("?")
    page.keyboard.press("r")
    expect(page.locator("section[aria-label='Event type'] kbd").first).to_have_text("q")


def test_offline_and_back(reader):
    scope = "MINI_DF_02"
    page = reader.page(scope)
    reader.set_offline(True)
    for _ in range(3):
        press(page, "q")
    expect(page.locator("#saved")).to_contain_text("3 waiting")
    press(page, "z")
    expect(page.locator("#count")).to_contain_text("2 of")
    press(page, "x")
    expect(page.locator("#saved")).to_contain_text("waiting")
    reader.set_offline(False)
    saved(page)
    given = [each for each in reader.answers(scope).values() if each]
    assert given == [{"aet": "W"}, {"aet": "W"}, {"aet": "NIL"}]


def test_a_page_that_is_left_offline_loses_nothing(reader):
    scope = "MINI_DF_03"
    page = reader.page(scope)
    reader.offline = True
    page.route("**/judgments", lambda route: route.abort())
    press(page, "q")
    press(page, "q")
    expect(page.locator("#saved")).to_contain_text("2 waiting")
    page.goto("about:blank")
    page.unroute("**/judgments")
    assert not any(reader.answers(scope).values())
    page.close()
    page = reader.page(scope)
    saved(page)
    expect(page.locator("#count")).to_contain_text("2 of")
    assert [each for each in reader.answers(scope).values() if each] == [{"aet": "W"}] * 2


def test_an_answer_whose_acknowledgement_is_lost_is_written_once(reader):
    scope = "MINI_DF_04"
    page = reader.page(scope)
    lost = []

    def lose(route):
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch())  # the server has it, and the page does not know
            route.abort()

    page.route("**/judgments", lose)
    reader.offline = True
    press(page, "q")
    expect(page.locator("#count")).to_contain_text("1 of")
    press(page, "k", "w")  # changed before the outcome of the first answer is known
    page.keyboard.press("q")
    saved(page)
    item = next(iter(reader.view(scope)["items"]))
    assert item["answers"] in ({"aet": "W"}, {}, {"aet": "C", "aer": "W"})
    assert not page.get_by_role("dialog").count()
    assert len(lost) == 1


@pytest.mark.parametrize(("key", "kept"), [("1", {"aet": "C", "aer": "W"}), ("2", {"aet": "W"})])
def test_a_conflict_of_two_tabs(reader, key, kept):
    scope = {"1": "MINI_DF_05", "2": "MINI_NW_07"}[key]
    first, second = reader.page(scope), reader.page(scope)
    second.route("**/judgments", lambda route: route.abort())
    reader.offline = True
    press(second, "w")
    expect(second.locator("#saved")).to_contain_text("1 waiting")
    press(first, "q")
    saved(first)
    second.unroute("**/judgments")
    expect(second.get_by_role("dialog")).to_contain_text("Two answers")
    expect(second.locator("#saved")).to_contain_text("conflict")
    second.keyboard.press(key)
    saved(second)
    item = next(iter(reader.view(scope)["items"]))
    assert item["answers"] == kept


def test_another_tab_sees_it_at_once(reader):
    scope = "MINI_NW_01"
    first, second = reader.page(scope), reader.page(scope)
    second.wait_for_timeout(500)
    press(first, "q")
    saved(first)
    expect(second.locator("#count")).to_contain_text("1 of")
    second.reload()
    reader.ready(second)
    expect(second.locator("#count")).to_contain_text("1 of")


def test_who_is_signed_out_keeps_what_waits(reader, chromium, link, state):
    page = reader.page("MINI_NW_01")
    kept = reader.context.cookies()
    reader.context.clear_cookies()
    press(page, "q")
    expect(page.locator("#saved")).to_contain_text("nobody is signed in")
    reader.context.add_cookies(kept)
    saved(page)


@pytest.mark.parametrize("size", [(400, 800), (640, 480), (1400, 1000)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_narrow_windows(chromium, link, state, size, scheme):
    """640 pixels are what is left of 1280 at 200 %."""
    made = Reader(chromium, link, state, viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page = made.page("MINI_NW_01")
    assert page.evaluate(FITS)
    for part in ("#list", "#claim", "#questions", "#text", "#keys", "#saved"):
        page.locator(part).scroll_into_view_if_needed()
        assert page.locator(part).is_visible()
    press(page, "?")
    assert page.evaluate(FITS)
    box = page.get_by_role("dialog").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size[0]
    made.context.close()
    assert not made.wrong


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_it(request, chromium, link, state, scheme):
    source = request.config.getoption("--axe")
    if source is None or not source.exists():
        pytest.skip("axe-core is not installed: npm install --prefix build/axe axe-core")
    made = Reader(chromium, link, state, color_scheme=scheme, bypass_csp=True)
    page = made.page("MINI_NW_01")
    page.evaluate(source.read_text(encoding="utf-8"))
    for key in ("", "h", "?", "f"):
        if key:
            press(page, key)
            page.wait_for_selector("dialog")
        found = page.evaluate("async () => (await axe.run()).violations")
        serious = [
            (each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")
        ]
        assert serious == [], key
        page.keyboard.press("Escape")
    made.context.close()


def test_training_says_what_is_right(reader):
    page = reader.context.new_page()

    def train(route):
        answer = route.fetch()
        view = answer.json()
        view["items"][0]["training"] = True
        route.fulfill(response=answer, json=view)

    def explain(route):
        answer = route.fetch()
        results = answer.json()
        results[0]["saved"]["feedback"] = {"answers": {"aet": "C", "aer": "W"}, "why": "<b>nobody</b> fills it"}
        route.fulfill(response=answer, json=results)

    page.route("**/scopes/MINI_NW_07", train)
    page.route("**/judgments", explain)
    page.goto(f"{reader.base}/c/demo/MINI_NW_07")
    reader.ready(page)
    page.locator("#list button").first.click()
    first = claim(page)
    press(page, "x")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("<b>nobody</b> fills it")  # as text
    expect(dialog).to_contain_text("Answer: Event type: correct, Role: wrong")
    assert claim(page) == first
    page.keyboard.press("Enter")
    expect(page.locator("#claim")).not_to_have_text(first)


def test_questions_that_are_typed_or_selected(reader):
    """No bundled schema has such questions: the page gets one that has."""
    sent = []
    page = reader.context.new_page()

    def ask(route):
        answer = route.fetch()
        view = answer.json()
        more = {"ask": "", "keys": {}, "implied": None, "nil": [], "finishes": False, "carry": [], "same": []}
        names = {"span": "Where", "text": "What", "number": "How many"}
        view["schema"]["questions"] = [
            {**more, "id": kind, "label": label, "kind": kind} for kind, label in names.items()
        ]
        view["text"] = "\U0001f600 A <b>small</b> text.\nAnd more.\n"
        view["hide"], view["quote"] = [[4, 7], [12, 16]], []
        for each in view["items"]:
            each |= {"marks": {"tint": [[0, 4]]}, "answers": {}, "complete": False}
        route.fulfill(response=answer, json=view)

    def save(route):
        sent.extend(route.request.post_data_json)
        route.fulfill(
            json=[{"item": each["item"], "status": 200, "saved": {"version": 1, "n": 1}} for each in sent[-1:]]
        )

    page.route("**/scopes/MINI_NW_06", ask)
    page.route("**/judgments", save)
    page.goto(f"{reader.base}/c/demo/MINI_NW_06")
    reader.ready(page)
    first = claim(page)
    assert page.locator("#text").inner_text().split() == ["\U0001f600", "A", "small", "text.", "And", "more."]
    place = page.evaluate(WORD, "small")
    page.mouse.dblclick(place["x"] + 5, place["y"] + 5)
    page.get_by_role("button", name="take what is selected").click()
    saved(page)
    assert sent[-1]["answers"]["span"].startswith("7-12")
    page.get_by_label("What").last.fill("j k z")  # no keys of the page
    page.keyboard.press("Enter")
    page.locator("input[type=number]").fill("3")
    page.keyboard.press("Enter")
    expect(page.locator("#claim")).not_to_have_text(first)
    saved(page)
    assert sent[-1]["answers"] == {"span": "7-12", "text": "j k z", "number": "3"}
