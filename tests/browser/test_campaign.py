"""The whole bundled campaign by keys alone: somebody who knows the stored answers gives them, and the server has them.

No mouse; only the change to the next document is scripted.
"""

import json
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect
from serving import GUARD, Reader, demo_server, saved

RESPONSES = 348
ASSESS_KEYS = 1.8
"""Keys for a response, at most."""
SHOWN = """() => ({
  item: document.getElementById("card").dataset.item,
  values: [...document.querySelectorAll("#questions .value")].map((each) => each.innerText.replace(" (as before)", "")),
})"""


@pytest.fixture(scope="module")
def official(request):
    """What is right, by document and by what is seen of a response."""
    python = request.config.getoption("--adjudge").with_name("python")
    script = Path(__file__).with_name("official.py")
    found = json.loads(subprocess.run([python, script], capture_output=True, check=True).stdout)
    assert sum(count for cards in found.values() for _, _, count in cards) == RESPONSES
    return {scope: {key(fields): answers for fields, answers, _ in cards} for scope, cards in found.items()}


def key(fields):
    return json.dumps(fields, sort_keys=True)


def test_the_campaign_is_assessed_by_keys(chromium, request, official):
    with demo_server(request.config.getoption("--adjudge")) as link:
        reader = Reader(chromium, link, None)
        page = reader.page()
        pressed = 0
        for scope, right in official.items():
            page.goto(f"{reader.base}/c/demo/{scope}/assess")
            reader.ready(page)
            view = reader.view(scope)
            wanted = {each["id"]: right[key(each["fields"])] for each in view["items"]}
            pressed += assess(page, view, wanted)
            saved(page)
            assert reader.answers(scope) == wanted
            page.keyboard.press("Enter")  # finished
            pressed += 1
            page.wait_for_url(lambda url, path=f"/{scope}/assess": path not in url)
            assert reader.view(scope)["stage"] == "group"
        assert not reader.wrong
        reader.context.close()
    print(f"{pressed} keys for {RESPONSES} responses: {pressed / RESPONSES:.2f}")
    assert pressed / RESPONSES <= ASSESS_KEYS


def assess(page, view, wanted):
    """Answer all responses of a document; the number of keys."""
    left = {each["id"]: each["fields"] for each in view["items"]}
    training = {each["id"] for each in view["items"] if each.get("training")}
    pressed = 0
    while left:
        shown = page.evaluate(SHOWN)
        page.wait_for_timeout(GUARD)
        item = shown["item"]
        keys = list(keys_for(view["schema"], wanted[item], shown["values"]))
        fields = left.pop(item)
        alike = [other for other, its in left.items() if same(view["schema"], wanted[item], fields, its)]
        for each in keys:
            page.keyboard.press(f"Shift+{each}" if each.isupper() else each)
        if item in training:
            expect(page.get_by_role("dialog")).to_contain_text("Training: right")
            page.keyboard.press("Enter")
            keys.append("Enter")
        if alike and all(wanted[other] == wanted[item] for other in alike):
            page.wait_for_timeout(GUARD)
            page.keyboard.press(".")
            keys.append(".")
            for other in alike:
                del left[other]
        pressed += len(keys)
        expect(page.locator("#count")).to_have_text(f"{len(wanted) - len(left)} of {len(wanted)}")
    return pressed


def keys_for(schema, answers, values):
    """The keys of what is not shown as it should be, the one that finishes last."""
    words = schema["words"]
    rows = sorted(zip(schema["questions"], values, strict=True), key=lambda row: row[0]["finishes"])
    for question, shown in rows:
        value = answers.get(question["id"])
        if value is not None and words.get(value, value) != shown:
            yield next(name for name, said in question["keys"].items() if said == value)


def same(schema, answers, fields, others):
    """Whether the same could be said of another response by one key."""
    given = [each for each in schema["questions"] if each["id"] in answers]
    return all(each["same"] for each in given) and all(
        fields.get(name) == others.get(name) for each in given for name in each["same"]
    )
