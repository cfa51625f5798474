"""look.py CHROMIUM GUIDE WORK - opens the pages of a folder in a browser, see run.

Lays out each page in each of VIEWS; faults.js lists what is wrong with the page. A page broken on
purpose comes first: each kind of fault must be found there.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import pathlib
import subprocess
import sys
import urllib.parse

# A phone, light and dark; a tablet; a desktop screen. Colours do not depend on the width.
VIEWS = [(390, 844, "light"), (390, 844, "dark"), (800, 900, "light"), (1280, 800, "light")]
MOST_SCREENS = {"performance.html": 10}  # of the last view
SEARCHES = ["strassen error", "pagemtimes", "A\\b", "out of memory", "c++ ( [x", "nothingatall"]
FINDS = {"pagemtimes": "reference.html#pagemtimes", "strassen error": "notes/strassen.html",
         "nothingatall": None}
here = pathlib.Path(__file__).resolve().parent

# A page with one fault of each kind, and a word of each message.
BROKEN = """<!DOCTYPE html><html lang="en"><head><title>broken</title></head><body>
<div style="width: 2000px">wide</div>
<pre style="overflow-x: auto; width: 300px">{line}</pre>
<p style="overflow: hidden; white-space: nowrap; width: 300px">{line}</p>
<p style="color: #999; background: #fff">pale</p>
<p style="font-size: 8px">small</p>
<svg width="90" height="40"><rect width="90" height="40" fill="#000"/>
<text x="10" y="20" fill="#222">dark on dark</text></svg>
<img src="nowhere.png" alt="missing">
<img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='90' height='9'/%3E"
alt="squeezed" style="width: 30px">
<img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='90' height='9'/%3E"
alt="stretched" style="width: 300px">
<img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='90' height='9'/%3E"
alt="flat" style="width: 90px; height: 4px">
<p style="position: relative; left: -3000px">outside</p>
<p>these words lie</p><p style="position: relative; top: -40px">over these words</p>
<p><a href="nowhere.html">a page</a> <a href="#nowhere">a place</a></p>
<p>code that `never</p>
<details class="pages" open><summary>pages</summary><a href="#place">a place</a></details>
<details class="contents" open><summary>contents</summary><a href="#place">a place</a></details>
<h1 id="place" style="margin-top: 5000px">low</h1>
</body></html>""".format(line="much too long a line " * 40)
FOUND = ["the page is", "without a shadow", "cut off", "contrast 2.85", "px high", "contrast 1.3",
         "not loaded", "of 90 px is 30 px wide", "distorted",
         "of 90 x 9 px is 300 x 30 px large", "px high, and its text", "outside",
         "overlap",
         "left over: `", "pages are open", "contents are open", "no title",
         "nowhere.html leads nowhere", "#nowhere: that page has no such id"]


class Browser:
    """Headless Chromium, driven through two pipes: each message is JSON and a NUL."""

    def __init__(self, program, profile):
        options = ["--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
                   "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={profile}"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium has no sandbox for root
        ours = os.pipe(), os.pipe()
        (theirs_in, self.to), (self.back, theirs_out) = ours
        os.set_inheritable(theirs_in, True)
        os.set_inheritable(theirs_out, True)
        redirect = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(["sh", "-c", redirect, program, *options, "about:blank"],
                                        pass_fds=(theirs_in, theirs_out),
                                        stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.count, self.rest, self.session = 0, b"", None
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self.ask("Page.enable")

    def message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise EOFError("Chromium has ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, wait_for=None, **parameters):
        """Returns the answer to a request; with wait_for, waits for that event too."""
        self.count += 1
        request = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        answer = None
        while answer is None or wait_for:
            message = self.message()
            if message.get("id") == self.count:
                if "error" in message:
                    raise ValueError(f"{method}: {message['error']}")
                answer = message["result"]
            elif message.get("method") == wait_for:
                wait_for = None
        return answer

    def view(self, width, height, scheme):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, file):
        self.ask("Page.navigate", wait_for="Page.loadEventFired", url=file.as_uri())

    def run(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise ValueError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"]["value"]

    def end(self):
        self.ask("Browser.close")
        self.process.wait(20)


def faults_of(browser):
    """Returns the faults of the page as it is now."""
    return browser.run((here / "faults.js").read_text())["faults"]


def look(browser, file):
    """Returns the links of a page, its ids, and its faults in all views."""
    script = (here / "faults.js").read_text()
    faults = []
    for i, (width, height, scheme) in enumerate(VIEWS):
        browser.view(width, height, scheme)
        if i == 0:
            browser.open(file)
        seen = browser.run(script)
        high = browser.run("document.documentElement.scrollHeight / innerHeight")
        faults += [f"{width} px, {scheme}: {fault}" for fault in seen["faults"]]
    if high > MOST_SCREENS.get(file.name, high):
        faults.append(f"{high:.1f} screens are more than {MOST_SCREENS[file.name]}")
    return seen["links"], set(seen["ids"]), faults


SEARCH = """(() => {
  const box = document.querySelector ("#search input");
  box.value = %s;
  box.dispatchEvent (new Event ("input"));
  return [...document.querySelectorAll ("#search a")].map ((a) => a.href);
}) ()"""


def search(browser, file, folder, ids):
    """Returns what is wrong with the search box of a page, and with what the box finds."""
    browser.view(*VIEWS[0])
    browser.open(file)
    faults = []
    for words in SEARCHES:
        found = browser.run(SEARCH % json.dumps(words))
        faults += [f"\"{words}\": {fault}" for fault in broken_links(found, ids, folder)
                   + [fault for fault in faults_of(browser) if "no title" not in fault]]
        wanted = FINDS.get(words, "")
        if wanted is None and found or wanted and not any(wanted in link for link in found):
            faults.append(f"\"{words}\" finds {found}")
    browser.run(SEARCH % json.dumps("pagemtimes"))
    browser.ask("Runtime.evaluate", wait_for="Page.loadEventFired",
                expression='document.getElementById ("search").requestSubmit ()')
    if not browser.run("location.href").endswith(FINDS["pagemtimes"]):
        faults.append(f"Enter leads to {browser.run('location.href')}")
    return faults


def broken_links(links, ids, folder):
    """Returns a sentence for each link that leads nowhere; ids maps each page to its ids."""
    faults = []
    for link in links:
        parsed = urllib.parse.urlsplit(link)
        if parsed.scheme != "file":
            continue
        target = pathlib.Path(urllib.parse.unquote(parsed.path))
        place = urllib.parse.unquote(parsed.fragment)
        if folder not in target.parents or not target.is_file():
            faults.append(f"{target.name} leads nowhere")
        elif place and target in ids and place not in ids[target]:
            faults.append(f"{target.name}#{place}: that page has no such id")
    return faults


def main():
    program, folder, work = sys.argv[1:]
    folder, work = pathlib.Path(folder).resolve(), pathlib.Path(work)
    passed = failed = 0

    def case(what, faults):
        nonlocal passed, failed
        passed, failed = passed + (not faults), failed + bool(faults)
        if faults:
            print(f"FAILED: {what}")
        for fault in faults[:12]:
            print(f"  {fault}")
        if len(faults) > 12:
            print(f"  and {len(faults) - 12} more")

    try:
        browser = Browser(program, work / "profile")
    except (EOFError, BrokenPipeError):
        print(f"SKIP: the guide in a browser: {program} does not start\n"
              "0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    try:
        page = work / "broken" / "broken.html"
        page.parent.mkdir()
        page.write_text(BROKEN)
        links, ids, faults = look(browser, page)
        faults += broken_links(links, {page: ids}, page.parent)
        for word in FOUND:
            case(f"the fault \"{word}\" of a broken page is found",
                 [] if any(word in fault for fault in faults) else faults)
        pages = {file: look(browser, file) for file in sorted(folder.rglob("*.html"))}
        ids = {file: seen[1] for file, seen in pages.items()}
        for name in ("index.html", "notes/gui.html"):
            case(f"{name}: the search box", search(browser, folder / name, folder, ids))
    finally:
        browser.end()
    case("there are pages", [] if len(pages) >= 10 else [f"only {len(pages)} in {folder}"])
    for file, (links, _, faults) in pages.items():
        name = file.relative_to(folder)
        case(f"{name} is laid out well", faults)
        case(f"{name} links to what is there", broken_links(links, ids, folder))
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
