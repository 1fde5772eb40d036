"""A shared task in the browser: three teams, a track that is scored at once and one that people assess, two boards."""

import json
import shutil
import subprocess

import pytest
from browsing import WAIT
from playwright.sync_api import expect
from serving import Reader, folder_server, saved
from test_campaign import assess, group, key, link_rows, official  # noqa: F401  # a fixture

SCOPE = "MINI_NW_01"
TEAMS = {"granite": ".zip", "marble": ".tar.gz", "slate": ".zip"}
GOLD = [{"id": f"d{n}", "entities": [{"span": {"start": 0, "end": n}, "type": "PER"}]} for n in range(1, 9)]
expect.set_options(timeout=WAIT)


def lines(wrong):
    """Named entities with some mistakes."""
    made = [
        {**each, "entities": [{**entity, "type": "ORG"} for entity in each["entities"]]} if at < wrong else each
        for at, each in enumerate(GOLD)
    ]
    return "".join(json.dumps(each) + "\n" for each in made)


@pytest.fixture
def shared(request, tmp_path):
    """A folder with both tracks, the runs of the teams, and how to call adjudge."""
    program = request.config.getoption("--adjudge").absolute()

    def call(*words):
        done = subprocess.run([program, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    call("eal", "campaign", "init", "home", "--demo", "--quiet")
    settings = tmp_path / "home" / "campaign.toml"
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("documents = []", f'documents = ["{SCOPE}"]'), "utf-8")
    runs = tmp_path / "home" / "submissions"
    shutil.make_archive(str(runs / "slate"), "zip", runs / "slate")
    for team, ending in TEAMS.items():
        (tmp_path / f"args-{team}{ending}").write_bytes((runs / f"{team}{ending}").read_bytes())
    shutil.rmtree(runs)
    (tmp_path / "gold.jsonl").write_text(lines(0), "utf-8")
    for at, team in enumerate(TEAMS):
        (tmp_path / f"names-{team}.jsonl").write_text(lines(at * 2), "utf-8")
    (tmp_path / "broken.jsonl").write_text('{"id": "d1", "entities": 7}\n', "utf-8")
    call("serve", "init", "shared", "--campaign", "home", "--name", "demo")
    call("serve", "track", "shared", "names", "--task", "ner", "--gold", "gold.jsonl", "--with", "reader=jsonl")
    call("serve", "track", "shared", "args", "--task", "eal", "--campaign", "demo")
    return tmp_path, call


def test_from_the_invitation_to_the_published_board(chromium, request, shared, official):  # noqa: F811
    place, call = shared
    people = []
    with folder_server(request.config.getoption("--adjudge"), place / "shared") as base:

        def sign_in(name, *role):
            link = call("serve", "invite", "shared", name, "--url", base, *role).splitlines()[0]
            people.append(Reader(chromium, link, None))
            page = people[-1].tab()
            page.goto(link)
            page.locator("main form button").click()
            page.wait_for_url(lambda url: "/join/" not in url)
            return people[-1], page

        _, olga = sign_in("olga", "--role", "admin")
        teams = {}
        for team, ending in TEAMS.items():
            _, page = sign_in(f"of-{team}", "--role", "team", "--team", team, "--scope", "names")
            call("serve", "invite", "shared", f"of-{team}", "--role", "team", "--team", team, "--scope", "args")
            teams[team] = page
            for track, file in (("names", f"names-{team}.jsonl"), ("args", f"args-{team}{ending}")):
                hand_in(page, base, track, place / file)
        hand_in(teams["slate"], base, "names", place / "broken.jsonl")
        expect(teams["slate"].locator("main")).to_contain_text("invalid: 1 error")
        expect(teams["slate"].locator("main")).to_contain_text("broken.jsonl:1")

        # People assess, group and link what was submitted, by keys.
        ann, page = sign_in("ann", "--role", "assessor", "--scope", "demo")
        wait_for(olga, f"{base}/organise/demo", SCOPE)
        olga.get_by_role("button", name="give").click()
        expect(olga.get_by_role("status")).to_have_text("ann has 1 more documents")
        page.goto(f"{base}/c/demo/{SCOPE}/assess")
        ann.ready(page)
        view = ann.view(SCOPE)
        right = {key(fields): answers for fields, answers, _ in official[SCOPE]["cards"]}
        assess(page, view, {each["id"]: right[key(each["fields"])] for each in view["items"]})
        saved(page)
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: f"/{SCOPE}/assess" not in url)
        group(ann, page, SCOPE, official[SCOPE]["groups"])
        link_rows(ann, page, SCOPE, official[SCOPE]["frames"])
        board = olga.context.new_page()
        wait_for(board, f"{base}/boards/args/main/", "Provisional: 1 of 1 document is finished")
        olga.goto(f"{base}/organise/demo")
        olga.get_by_role("button", name="freeze the campaign").click()
        wait_for(board, f"{base}/boards/args/main/", "Official: all 1 document")

        # The organiser publishes and freezes both boards; before, nobody else sees them.
        for track in ("names", "args"):
            assert chromium.new_context().request.get(f"{base}/boards/{track}/main/").status == 404
            olga.goto(f"{base}/organise-track/{track}")
            olga.get_by_label("the board shows").select_option("public")
            olga.get_by_role("button", name="publish").click()
            expect(olga.get_by_role("status")).to_have_text("the board of main is public")
            olga.get_by_role("button", name="freeze", exact=True).click()
            expect(olga.get_by_role("status")).to_contain_text("frozen; the manifest is")
        nobody = chromium.new_context()
        page = nobody.new_page()
        page.goto(f"{base}/boards/")
        page.get_by_role("link", name="names · main").click()
        rows = page.locator("details[open] tbody th")
        assert [row.split()[0] for row in rows.all_inner_texts()] == list(TEAMS)
        page.get_by_text("ner.type f1", exact=True).click()
        expect(page.locator("details[open] summary")).to_have_text("ner.type f1")
        call("serve", "board", "shared", "-o", "site")
        files = [path for path in (place / "site").rglob("*") if path.is_file()]
        assert len(files) == 3 + 2 * 6
        for path in files:
            answer = nobody.request.get(f"{base}/boards/{path.relative_to(place / 'site').as_posix()}")
            assert answer.body() == path.read_bytes(), path
        page.goto((place / "site" / "index.html").as_uri())
        page.get_by_role("link", name="args · main").click()
        expect(page.locator("h1")).to_have_text("args · main")
        page.get_by_role("link", name="all runs").click()
        expect(page.locator("details[open] tbody tr")).to_have_count(3)
    assert [each.wrong for each in people] == [[] for _ in people]


def hand_in(page, base, track, file):
    page.goto(f"{base}/t/{track}")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="submit").click()
    page.wait_for_url(lambda url: f"/t/{track}/" in url)
    expect(page.locator("main")).to_contain_text("SHA-256")


def wait_for(page, url, text):
    for _ in range(60):
        page.goto(url)
        if text in page.locator("main").inner_text():
            return
        page.wait_for_timeout(1000)
    raise AssertionError(page.locator("main").inner_text())
