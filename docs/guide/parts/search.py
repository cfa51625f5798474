"""search.py - writes search.js of the guide: the text of all sections, and the program.

SPDX-License-Identifier: BSD-3-Clause
"""
import html.parser
import json
import pathlib
import re

# makeinfo's marks in the help texts, which style.css hides
HIDDEN = re.compile(r"""<(a|span)[^>]*class=["'](copiable-|category)[^>]*>.*?</\1>""")
SILENT = {"svg", "math", "script", "style", "nav"}  # their text is not searched


class Sections(html.parser.HTMLParser):
    """The sections of a page, [id, heading, text]. A text belongs to the innermost section."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open, self.silent = [], [], 0
        self.heading = self.inside = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.silent += tag in SILENT
        if tag == "main":
            self.inside = True
        if tag == "main" or tag == "section":
            self.found.append([values.get("id", ""), "", ""])
            self.open.append(self.found[-1])
        self.heading = self.heading or self.inside and tag in ("h1", "h2", "h3", "h4")

    def handle_endtag(self, tag):
        self.silent -= tag in SILENT
        self.heading = self.heading and tag not in ("h1", "h2", "h3", "h4")
        if tag == "main" or tag == "section":
            self.open.pop()
        if tag == "main":
            self.inside = False

    def handle_data(self, data):
        if self.open and not self.silent:
            self.open[-1][1 if self.heading else 2] += data


def words(text):
    return " ".join(text.split())


def sections(folder, pages):
    """[address, page, heading, text] of each section, of the pages in this order of addresses."""
    found = []
    for address in pages:
        of_page = Sections(HIDDEN.sub("", (folder / address).read_text())).found
        title = words(of_page[0][1])
        for name, heading, text in of_page:
            place = "" if name == "text" else f"#{name}"
            found.append([address + place, title, words(heading), words(text)])
    return found


def write(folder, pages):
    data = json.dumps(sections(folder, pages), ensure_ascii=False, indent=0)
    program = (pathlib.Path(__file__).parent / "search.js").read_text()
    (folder / "search.js").write_text(f"const sections = {data};\n\n{program}")
