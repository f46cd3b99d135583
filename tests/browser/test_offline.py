"""The index of reports as a person opens it without a network: every figure is there, and nothing else is asked for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from symshift.reports.run import reports
from tests.helpers.small_notebooks import two_that_draw

FIGURES = "() => [...document.images].map(image => [image.naturalWidth, image.alt])"


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    """An empty page without a network."""
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 800})
    yield context.new_page()
    context.close()


def test_the_index_and_its_pages_need_no_network(offline: Page, tmp_path: Path):
    assert reports(two_that_draw(tmp_path), tmp_path) == []
    asked: list[str] = []
    failed: list[str] = []
    offline.on("request", lambda request: asked.append(request.url))
    offline.on("requestfailed", lambda request: failed.append(request.url))
    offline.goto((tmp_path / "index.html").as_uri())
    figures = offline.evaluate(FIGURES)
    assert [alt for _, alt in figures] == [
        f"Errors of {name}: error (percent) by updates" for name in ("first", "second")
    ]
    assert all(width > 0 for width, _ in figures)
    offline.screenshot(path=tmp_path / "index.png")
    for name in ("first", "second"):
        offline.get_by_role("link", name=name).click()
        expect(offline.get_by_role("heading", name=name)).to_be_visible()
        expect(offline.locator("math mfrac")).to_be_visible()
        ((width, alt),) = offline.evaluate(FIGURES)
        assert width > 0
        assert alt.startswith(f"Errors of {name}")
        offline.screenshot(path=tmp_path / f"{name}.png")
        offline.go_back()
    assert failed == []
    assert {address.partition(":")[0] for address in asked} <= {"file", "data"}
