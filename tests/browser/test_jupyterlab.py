"""10_playground as a person uses it: opened in JupyterLab, run, a person renamed, the new answer seen."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect


@pytest.fixture
def playground(page: Page, lab: str) -> Page:
    """The notebook in JupyterLab, with all its cells run."""
    page.goto(lab.format("10_playground.ipynb"))
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    expect(page.locator(".symshift h4").first).to_be_visible()
    return page


def test_a_person_is_renamed_and_so_is_the_answer(playground: Page, tmp_path: Path):
    title = playground.locator(".symshift h4").first
    title.scroll_into_view_if_needed()
    playground.screenshot(path=tmp_path / "before.png")
    old = title.inner_text().partition(": ")[2].partition(" ")[0]
    playground.get_by_label("rename").select_option(old)
    playground.get_by_label("to", exact=True).fill("Ottilie")
    playground.get_by_role("button", name="Rename").click()
    expect(title).to_contain_text("ottilie")
    playground.screenshot(path=tmp_path / "after.png")
