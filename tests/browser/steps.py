"""steps.py CHROMIUM PAGES WORK - steps through the pages of gpumm_steps in a browser, see steps.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys

import look

# What the live region says at steps of tiled.html, from 1.
SENTENCES = {
    1: "Step 1 of 42: warp 0 reads A(0..7,0..3) in 32 lanes: "
       "8 sectors for 32 numbers, 8 are the least.",
    9: "Step 9 of 42: after a barrier, warp 0 reads a(0,0..7) in shared memory in 32 lanes: "
       "2 passes over the banks, no conflict.",
    42: "Step 42 of 42: warp 1 writes C(0..7,4..7) in 32 lanes: "
        "8 sectors for 32 numbers, 8 are the least.",
}
TOTALS = {"read A": "64 2 16 ", "read B": "64 2 16 ", "read a": "512 16 32 0",
          "read b": "512 16 32 0", "write C": "64 2 16 ", "write a": "64 2 8 4",
          "write b": "64 2 8 4"}
CODES = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, " ": 32, "Tab": 9}
STATE = ('JSON.stringify ([...document.querySelectorAll ("#say, #line, main")].map ('
         """(e) => e.innerHTML.replaceAll (' style=""', ""))"""
         '.concat (by_id ("at").value))')
# Are the sectors that the page draws as many as the host device counted?
SECTORS = """steps.filter ((s) => ! data.arrays[s.array].shared
  && sectors (s).length !== s.units).length"""
PLAYED = """new Promise ((done) => {
  by_id ("speed").value = "30";
  const look = () => current === last && ! timer ? done (live) : setTimeout (look, 20);
  document.body.focus ();
  document.dispatchEvent (new KeyboardEvent ("keydown", { key: " " }));
  const live = by_id ("say").getAttribute ("aria-live")
    + by_id ("play").textContent;
  look ();
})"""


def press(browser, key, times=1):
    text = {"text": " "} if key == " " else {}
    for _ in range(times):
        for kind in ("keyDown", "keyUp"):
            browser.ask("Input.dispatchKeyEvent", type=kind, key=key,
                        windowsVirtualKeyCode=CODES[key], **(text if kind == "keyDown" else {}))


def said(browser):
    return browser.run('by_id ("say").textContent')


def unequal(found, wanted):
    return [] if found == wanted else [f"{found!r}", f"and not {wanted!r}"]


def walk(browser, page):
    """Yields what is tried, and what is wrong, of tiled.html by keys."""
    browser.view(*look.VIEWS[0])
    browser.open(page)
    yield "the first step", unequal(said(browser), SENTENCES[1])
    forward = []
    for _ in range(42):
        forward.append(browser.run(STATE))
        press(browser, "ArrowRight")
    yield "42 different steps", unequal(len(set(forward)), 42)
    yield "the right arrow stops at the last step", unequal(said(browser), SENTENCES[42])
    rows = browser.run('[...document.querySelectorAll ("#totals tr")].map ((r) => '
                       '[...r.children].map ((c) => c.textContent).join (" "))')
    yield "the totals", unequal(rows, [f"{name} {sums}" for name, sums in TOTALS.items()])
    back = []
    for _ in range(42):
        back.append(browser.run(STATE))
        press(browser, "ArrowLeft")
    yield "back is forward, reversed", unequal(back[::-1] == forward, True)
    press(browser, "End")
    yield "End", unequal(browser.run(STATE) == forward[41], True)
    press(browser, "Home")
    yield "Home", unequal(browser.run(STATE) == forward[0], True)
    browser.run('by_id ("at").value = 9; by_id ("at").dispatchEvent (new Event ("input"))')
    yield "the slider", unequal(said(browser), SENTENCES[9])
    for button, step in (("next", 9), ("back", 8)):
        browser.run(f'by_id ("{button}").click (); 1')
        yield f"the button {button}", unequal(browser.run(STATE) == forward[step], True)


def play(browser, page):
    browser.open(page)
    answer = browser.ask("Runtime.evaluate", expression=PLAYED, awaitPromise=True)
    yield "a screen reader hears nothing while it plays", unequal(
        answer["result"]["value"], "offPause")
    yield "and the last step then", unequal(
        [browser.run('by_id ("say").getAttribute ("aria-live")'), said(browser)],
        ["polite", SENTENCES[42]])
    press(browser, " ")
    press(browser, " ")
    yield "space pauses", unequal(browser.run('by_id ("play").textContent'), "Play")
    order = []
    for _ in range(6):
        press(browser, "Tab")
        order.append(browser.run("document.activeElement.id"))
    yield "the tab key's order", unequal(order, ["back", "play", "next", "at", "speed", "source"])
    browser.ask("Emulation.setEmulatedMedia",
                features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    browser.open(page)
    yield "reduced motion", unequal(browser.run('by_id ("speed").value'), "1000")


def main():
    program, folder, work = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    passed = failed = 0
    try:
        browser = look.Browser(program, work / "profile")
    except (EOFError, BrokenPipeError):
        print(f"SKIP: the pages of gpumm_steps in a browser: {program} does not start\n"
              "0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    try:
        cases = []
        for page in sorted(folder.glob("*.html")):
            cases.append((f"{page.name} is laid out well", look.look(browser, page)[2]))
            browser.run("go (Math.floor (last / 2)); 1")
            cases.append((f"{page.name} in its middle", look.faults_of(browser)))
            cases.append((f"{page.name}: the sectors", unequal(browser.run(SECTORS), 0)))
        cases += walk(browser, folder / "tiled.html")
        cases += play(browser, folder / "tiled.html")
    finally:
        browser.end()
    for what, faults in cases:
        passed, failed = passed + (not faults), failed + bool(faults)
        if faults:
            print("\n  ".join([f"FAILED: {what}", *faults[:12]]))
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
