"""A real Chromium and the real program, for all tests of this folder."""

import contextlib
import importlib.util
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
REQUIRED = os.environ.get("CUEMARKER_REQUIRE_BROWSER") == "1"
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
QUIET += ("--disable-component-update", "--disable-sync")
TV = {"width": 1920, "height": 1080}
PATIENCE_S = 60  # of a machine that is busy with more than the tests


@pytest.fixture(scope="module")  # not longer: an open Playwright keeps an event loop running under all other tests
def browser():
    if not CHROMIUM.exists() and not REQUIRED:
        pytest.skip(f"there is no {CHROMIUM}")
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415 (needed only where there is a browser)

    expect.set_options(timeout=PATIENCE_S * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    pages, complaints = [], []

    def open_page(url, size=TV, **options):
        page = browser.new_page(viewport=size, **options)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text)
                if said.type == "error" and "ERR_CONNECTION_REFUSED" not in said.text
                else None
            ),
        )
        page.goto(url)
        page.evaluate("window.hasNotBeenReloaded = true")
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert complaints == []


@pytest.fixture
def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def cuemarker():
    """Runs the program as a context manager: `with cuemarker(port, "serve", ...) as process`."""
    return running


@contextlib.contextmanager
def running(port, *arguments):
    code = f"from server.cli import main; main({[str(argument) for argument in arguments]!r})"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline_s = time.monotonic() + PATIENCE_S
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert process.poll() is None, "the program has ended"
            assert time.monotonic() < deadline_s, "the program does not listen"
            time.sleep(0.05)
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(PATIENCE_S)


@pytest.fixture
def eye():
    """A network camera over a virtual table, see `virtual_eye.py`."""
    spec = importlib.util.spec_from_file_location("virtual_eye", Path(__file__).with_name("virtual_eye.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.VirtualEye()
    yield made
    made.close()


@pytest.fixture
def until():
    """Wait for an expression on a page; Playwright's own waiting evaluates text in the page, which our pages forbid."""

    def until(page, expression, within_s=float(PATIENCE_S)):
        deadline = time.monotonic() + within_s
        while not page.evaluate(expression):
            assert time.monotonic() < deadline, f"not within {within_s} s: {expression}"
            page.wait_for_timeout(50)

    return until
