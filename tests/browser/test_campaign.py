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
KEYS = 2.3
"""Keys for a response, at most: to assess it, and with groups and events."""
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
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
    assert sum(count for own in found.values() for _, _, count in own["cards"]) == RESPONSES
    return found


def key(fields):
    return json.dumps(fields, sort_keys=True)


def test_the_campaign_is_assessed_grouped_and_linked_by_keys(chromium, request, official):
    with demo_server(request.config.getoption("--adjudge")) as link:
        reader = Reader(chromium, link, None)
        page = reader.page()
        pressed = grouped = linked = 0
        for scope, known in official.items():
            right = {key(fields): answers for fields, answers, _ in known["cards"]}
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
            grouped += group(reader, page, scope, known["groups"])
            assert reader.view(scope)["stage"] == "link"
            linked += link_rows(reader, page, scope, known["frames"])
        assert not reader.wrong
        reader.context.close()
    counts = {"assess": pressed, "same fillers": grouped, "events": linked}
    print(", ".join(f"{name} {number / RESPONSES:.2f}" for name, number in counts.items()), "keys for a response")
    assert pressed / RESPONSES <= ASSESS_KEYS
    assert (pressed + grouped + linked) / RESPONSES <= KEYS


def press(page, *keys):
    """Press keys after what is shown has been there for a while; how many."""
    page.wait_for_timeout(GUARD)
    for each in keys:
        page.keyboard.press(f"Shift+{each}" if len(each) == 1 and each.isupper() else each)
    return len(keys)


def current(page):
    """The row that is lit."""
    return page.evaluate("document.querySelector('[aria-current=true][data-row]')?.dataset.row")


def group(reader, page, scope, wanted):
    """Say which fillers are the same; the number of keys."""
    page.goto(f"{reader.base}/c/demo/{scope}/group")
    page.wait_for_selector("#work .rows")
    pressed = 0

    def rows():
        saved(page)
        return {each["id"]: each for each in reader.view(scope)["groups"]["rows"]}

    def groups_of(row):
        return [wanted[member["id"]] for member in row["members"]]

    while doubtful := [each for each in rows().values() if each["perhaps"] and not each["seen"]]:
        found = rows()
        row = found[current(page)]
        assert row in doubtful
        same = set(groups_of(row)) & set(groups_of(found[row["perhaps"]["row"]]))
        pressed += press(page, "y" if same else "n")
    while True:
        found = rows()
        order = page.evaluate("[...document.querySelectorAll('[data-row]')].map((each) => each.dataset.row)")
        mixed = next((row for row in found.values() if len(set(groups_of(row))) > 1), None)
        if mixed is not None:
            pressed += go(page, order, mixed["id"])
            own = groups_of(mixed)
            place = next(at for at, each in enumerate(own) if each != own[0])
            pressed += press(page, "x", str(place + 1))
            page.wait_for_timeout(GUARD)
            continue
        first = {}
        for row in found.values():
            other = first.setdefault(groups_of(row)[0], row)
            if other is not row:
                pressed += go(page, order, row["id"]) + press(page, "m", LETTERS[order.index(other["id"])])
                break
        else:
            break
    partition = {}
    for row in rows().values():
        partition.setdefault(groups_of(row)[0], set()).update(member["id"] for member in row["members"])
    assert sum(map(len, partition.values())) == sum(len(row["members"]) for row in rows().values())
    pressed += press(page, "Enter")
    page.wait_for_url(lambda url: f"/{scope}/group" not in url)
    return pressed


def go(page, order, row):
    return 0 if current(page) == row else press(page, "g", LETTERS[order.index(row)])


def link_rows(reader, page, scope, tables):
    """Say which responses are of one event; the number of keys."""
    wanted = {
        row_key(table["table"], row): [(table["table"], each) for each in row["events"]]
        for table in tables
        for row in table["rows"]
    }
    page.goto(f"{reader.base}/c/demo/{scope}/link")
    page.wait_for_selector("#work .asked", state="attached")
    view = reader.view(scope)["frames"]["tables"]
    rows = {row["id"]: (table["table"], row) for table in view for row in table["rows"]}
    todo = {row["id"] for table in view for row in table["rows"] if not row["ignored"]}
    numbers = {}
    pressed = 0
    while todo:
        id_ = current(page)
        name, row = rows[id_]
        events = wanted[row_key(name, row)]
        known = numbers.setdefault(name, [])
        if id_ not in todo or not events:
            todo.discard(id_)
            pressed += press(page, "j")
            continue
        if len(events) == 1:
            pressed += press(page, *number(known, events[0]))
        else:
            for event in events:
                pressed += press(page, ",", *number(known, event))
            pressed += press(page, "j")
        todo.discard(id_)
        alike = [x for x in todo if rows[x][0] == name and rows[x][1]["sentence"] == row["sentence"]]
        if len(events) == 1 and alike and all(wanted[row_key(*rows[x])] == events for x in alike):
            pressed += press(page, ".")
            todo -= set(alike)
    saved(page)
    made = {}
    for table in reader.view(scope)["frames"]["tables"]:
        for row in table["rows"]:
            for event in row["events"]:
                made.setdefault((table["table"], event), set()).add(row_key(table["table"], row))
    right = {}
    for row, events in wanted.items():
        for event in events:
            right.setdefault(event, set()).add(row)
    ignored = {row_key(name, row) for name, row in rows.values() if row["ignored"]}
    assert clean(made, ignored) == clean(right, ignored)
    pressed += press(page, "Enter")
    page.wait_for_url(lambda url: f"/{scope}/link" not in url)
    return pressed


def clean(events, ignored):
    return sorted(sorted(rows - ignored) for rows in events.values() if rows - ignored)


def row_key(table, row):
    return json.dumps([table, row["cells"], row["marks"]], sort_keys=True)


def number(known, event):
    """The key of an event, or that of a new one."""
    if event in known:
        return [str(known.index(event) + 1)]
    known.append(event)
    return ["n"]


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
        if left:  # after a training item the next one comes when the browser has closed the box
            expect(page.locator("#card")).not_to_have_attribute("data-item", item)
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
