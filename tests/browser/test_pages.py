"""The pages of the demos in a real browser: they open, filter, search, sort and link, and ask nobody for anything."""

import json
from xml.etree import ElementTree

from browsing import Window

# Every document of every system, as a reader would click through them: what is shown of each.
EVERY = """() => {
  const system = document.querySelector("#system"), seen = [];
  for (const option of system.options) {
    system.value = option.value;
    system.dispatchEvent(new Event("change"));
    for (const number of [...document.querySelectorAll("#list button")].map((each) => each.dataset.number)) {
      document.querySelector(`#list button[data-number="${number}"]`).click();
      seen.push(document.querySelector("#document").innerText.trim().length);
    }
  }
  return seen;
}"""
# What every download button offers: [name, type, text].
OFFERED = """async () => {
  const links = [], blobs = [];
  URL.createObjectURL = (blob) => { blobs.push(blob); return "about:blank"; };
  HTMLAnchorElement.prototype.click = function () { links.push(this.download); };
  for (const button of document.querySelectorAll(".downloads button")) button.click();
  return Promise.all(blobs.map(async (blob, at) => [links[at], blob.type, await blob.text()]));
}"""
# Controls that nobody can call by a name, and drawings that say nothing.
NAMELESS = """() => [...document.querySelectorAll("button, select, input, summary, [role]")].filter((each) => {
  const label = each.getAttribute("aria-label") || each.textContent || each.title;
  return !(label && label.trim()) && !(each.labels && [...each.labels].some((one) => one.textContent.trim()));
}).map((each) => each.outerHTML.slice(0, 120))"""
FITS = "() => document.documentElement.scrollWidth"
UNFOLD = "() => document.querySelectorAll('details').forEach((each) => { each.open = true; })"


def shown(page):
    """The documents of the list, each with its number."""
    return page.locator("#list button").all_inner_texts()


def heading(page):
    return page.locator("#document h3, #document h2").first.inner_text()


def open_document(page, number=1):
    """Open a document of the list; the first place may be an overview."""
    page.locator("#list button").nth(number).click()
    return heading(page)


def fill_search(page, text, condition, number):
    page.fill("#search", text)
    page.wait_for_function(f"wanted => document.querySelectorAll('#list button').length {condition} wanted", arg=number)


def table_text(page):
    """All cells of all tables."""
    cells = (
        "[...document.querySelectorAll('table')].flatMap((each) => [...each.rows]).flatMap((each) => [...each.cells])"
    )
    return " ".join(" ".join(page.evaluate(f"{cells}.map((each) => each.textContent)")).split())


# ---------------------------------------------------------------------------------------------------------------------
# The page as a whole


def ends(each, form):
    """An interval as it is written, if there is one."""
    found = [each.get(end) for end in ("low", "high")]
    return "" if None in found else f" [{100 * found[0]:{form}}, {100 * found[1]:{form}}]"


def test_it_opens_with_the_numbers_of_the_terminal(task, look, pages):
    page = look(task)
    text = table_text(page)
    result = json.loads((pages / f"{task}.json").read_text(encoding="utf-8"))
    missing, found = [], 0
    for system in result["systems"]:
        assert system["name"] in text
        for score in system["scores"]:
            if score["part"] in ("f1", "score") and not score.get("slice") and score["value"] is not None:
                cell = f"{100 * score['value']:.1f}{ends(score, '.1f')}"
                missing += [] if cell in text else [f"{system['name']} {score['metric']} {cell}"]
                found += 1
    for each in result["comparisons"]:
        if not each.get("slice"):
            p = f"{each['p']:.4f}" if each["p"] >= 0.00005 else "<0.0001"
            cell = f"{each['a']} - {each['b']} {100 * each['difference']:+z.1f}{ends(each, 'z.1f')} {p}"
            missing += [] if cell in text else [cell]
            found += 1
    assert not missing
    assert found > 10
    # A page may also have slices; all else is the same run.
    signature = page.locator(".foot .fields dd").last.inner_text()
    assert set(result["signature"].split("|")) <= set(signature.split("|"))


def test_light_dark_and_printed(task, look):
    page = look(task)
    seen = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        seen.append(page.evaluate("getComputedStyle(document.body).color"))
    assert len(set(seen)) == 2
    page.emulate_media(media="print", color_scheme="light")
    assert page.evaluate(
        "[...document.querySelectorAll('#tools, .downloads, .list')].every((e) => !e.checkVisibility())"
    )
    assert page.locator("table.scores").first.is_visible()


def test_a_print_has_pages(look):
    data = look("extraction").pdf()
    assert data.startswith(b"%PDF")
    assert len(data) > 20_000


def test_all_pages_fit_a_narrow_window(task, look):
    page = look(task, width=360, height=780)
    assert page.evaluate(FITS) <= 360
    page.evaluate(UNFOLD)
    if page.locator("#list button").count() > 1:
        open_document(page, 1)
        page.keyboard.press("j")
    assert page.evaluate(FITS) <= 360


def test_it_can_be_read_without_scripts(task, bare_window, pages):
    page = bare_window.open(pages / f"{task}.html")
    assert page.locator("table.scores").first.is_visible()
    assert task == "kbp" or page.locator("noscript").count()
    assert not bare_window.wrong


def test_every_link_leads_to_something_that_is_there(task, look):
    page = look(task)
    links = dict.fromkeys(page.evaluate("[...document.querySelectorAll('a[href]')].map((e) => e.getAttribute('href'))"))
    ids = set(page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)"))
    assert links
    for target in links:
        assert target.startswith("#"), "pages link to themselves only"
        assert "=" in target or target[1:] in ids
    for target in [*links][:4]:
        page.locator(f'a[href="{target}"]').first.focus()  # some are there for the keyboard only
        page.keyboard.press("Enter")
        page.wait_for_function("() => location.hash.length > 1")


def test_everything_has_a_name(task, look):
    page = look(task)
    if page.locator("#list button").count() > 1:
        open_document(page, 1)
    assert page.evaluate(NAMELESS) == []


def test_the_keyboard_alone_is_enough(task, look):
    page = look(task)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'main'")


def test_the_parts_that_are_folded_open(task, look):
    page = look(task)
    summary = page.locator("details.more > summary:visible").first
    before = summary.evaluate("each => each.parentNode.open")
    summary.click()
    assert summary.evaluate("each => each.parentNode.open") is not before


def test_charts_and_tables_can_be_downloaded(task, look):
    page = look(task)
    drawn = page.locator("figure svg[role=img]").count()
    offered = page.evaluate(OFFERED)
    names = [name for name, _, _ in offered]
    assert len(set(names)) == len(names)
    charts = [ElementTree.fromstring(text) for _, kind, text in offered if kind == "image/svg+xml"]
    tables = [text.splitlines() for _, kind, text in offered if kind == "text/csv"]
    assert len(charts) == drawn
    assert len(charts) + len(tables) == len(offered)
    for chart in charts:
        assert chart.tag == "{http://www.w3.org/2000/svg}svg"
        assert chart.find("{http://www.w3.org/2000/svg}title").text.strip()
    for lines in tables:
        assert len(lines) > 1
        assert lines[0].count(",") >= 1
    assert any("[" in line for line in next(text for name, _, text in offered if name == "scores.csv").splitlines())


def test_a_download_is_a_file(look):
    page = look("extraction")
    with page.expect_download() as waiting:
        page.locator("button:visible", has_text="SVG").first.click()
    assert waiting.value.suggested_filename.endswith(".svg")
    assert waiting.value.path().read_bytes().startswith(b"<svg")


# ---------------------------------------------------------------------------------------------------------------------
# Documents


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
    orders = page.locator("#order option").evaluate_all("all => all.map((each) => each.value)")
    assert ("errors" in orders) == (listed != "coref"), "without items there are no errors"
    for order in orders[1:]:
        page.select_option("#order", order)
        after = shown(page)
        assert sorted(after) == sorted(before)
        assert after != before, order
        numbers = [float(each.split("\n")[1]) for each in after if "\n" in each]
        if order == "score":
            assert numbers == sorted(numbers)
        if order == "errors" and listed != "extraction":  # which shows scores
            assert numbers == sorted(numbers, reverse=True)
    page.select_option("#order", orders[0])
    assert shown(page) == before


def test_a_search_finds_and_does_not_find(listed, look):
    page = look(listed)
    everything = len(shown(page))
    wanted = open_document(page, 3)
    fill_search(page, wanted, "<", everything)
    assert any(wanted in each for each in shown(page))
    fill_search(page, "no such words <b>anywhere</b>", "<", 2)
    fill_search(page, "", "===", everything)


def test_a_search_marks_what_it_finds(browsed, look):
    page = look(browsed)
    open_document(page, 1)
    word = page.locator("#document .text").last.inner_text().split()[0]
    page.fill("#search", word.lower())
    page.wait_for_function("() => document.querySelectorAll('#document .hit').length > 0")
    assert page.locator("#document .hit").first.inner_text().lower() == word.lower()


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
    assert page.locator("#about").is_visible()
    for key in ("j", "j", "k", "c"):
        page.keyboard.press(key)
    assert page.locator("#about").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#about").is_visible()
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.locator("dialog[open] button").click()
    assert page.locator("dialog[open]").count() == 0
    page.locator("#document mark").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#about").is_visible()


def test_matched_items_are_linked_to_their_counterparts(look):
    page = look("extraction")
    page.select_option("#metric", label="event.trigger-cls f1")
    open_document(page, 1)
    page.locator("#document tr:not([data-gold='-1']):not([data-system='-1']) button.item").first.click()
    here, partner = page.locator("#document mark.here"), page.locator("#document mark.partner")
    assert partner.first.inner_text() == here.first.inner_text()
    page.keyboard.press("c")
    assert page.evaluate("document.activeElement.dataset.side") == "0"


def test_every_document_of_every_system(listed, look):
    page = look(listed)
    assert page.locator("#system option").count() == 3
    seen = page.evaluate(EVERY)
    assert len(seen) == 3 * len(shown(page))
    assert all(seen)


def test_two_systems_beside_each_other(look):
    page = look("extraction")
    page.select_option("#beside", "1")
    assert "beside=birch" in page.url
    assert "birch" in page.locator("#document").inner_text()
    page.select_option("#order", label="where the two differ most")
    pairs = [tuple(map(float, each.split("\n")[1].split(" / "))) for each in shown(page) if " / " in each]
    apart = [round(abs(a - b), 6) for a, b in pairs]
    assert len(apart) > 15
    assert apart == sorted(apart, reverse=True)
    assert apart[0] > apart[-1]


def test_points_of_documents(look):
    page = look("extraction")
    page.select_option("#scatter-a", index=2)
    assert page.locator("#scatter-chart svg[role=img]").count() == 1
    assert "cedar" in page.locator("#scatter-chart svg").get_attribute("aria-label")
    page.locator("#scatter-chart circle").last.click()
    assert page.evaluate("document.activeElement.id") == "main"
    assert heading(page) in page.locator("#scatter-chart circle title").last.text_content()


def test_a_system_against_another_of_a_campaign(look):
    page = look("eal")
    page.locator('a[href="#compare=granite,slate"]').first.click()
    page.wait_for_function("() => !document.querySelector('#pairs').hidden")
    assert (page.input_value("#system"), page.input_value("#other")) == ("0", "2")
    assert "granite and slate" in heading(page)
    open_document(page, 2)
    assert "only granite" in page.locator("#document").inner_text()


# ---------------------------------------------------------------------------------------------------------------------
# Other pages


def test_reports_of_saved_results(reported, look):
    page = look(f"other-{reported}")
    assert page.locator("#scores-title").is_visible()
    names = page.locator("figure").evaluate_all("all => all.map((each) => each.dataset.file)")
    if reported == "eal":
        assert {"scores-beta", "scores-lambda", "winners"} <= set(names)
    if reported == "kbp":
        assert {"hops", "confidence-hop1"} <= set(names)
    if reported in ("coref", "nugget", "eal", "kbp"):
        assert page.locator("#slices-title").is_visible()
    if reported == "ner":
        assert "types-1" in names
    if reported != "kbp":
        assert all(page.evaluate(EVERY))
    assert page.evaluate(NAMELESS) == []
    page.set_viewport_size({"width": 360, "height": 780})
    page.evaluate(UNFOLD)
    assert page.evaluate(FITS) <= 360


def test_what_goes_wrong_is_noticed(chromium, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("<script>console.error('one'); nowhere()</script><img src='http://adjudge.invalid/a.png'>", "utf-8")
    window = Window(chromium)
    window.open(path)
    assert {each.partition(":")[0] for each in window.wrong} >= {"console error", "error", "request"}
    window.context.close()
