"""A browser, and JupyterLab on a copy of the notebooks, for what only a person at a screen would see."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 180  # seconds for a server to start
SETTINGS = {"notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's browser, without a window."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"needs a browser, and none of {', '.join(BROWSERS)} is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page as large as a laptop's screen."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.set_default_timeout(1000 * PATIENCE)
    expect.set_options(timeout=1000 * PATIENCE)
    yield page
    page.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a JupyterLab that serves a copy of the notebooks, up to the place of a file's name."""
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", home / "notebooks", ignore=shutil.ignore_patterns(".*"))
    for name, values in SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / "apputils-extension" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    own = {"JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces"}
    own |= {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython"}
    environment = os.environ | {name: str(home / place) for name, place in own.items()}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [
        f"--ServerApp.root_dir={home / 'notebooks'}",
        f"--port={address.rpartition(':')[2]}",
        "--ServerApp.port_retries=0",
    ]
    command += ["--IdentityProvider.token=for-tests"]
    with (
        (home / "log").open("w") as log,
        subprocess.Popen(command, env=environment, cwd=home, stdout=log, stderr=log) as server,
    ):
        try:
            _wait_for(f"{address}/api", server)
            yield f"{address}/lab/tree/{{}}?reset&token=for-tests"
        finally:
            server.terminate()


def _wait_for(address: str, server: subprocess.Popen) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except (urllib.error.URLError, TimeoutError):
            assert server.poll() is None, f"JupyterLab at {address} has ended"
            assert time.monotonic() < until, f"no JupyterLab at {address}"
            time.sleep(0.2)
