"""The pages of the demos in a real browser: they open, filter, search and link, and ask nobody for anything."""

import json

from browsing import opened


def shown(page):
    """The documents of the list, each with its number."""
    return page.locator("#list button").all_inner_texts()


def heading(page):
    return page.locator("#document h3, #document h2").first.inner_text()


def open_document(page, number=1):
    """Open a document of the list; the first place may be an overview."""
    page.locator("#list button").nth(number).click()
    return heading(page)


def test_it_opens_with_the_numbers_of_the_terminal(task, look, pages):
    page = look(task)
    text = " ".join(" ".join(page.locator("table").all_text_contents()).split())
    result = json.loads((pages / f"{task}.json").read_text(encoding="utf-8"))
    missing = []
    for system in result["systems"]:
        assert system["name"] in text
        for score in system["scores"]:
            if score["part"] in ("f1", "score") and not score.get("slice") and score["value"] is not None:
                low, high = (f"{100 * bound:.1f}" for bound in (score["low"], score["high"]))
                cell = f"{100 * score['value']:.1f} [{low}, {high}]"
                missing += [] if cell in text else [f"{system['name']} {score['metric']} {cell}"]
    assert not missing


def test_light_dark_and_printed(task, look):
    seen = set()
    for scheme in ("light", "dark"):
        page = look(task, color_scheme=scheme)
        seen.add(page.evaluate("getComputedStyle(document.body).color"))
    assert len(seen) == 2
    page.emulate_media(media="print")
    assert not page.locator("#tools").is_visible()
    assert page.locator("table.scores").first.is_visible()


def test_the_page_of_any_result_fits_a_narrow_window(look):
    for task in ("extraction", "coref"):
        page = look(task, viewport={"width": 420, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 420


def test_it_can_be_read_without_scripts(task, look):
    page = look(task, java_script_enabled=False)
    assert page.locator("table.scores").first.is_visible()
    assert task == "kbp" or page.locator("noscript").count()


def test_every_link_leads_to_something_that_is_there(task, look):
    page = look(task)
    links = [each for each in page.locator("a[href]").all() if each.is_visible()]
    assert links or task in ("nugget", "kbp")
    for number in range(page.locator("a[href]").count()):
        link = page.locator("a[href]").nth(number)
        target = link.get_attribute("href")
        assert target.startswith("#"), "pages link to themselves only"
        if "=" not in target:
            assert page.locator(target).count() == 1, target
    for target in dict.fromkeys(each.get_attribute("href") for each in links):
        page.locator(f'a[href="{target}"]').first.focus()  # some are there for the keyboard only
        page.keyboard.press("Enter")
        assert page.evaluate("location.hash")


def test_the_parts_that_are_folded_open(task, look):
    page = look(task)
    for number in range(min(12, page.locator("details.more > summary").count())):
        summary = page.locator("details.more > summary").nth(number)
        if summary.is_visible():
            before = summary.evaluate("each => each.parentNode.open")
            summary.click()
            assert summary.evaluate("each => each.parentNode.open") is not before


def test_documents_open_and_can_be_linked_to(listed, look):
    page = look(listed)
    names = shown(page)
    assert len(names) >= 8
    first, second = open_document(page, 1), open_document(page, 2)
    assert first in names[1]
    assert second in names[2]
    address = page.url
    assert "doc=" in address
    page.goto("about:blank")
    page.goto(address)
    assert heading(page) == second
    page.keyboard.press("p")
    assert heading(page) == first
    page.keyboard.press("n")
    assert heading(page) == second


def test_the_list_can_be_sorted(listed, look):
    page = look(listed)
    before = shown(page)
    page.select_option("#order", index=2 if listed == "coref" else 1)  # without items there are scores, but no errors
    after = shown(page)
    assert sorted(after) == sorted(before)
    assert after != before
    page.select_option("#order", index=0)
    assert shown(page) == before


def test_a_search_finds_and_does_not_find(listed, look):
    page = look(listed)
    everything = len(shown(page))
    wanted = open_document(page, 3)
    page.fill("#search", wanted)
    page.wait_for_function("before => document.querySelectorAll('#list button').length < before", arg=everything)
    assert any(wanted in each for each in shown(page))
    page.fill("#search", "no such words <b>anywhere</b>")
    page.wait_for_function("before => document.querySelectorAll('#list button').length < before", arg=2)
    page.fill("#search", "")
    page.wait_for_function("before => document.querySelectorAll('#list button').length === before", arg=everything)


def test_types_and_outcomes_filter(browsed, look):
    def state():
        return shown(page), page.locator("#document").inner_html(), page.locator("#panes").get_attribute("class")

    page = look(browsed)
    open_document(page, 1)
    before = state()
    assert page.locator("#document mark").count()
    for change, back in (
        (lambda: page.select_option("#type", index=1), lambda: page.select_option("#type", index=0)),
        (lambda: page.click("#errors"), lambda: page.click("#errors")),
        (lambda: page.locator("#legend input").first.click(), lambda: page.locator("#legend input").first.click()),
    ):
        change()
        assert state() != before
        back()
        open_document(page, 1)  # if it was filtered out, another is open
        assert state() == before


def test_items_light_up_with_the_mouse_and_the_keyboard(browsed, look):
    page = look(browsed)
    open_document(page, 1)
    before = page.locator("#document").inner_html()
    page.locator("#document mark").first.click()
    assert page.locator("#document").inner_html() != before
    for key in ("j", "j", "k", "c", "Escape"):
        page.keyboard.press(key)
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_every_document_of_every_system(listed, look):
    page = look(listed)
    systems = page.locator("#system option").count()
    assert systems == 3
    for system in range(systems):
        page.select_option("#system", index=system)
        for number in range(len(shown(page))):
            page.locator("#list button").nth(number).click()
            assert page.locator("#document").inner_text().strip()


def test_two_systems_beside_each_other(look):
    page = look("extraction")
    page.select_option("#beside", "birch")
    assert "beside=birch" in page.url
    assert "birch" in page.locator("#document").inner_text()
    page.select_option("#order", label="where the two differ most")
    assert len(shown(page)) == 24
    page.select_option("#scatter-a", index=2)
    assert page.locator("#scatter-chart svg").count() == 1


def test_a_system_against_another_of_a_campaign(look):
    page = look("eal")
    page.locator('a[href="#compare=granite,slate"]').first.click()
    assert page.input_value("#system") == page.evaluate("document.querySelector('#system').value")
    assert "granite" in page.locator("#document").inner_text()
    assert "slate" in page.locator("#document").inner_text()


def test_charts_and_tables_can_be_downloaded(look):
    page = look("extraction", accept_downloads=True)
    for name, start in (("SVG", b"<svg"), ("CSV", b"")):
        with page.expect_download() as waiting:
            page.locator("button:visible", has_text=name).first.click()
        data = waiting.value.path().read_bytes()
        assert data.strip().startswith(start)
        assert len(data) > 20


def test_what_goes_wrong_is_noticed(chromium, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("<script>console.error('one'); nowhere()</script><img src='http://adjudge.invalid/a.png'>", "utf-8")
    with opened(chromium, path) as (_, wrong):
        found = {each.partition(":")[0] for each in wrong}
    assert found >= {"console error", "error", "request"}
