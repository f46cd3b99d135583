"""The site of docs/: it builds without a warning, its links lead somewhere, and no page needs a network."""

import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import symshift
from symshift.models.registry import FAMILIES, FAMILY_OF, NETWORKS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LOADED = {("link", "href"), ("iframe", "src"), ("script", "src"), ("img", "src"), ("source", "src"), ("object", "data")}
IN_STYLES = re.compile(r"""url\(\s*["']?(?!data:)([^)"']+)|@import\s+["']([^"']+)""")


class Page(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self, path: Path):
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.without_description: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        self.loads += [values[name] for element, name in LOADED if tag == element and name in values]
        self.loads += re.findall(r"url\(([^)]*)\)", values.get("style", ""))
        if tag == "img" and not values.get("alt"):
            self.without_description.append(values.get("src", ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as `make docs` builds it."""
    built = tmp_path_factory.mktemp("site") / "html"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-n", str(DOCS), str(built)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-5000:]
    return built


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_site_has_every_notebook_and_page(site):
    sources = [path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md") if "_build" not in path.parts]
    notebooks = [Path("tutorials", f"{path.stem}.html") for path in (ROOT / "notebooks").glob("*.ipynb")]
    assert len(notebooks) > 10
    assert [str(path) for path in sources + notebooks if not (site / path).is_file()] == []


def broken_links(pages: dict[Path, Page]) -> Iterator[str]:
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            missing = not target.is_file()
            anchor = unquote(parts.fragment)
            if missing or (anchor and target in pages and anchor not in pages[target].anchors):
                yield f"{path.name}: {link}"


def test_site_links_lead_to_files_and_anchors(pages):
    assert list(broken_links(pages)) == []


def test_site_loads_nothing_from_a_network(site, pages):
    loaded = {f"{path.name}: {address}" for path, page in pages.items() for address in page.loads}
    for path in site.rglob("*.css"):
        loaded |= {f"{path.name}: {first or second}" for first, second in IN_STYLES.findall(path.read_text())}
    assert loaded
    assert [entry for entry in loaded if re.search(r": *(\w+:)?//", entry)] == []


def test_site_describes_its_figures(pages):
    assert {path.name: page.without_description for path, page in pages.items() if page.without_description} == {}


@pytest.fixture
def example(monkeypatch):
    """The network of docs/howto/add-a-model.md, registered."""
    monkeypatch.syspath_prepend(str(DOCS / "howto"))
    yield importlib.import_module("mean_of_words").MeanOfWords
    del sys.modules["mean_of_words"]
    for names in (NETWORKS, FAMILIES, FAMILY_OF):
        del names["mean-of-words"]


def test_example_of_a_model_trains_as_its_page_says(example, tmp_path, monkeypatch, capsys):
    """The files and the command of docs/howto/add-a-model.md give a model that is checked, trained and answers."""
    (tmp_path / "presets").mkdir()
    shutil.copy(DOCS / "howto" / "mean-of-words.yaml", tmp_path / "presets")
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path / "presets"))
    monkeypatch.setenv("SYMSHIFT_OUTPUTS", str(tmp_path / "outputs"))
    page = (DOCS / "howto" / "add-a-model.md").read_text()
    command = re.search(r"python -c '\n(.*?)'\n```", page, re.DOTALL)[1]
    exec(command.replace('"updates": 500', '"updates": 20, "source": "generated", "examples": 100'), {})
    assert capsys.readouterr().out.count("True") == 10
    runs = [path.name for path in (tmp_path / "outputs" / "runs").iterdir()]
    assert len(runs) == 3
    reader = symshift.load(runs[0])
    answer = reader.ask(["Mary went to the garden."], "Where is Mary?")
    assert isinstance(reader.network, example)
    assert answer.word in set(answer.distribution.word)
