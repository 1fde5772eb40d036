"""Hostile pages in a real browser: everything shows as text, nothing else runs, and large pages open quickly."""

import re

import pytest
from browsing import Window
from test_pages import FITS, NAMELESS, UNFOLD

MOST_SCRIPT = 3.0
"""Seconds of script until a large page is there. It takes a tenth of that, but a machine may have much else to do."""
INJECTED = """<script>window.ran = "script"</script><img src="data:," onerror="window.ran = 'handler'">
<p id="styled" style="color: rgb(1, 2, 3)">x</p><style>#styled { background: rgb(4, 5, 6) }</style>
<a id="link" href="javascript:window.ran = 'link'">x</a><iframe srcdoc="<script>parent.ran = 1</script>"></iframe>"""
SHORT = 10_000
# Open every document of the list, and read its text.
READ = """() => [...document.querySelectorAll("#list button:not([data-number='-1'])")].map((each) => {
  each.click();
  const text = document.querySelector("#document .text:not(.key .text)").textContent;
  return [document.querySelector("#document h3").textContent, text.slice(0, 1000), text.length];
})"""


def test_hostile_texts_are_shown_as_texts(hostile, look, known):
    page = look(f"hostile-{hostile}")
    expected = known["hostile"][hostile]
    assert page.title().split() == expected["title"].split()
    assert page.locator("h1").text_content() == expected["title"]
    if hostile == "kbp":
        page.evaluate(UNFOLD)
        texts = page.locator(".example .text").all_text_contents()
        for _, start, length in expected["documents"]:
            assert length > SHORT or any(start in text for text in texts), start
    else:
        assert sorted(page.evaluate(READ)) == sorted(expected["documents"])
    assert page.evaluate("[...document.querySelectorAll('img, iframe, object, [onerror], [onload]')].length") == 0
    assert page.evaluate("document.querySelectorAll('script').length") <= 3
    # Nothing is left that would turn others around, or is no letter.
    assert page.evaluate(
        r"!/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText)"
    )
    assert page.evaluate("document.body.innerText.isWellFormed()")


def test_hostile_pages_can_be_used(hostile, look):
    page = look(f"hostile-{hostile}", width=360, height=780)
    page.evaluate(UNFOLD)
    assert page.evaluate(FITS) <= 360
    assert page.evaluate(NAMELESS) == []
    if hostile == "kbp":
        return
    for number in (0, 6, 7):
        page.locator("#list button:not([data-number='-1'])").nth(number).click()
        for key in ("j", "j", "s", "e", "e"):
            page.keyboard.press(key)
        assert page.evaluate(FITS) <= 360
    page.fill("#search", "<script>alert")
    page.wait_for_function("() => document.querySelectorAll('#list button').length < 9")
    page.locator("#list button:not([data-number='-1'])").first.click()
    assert page.locator("#document .hit").first.text_content() == "<script>alert"


def test_nothing_that_gets_into_a_page_runs(task, chromium, pages, tmp_path):
    whole = (pages / f"{task}.html").read_text(encoding="utf-8")
    path = tmp_path / "page.html"
    path.write_text(whole.replace("</header>", f"</header>{INJECTED}", 1), encoding="utf-8")
    window = Window(chromium)
    page = window.open(path)
    page.evaluate("document.querySelector('#link').click()")
    # In the way of scripts that already run, too.
    refused = page.evaluate("""() => {
      const tries = [
        () => { document.body.innerHTML = "<b>x</b>"; },
        () => document.body.insertAdjacentHTML("beforeend", "<b>x</b>"),
        () => document.body.setAttribute("onclick", "window.ran = 1"),
        () => { document.createElement("script").textContent = "window.ran = 'late'"; },
      ];
      return tries.filter((each) => { try { each(); return false; } catch { return true; } }).length;
    }""")
    assert refused == 4
    assert page.evaluate("window.ran === undefined")
    assert page.evaluate("getComputedStyle(document.querySelector('#styled')).color") != "rgb(1, 2, 3)"
    assert page.evaluate("getComputedStyle(document.querySelector('#styled')).backgroundColor") != "rgb(4, 5, 6)"
    assert len(window.wrong) >= 4
    assert all(re.search("violat|Trusted|Refused|blocked", each) for each in window.wrong), window.wrong
    assert not [each for each in window.wrong if each.startswith(("request", "dialog"))]
    # Our own script runs all the same.
    assert page.locator(".downloads button").count()
    window.context.close()


@pytest.mark.parametrize("kind", ["result", "nugget"])
def test_large_pages_open_quickly_and_are_small(kind, window, look, known):
    session = window.context.new_cdp_session(window.page)
    session.send("Performance.enable")
    page = look(f"large-{kind}")
    assert "500 documents" in page.locator(".lead").inner_text()
    assert page.locator("#system option").count() == 5
    measured = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    painted = page.evaluate("""() => new Promise((done) => {
      const first = (list) => done(list.getEntries()[0].startTime);
      new PerformanceObserver(first).observe({ type: "paint", buffered: true });
    })""")
    sizes = known["large"][kind]
    ratio = sizes["page"] / sizes["inputs"]
    print(
        f"\n{kind}: script {measured['ScriptDuration']:.3f} s, first paint {painted:.0f} ms, size {ratio:.2f} of inputs"
    )
    assert 0 < measured["ScriptDuration"] < MOST_SCRIPT
    assert 0 < painted < 10_000 * MOST_SCRIPT
    assert ratio <= 3
    assert page.locator("#list button").count() >= 300
    page.fill("#search", "doc-0499")
    page.wait_for_function("() => document.querySelectorAll('#list button').length === 1")
    session.detach()
