"""The site, opened from its folder as somebody would who has no network."""

from pathlib import Path

import pytest

SITE = Path(__file__).parents[2] / "build" / "docs"


def test_the_search_works_from_a_folder(chromium):
    if not (SITE / "index.html").exists():
        pytest.skip("there is no site: make docs")
    page = chromium.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.url.startswith("http") else None)
    page.goto((SITE / "index.html").as_uri())
    page.click("input.md-search__input")
    page.keyboard.type("jackknife", delay=20)
    page.wait_for_selector(".md-search-result__item a", timeout=30_000)
    assert "jackknife" in page.inner_text(".md-search-result__list").lower()
    assert not asked
    page.close()
