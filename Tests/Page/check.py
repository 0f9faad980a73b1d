#!/usr/bin/env python3
"""Opens pages in Chromium, in light and dark, on a screen and a phone, and on paper.

    check.py [--pictures FOLDER] PAGE...     prints the faults; exits with 1 if there are any

A page must not write to the console, load anything, or be wider than the screen. Each of its charts needs a name that a screen
reader can read. Text must be readable on its background: a contrast of 4.5 to 1 (WCAG 2.2, 1.4.3).
"""

import base64
import fcntl
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# The contrast of each string with the nearest background. Text in images has the background of the page.
CONTRAST = r"""
(() => {
    const number = color => color.match(/[\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const under = element => {
        for (; element; element = element.parentElement) {
            const color = number(getComputedStyle(element).backgroundColor);
            if (color.length < 4 || color[3] === 1) return color;
        }
        return [255, 255, 255];
    };
    const faint = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || !element.checkVisibility() || element.closest('title, desc, style')) continue;
        const style = getComputedStyle(element);
        const color = number(element.closest('svg') ? style.fill : style.color);
        const [a, b] = [light(color), light(under(element))].sort((x, y) => y - x);
        const contrast = (a + 0.05) / (b + 0.05);
        if (contrast < 4.5) faint.push(`${contrast.toFixed(1)}: ${texts.currentNode.data.trim().slice(0, 40)}`);
    }
    return [...new Set(faint)];
})()
"""


class Browser:
    """Chromium, which is asked through a pipe (the DevTools protocol)."""

    def __init__(self, folder):
        (to_read, self.to), (self.back, to_write) = os.pipe(), os.pipe()

        def inherit():
            # It reads from 3 and writes to 4.
            for end, number in zip([fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_read, to_write)], (3, 4)):
                os.dup2(end, number)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
             f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=inherit, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.rest, self.count, self.events = b"", 0, []
        self.session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def ask(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self.count:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while True:
            event = self.next()
            self.events.append(event)
            if event.get("method") == method:
                return

    def next(self):
        while b"\0" not in self.rest:
            part = os.read(self.back, 1 << 20)
            if not part:
                sys.exit("chromium has ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def value(self, script):
        return self.ask("Runtime.evaluate", expression=script, returnByValue=True)["result"]["value"]

    def close(self):
        self.process.kill()
        self.process.wait()


def check(browser, page, look, pictures):
    """Returns the faults of a page in one look."""
    theme, width, height = look
    name = f"{page.stem}-{theme}-{width}"
    browser.events = []
    browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
    browser.ask("Emulation.setEmulatedMedia", media="print" if theme == "paper" else "",
                features=[{"name": "prefers-color-scheme", "value": "dark" if theme == "dark" else "light"}])
    browser.ask("Page.navigate", url=page.resolve().as_uri())
    browser.wait("Page.loadEventFired")
    wrong = []
    for event in browser.events:
        what = event.get("params", {})
        if event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            wrong.append(f"console: {json.dumps(what)[:200]}")
        if event.get("method") == "Network.requestWillBeSent" and what["request"]["url"] != page.resolve().as_uri():
            wrong.append(f"loads {what['request']['url'][:100]}")
    wide = browser.value("document.documentElement.scrollWidth") - width
    if wide > 0:
        wrong.append(f"{wide} pixels too wide")
    wrong += [f"contrast {text}" for text in browser.value(CONTRAST)]
    charts = browser.value("document.querySelectorAll('svg').length")
    named = [node for node in browser.ask("Accessibility.getFullAXTree")["nodes"]
             if not node["ignored"] and node["role"]["value"] in ("image", "img", "SvgRoot", "figure")
             and node.get("name", {}).get("value", "").strip()]
    if charts == 0 or len(named) < charts:
        wrong.append(f"{charts} charts, {len(named)} of them with a name")
    if pictures:
        tall = browser.value("document.documentElement.scrollHeight")
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=tall, deviceScaleFactor=1, mobile=width < 600)
        picture = browser.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        (pictures / f"{name}.png").write_bytes(base64.b64decode(picture))
    return [f"{name}: {text}" for text in wrong]


def main():
    arguments = sys.argv[1:]
    pictures = None
    if arguments[:1] == ["--pictures"]:
        pictures = pathlib.Path(arguments[1])
        pictures.mkdir(parents=True, exist_ok=True)
        arguments = arguments[2:]
    looks = [(theme, width, height) for theme in ("light", "dark") for width, height in ((1200, 900), (390, 844))]
    looks.append(("paper", 794, 1123))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            browser.ask(f"{domain}.enable")
        wrong = [text for page in arguments for look in looks for text in check(browser, pathlib.Path(page), look, pictures)]
        browser.close()
    print("\n".join(wrong) or f"{len(arguments)} pages in {len(looks)} looks: nothing is wrong")
    sys.exit(bool(wrong))


main()
