"""A Chromium under test, the service that it looks at, and what both of them say."""

import contextlib
import json
import re
import sqlite3
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

SHOTS = Path(__file__).resolve().parents[2] / ".build" / "page"
PASSWORD = "correct horse battery"
SECRET = rf"wp[sc]_[0-9a-f]{{8}}|{PASSWORD}"


class Failure(AssertionError):
    """The page did something else than was right."""


def expect(condition, what, found=""):
    if not condition:
        raise Failure(f"{what} {found}")


def wait_for(condition, what, seconds=10):
    """Waits until `condition` returns something, and returns that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(Exception):
            if result := condition():
                return result
        time.sleep(0.02)
    raise Failure(f"not within {seconds} s: {what}")


class Waypost:
    """A running service."""

    def __init__(self, binary, *options, port=0):
        self.command = [binary, "serve", "--max-new-sessions-per-address", "0", "--max-new-accounts-per-address", "0", *options]
        self.log = tempfile.TemporaryFile("w+")
        self.start(port)

    def start(self, port):
        self.process = subprocess.Popen(
            [*self.command, "--port", str(port)], stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)", line)[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def send(self, method, path, body=None, token=None):
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request) as response:
            text = response.read()
            return json.loads(text) if text else None

    def metric(self, name):
        text = urllib.request.urlopen(self.url + "/metrics").read().decode()
        return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)[1])

    def written(self):
        self.log.seek(0)
        return self.log.read()


class Browser:
    """One window."""

    def __init__(self, width=1440, height=1000):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # As root, as in a container, Chromium has no sandbox of its own.
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         f"--window-size={width},{height}", f"--user-data-dir={self.profile.name}"):
            options.add_argument(argument)
        # The page for new tabs would load pages of Chromium's own.
        options.add_experimental_option("prefs", {"session": {"restore_on_startup": 4, "startup_urls": ["about:blank"]}})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        # The policy's violations, also those that come before a script of the page.
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            window.violations = [];
            document.addEventListener("securitypolicyviolation", (event) =>
              window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));"""})

    def close(self):
        self.driver.quit()
        self.profile.cleanup()

    def check_profile(self):
        """Ends the browser. Its history, and all it has stored but the tabs' `sessionStorage`, have no secret."""
        self.driver.quit()
        folder = Path(self.profile.name) / "Default"
        with contextlib.closing(sqlite3.connect(folder / "History")) as history:
            visited = [row[0] for row in history.execute("select url from urls")]
        expect(any(url.endswith("/inspector") for url in visited), "the browser has a history:", visited)
        expect(not any(re.search(SECRET, url) for url in visited), "the history has no token:", visited)
        for file in folder.rglob("*"):
            if file.is_file() and "Session Storage" not in file.parts:
                expect(not re.search(SECRET.encode(), file.read_bytes()), "the browser stores no secret in", file.relative_to(folder))

    def open(self, url):
        self.driver.get(url)
        self.wait_until_live()

    def wait_until_live(self, seconds=20):
        wait_for(lambda: self.text("#connection") == "live" and self.all("#phone h2"), "the page is live", seconds)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return wait_for(lambda: self.all(selector), selector)[0]

    def text(self, selector):
        return self.one(selector).text

    def click(self, selector):
        self.wait_for_rest()
        self.one(selector).click()

    def wait_for_rest(self):
        """Waits for the end of all motions, under which elements move away."""
        wait_for(lambda: self.run("return document.getAnimations().every((each) => each.playState === 'finished')"),
                 "no motion")

    def type(self, selector, text):
        self.one(selector).send_keys(text)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def title(self):
        """The title of what the phone shows."""
        return self.run("return document.querySelector('#phone h2')?.textContent")

    def wait_for_title(self, title):
        wait_for(lambda: self.title() == title, f"the phone shows {title}, not {self.title()}")

    def revision(self):
        return int(re.search(r"revision (\d+)", self.run(
            "return document.querySelector('#summary').textContent"))[1])

    def session(self):
        """The session's id and token, which the page keeps for its tab."""
        return self.run("return sessionStorage.getItem('session')").split(" ")

    def attach(self, identifier, token):
        """Uses another session, as a user does."""
        self.click("[data-key=attach]")
        self.type("[name=id]", identifier)
        self.type("[name=token]", token)
        self.click("[data-key=attach-this]")
        wait_for(lambda: self.session() == [identifier, token], "the page uses the other session")
        self.wait_until_live()

    def media(self, **features):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()]})

    def shoot(self, name):
        """Stores a picture, for people."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.wait_for_rest()
        self.driver.save_screenshot(str(SHOTS / f"{name}.png"))

    def sign_up(self, name):
        self.click("[data-key=button0]")
        self.wait_for_title("Sign Up")
        self.type("[name=username]", name)
        self.type("[name=password]", PASSWORD)
        self.click("[data-key=submit]")
        self.wait_for_title("Authors")

    def check_console(self, allowed=()):
        """No violation of the policy, and no message but of a refusal that the test has caused."""
        expect(not self.run("return window.violations"), "the policy was violated:", self.run("return window.violations"))
        for entry in self.driver.get_log("browser"):
            expect(any(part in entry["message"] for part in ("status of 4", "status of 503", *allowed)),
                   "the console has", entry["message"])
