"""A small WebDriver client over the standard library, enough to look at one page in headless Chromium."""

import base64
import json
import re
import shutil
import subprocess
import threading
import urllib.error
import urllib.request

STARTUP_SECONDS = 60
ANSWER_SECONDS = 180  # a busy machine draws slowly

CHROMIUM_FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--no-first-run",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
]


class BrowserMissing(Exception):
    """Chromium or its driver is not installed."""


def find_programs():
    """The paths of Chromium and ChromeDriver."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not browser or not driver:
        missing = " and ".join(name for name, path in (("chromium", browser), ("chromedriver", driver)) if not path)
        raise BrowserMissing(
            f"{missing} not found: install the Debian packages chromium and chromium-driver "
            "(scripts/packages-test lists them), or configure with -DSLIDEMESH_BROWSER_TESTS=OFF"
        )
    return browser, driver


class Browser:
    """One headless Chromium. Use it as a context manager."""

    def __init__(self, download_directory):
        browser, driver = find_programs()
        self.process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.session = None
        try:
            self.address = self._await_address()
            self._open_session(browser)
            self.devtools(
                "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(download_directory)}
            )
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _await_address(self):
        watchdog = threading.Timer(STARTUP_SECONDS, self.process.kill)
        watchdog.start()
        try:
            for line in self.process.stdout:
                started = re.search(r"started successfully on port (\d+)", line)
                if started:
                    return f"http://127.0.0.1:{started.group(1)}"
        finally:
            watchdog.cancel()
        raise RuntimeError("chromedriver ended before it was ready")

    def _open_session(self, browser):
        answer = self._call(
            "POST",
            "/session",
            {
                "capabilities": {
                    "alwaysMatch": {
                        "browserName": "chrome",
                        "goog:chromeOptions": {"binary": browser, "args": CHROMIUM_FLAGS},
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                    }
                }
            },
        )
        self.session = answer["sessionId"]

    def _call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(
            self.address + path, data=data, method=method, headers={"Content-Type": "application/json"}
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=ANSWER_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.read().decode(errors='replace')[:500]}") from error

    def command(self, method, path, body=None):
        return self._call(method, f"/session/{self.session}{path}", body)

    def open(self, address):
        self.command("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """What `script` returns; arguments[0], ... are its arguments."""
        return self.command("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, parameters=None):
        return self.command("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters or {}})

    def log(self, kind):
        return self.command("POST", "/se/log", {"type": kind})

    def set_size(self, width, height, mobile=False):
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 2 if mobile else 1, "mobile": mobile},
        )

    def prefer(self, scheme, media=""):
        self.devtools(
            "Emulation.setEmulatedMedia",
            {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )

    def screenshot(self, path, whole=True):
        image = self.devtools("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole})
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))

    def pdf(self):
        return base64.b64decode(self.devtools("Page.printToPDF", {"printBackground": False})["data"])

    def close(self):
        try:
            if self.session:
                self.command("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(timeout=20)
            self.process.stdout.close()
