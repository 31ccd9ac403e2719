"""Controls a real headless Chromium for tests of pages.

Commands go through a pipe in the DevTools protocol.

    with Browser() as browser:
        page = browser.open(file, width=390, dark=True)
        page.value("document.title")

Messages are JSON, each followed by a zero byte; the browser reads them from file descriptor 3 and
writes to file descriptor 4.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
SWITCHES = (
    "--headless=new",
    "--no-sandbox",  # the tests may run as root, and the pages are trusted
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
SECONDS = 60


def find_chromium() -> str | None:
    """Return the path of Chromium, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """A separate Chromium process; a context manager."""

    def __init__(self) -> None:
        self._profile = tempfile.TemporaryDirectory(
            prefix="venus-browser-", ignore_cleanup_errors=True
        )
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        shell = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        words = [
            find_chromium() or "",
            *SWITCHES,
            f"--user-data-dir={self._profile.name}",
            "about:blank",
        ]
        pipes = (to_browser, from_browser)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(["bash", "-c", shell, *words], pass_fds=pipes, **quiet)
        for end in pipes:
            os.close(end)
        self._number = 0
        self._rest = b""
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._write)  # this ends the browser
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        self._profile.cleanup()

    def open(
        self, place: Path | str, width: int = 1280, height: int = 900, dark: bool = False
    ) -> Page:
        """Open a file or an address in a new tab, and wait until it is loaded."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})[
            "sessionId"
        ]
        page = Page(self, session)
        page.events.clear()
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.show(width, height, dark)
        page.call(
            "Page.navigate", {"url": place if isinstance(place, str) else place.resolve().as_uri()}
        )
        page.wait_for("Page.loadEventFired")
        return page

    def call(
        self, method: str, parameters: dict[str, Any] | None = None, session: str | None = None
    ) -> dict[str, Any]:
        """Send a message and return its answer; store events that arrive before it."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters or {}}
        self._send({**message, "sessionId": session} if session else message)
        number = self._number
        answer = self.receive(lambda said: said.get("id") == number)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def _send(self, message: dict[str, Any]) -> None:
        content = json.dumps(message).encode() + b"\0"
        while content:
            content = content[os.write(self._write, content) :]

    def receive(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read messages until `wanted` accepts one and return it; store the events among the others."""
        end = time.monotonic() + SECONDS
        while True:
            while b"\0" in self._rest:
                head, self._rest = self._rest.split(b"\0", 1)
                message: dict[str, Any] = json.loads(head)
                if "method" in message:
                    self.events.append(message)
                if wanted(message):
                    return message
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise AssertionError(f"Chromium did not answer within {SECONDS} s")
            more = os.read(self._read, 1 << 20)
            if not more:
                raise AssertionError("Chromium ended")
            self._rest += more


class Page:
    """A tab."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session
        self.events = browser.events

    def call(self, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a message to this tab and return its answer."""
        return self._browser.call(method, parameters, self._session)

    def wait_for(self, event: str) -> None:
        """Wait for an event, unless it has already arrived."""
        if not any(said["method"] == event for said in self.events):
            self._browser.receive(lambda said: said.get("method") == event)

    def show(self, width: int, height: int = 900, dark: bool = False) -> None:
        """Set the size of the tab, and light or dark mode."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", {"features": [scheme]})

    def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        answer = self.call("Runtime.evaluate", asked)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39}
        said = {
            "key": key,
            "windowsVirtualKeyCode": codes[key] if key in codes else ord(key),
            "text": {"Enter": "\r"}.get(key, key if len(key) == 1 else ""),
        }
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", **said})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **said, "text": ""})

    def screenshot(self, file: Path, whole: bool = True) -> Path:
        """Write a PNG of the page."""
        answer = self.call("Page.captureScreenshot", {"captureBeyondViewport": whole})
        file.write_bytes(base64.b64decode(answer["data"]))
        return file

    def complaints(self) -> list[str]:
        """Return exceptions, console messages and violations of the security policy, as JSON."""
        self.value("1")
        found = [
            said
            for said in self.events
            if said["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")
        ]
        errors = [said for said in self.events if said["method"] == "Runtime.consoleAPICalled"]
        return [json.dumps(said["params"]) for said in (*found, *errors)]

    def requests(self) -> list[str]:
        """Return the addresses of all requests, including the page itself."""
        return [
            said["params"]["request"]["url"]
            for said in self.events
            if said["method"] == "Network.requestWillBeSent"
        ]


def until(page: Page, condition: str, seconds: float = 60) -> None:
    """Wait until a JavaScript expression is true."""
    end = time.monotonic() + seconds
    while not page.value(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.05)


def read_axe() -> str | None:
    """Return the source of axe-core, an accessibility checker, from npm.

    None if npm or its registry is not available.
    """
    with tempfile.TemporaryDirectory() as folder:
        pack = ["npm", "pack", "--silent", "axe-core@4.14.1"]
        try:
            name = subprocess.run(
                pack, cwd=folder, capture_output=True, text=True, timeout=60, check=True
            ).stdout.strip()
            with tarfile.open(Path(folder, name)) as archive:
                source = archive.extractfile("package/axe.min.js")
                return source.read().decode() if source else None
        except (OSError, subprocess.SubprocessError):
            return None


def violations(page: Page, axe: str) -> list[str]:
    """Return the violations that axe-core finds on a page with all details expanded."""
    page.value("document.querySelectorAll('details').forEach((each) => { each.open = true }); 0")
    page.value(f"{axe}; 0")
    found = (
        "found.violations.map((each) => `${each.id}: ${each.nodes.map((node) => "
        "node.html).join(' ')}`)"
    )
    page.value(
        f"window.axeFound = null; axe.run(document).then((found) => {{ window.axeFound = {found} "
        f"}}); 0"
    )
    end = time.monotonic() + SECONDS
    while (said := page.value("window.axeFound")) is None:
        assert time.monotonic() < end
        time.sleep(0.05)
    return list(said)
