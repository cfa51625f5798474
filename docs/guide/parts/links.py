"""links.py - does every link of a folder of HTML pages, and of the .md files, lead somewhere?

A link into the folder must name a file in the folder and, after #, an id of that page. A link out of
the folder is an error, because users copy the folder. Addresses of other sites are not opened, because
the pages are made without a network. Other errors: an id that a page has twice, a picture without an
alternative text or with another width or height than its file, tags that are not closed.

SPDX-License-Identifier: BSD-3-Clause
"""
import html.parser
import re
import struct
import urllib.parse

VOID = {"br", "col", "hr", "img", "input", "link", "meta"}  # tags that have no end


class Page(html.parser.HTMLParser):
    """The ids of a page, what it links to, and what is wrong with it by itself."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.pictures, self.faults, self.open = set(), [], [], [], []
        self.feed(text)
        self.faults += [f"<{tag}> is never closed" for tag in self.open]

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.faults.append(f"line {self.getpos()[0]}: </{tag}> closes nothing")

    def handle_startendtag(self, tag, attributes):
        self.look_at(tag, dict(attributes))

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.look_at(tag, dict(attributes))

    def look_at(self, tag, values):
        name = values.get("id") or (values.get("name") if tag == "a" else None)
        if name in self.ids:
            self.faults.append(f"the id {name} is there twice")
        if name:
            self.ids.add(name)
        if tag == "img" and not values.get("alt"):
            self.faults.append(f"{values.get('src')} has no alternative text")
        if tag == "img":
            self.pictures.append(values)
        for attribute in ("href", "src"):
            if attribute in values:
                self.links.append(values[attribute] or "")


def size_of(file):
    """The width and height of a PNG or SVG file in pixels, as text."""
    data = file.read_bytes()
    if data.startswith(b"\x89PNG"):
        return tuple(str(size) for size in struct.unpack(">II", data[16:24]))
    tag = re.search(rb"<svg[^>]*>", data)[0].decode()
    return tuple(re.search(rf'\b{side}="([^"]*)"', tag)[1] for side in ("width", "height"))


def wrong_pictures(pictures, folder):
    """A sentence for each picture that a browser would lay out in another size than that of its file.
    The style has the width once more, for narrow windows."""
    faults = []
    for values in pictures:
        file = folder / urllib.parse.unquote(values.get("src") or "")
        if not file.is_file():
            continue  # its link is a fault already
        said = values.get("width"), values.get("height")
        if said != size_of(file):
            faults.append(f"{values['src']}: said to be {said[0]} x {said[1]}, its file "
                          f"{' x '.join(size_of(file))}")
        if values.get("style") not in (None, f"--natural: {said[0]}px"):
            faults.append(f"{values['src']}: {values['style']}, and the width is {said[0]}")
    return faults


def check(folder):
    """A list of sentences, one for each fault in the folder's pages; empty where all is well."""
    pages = {file: Page(file.read_text()) for file in sorted(folder.rglob("*.html"))}
    faults = []
    for file, page in pages.items():
        name = file.relative_to(folder)
        wrong = page.faults + wrong_pictures(page.pictures, file.parent)
        faults += [f"{name}: {fault}" for fault in wrong]
        for link in page.links:
            parsed = urllib.parse.urlsplit(link)
            if parsed.scheme or parsed.netloc:
                if parsed.scheme not in ("http", "https") or "." not in parsed.netloc:
                    faults.append(f"{name}: {link} is no address")
                continue
            target = file
            if parsed.path:
                target = (file.parent / urllib.parse.unquote(parsed.path)).resolve()
            fragment = urllib.parse.unquote(parsed.fragment)
            if folder not in target.parents or not target.is_file():
                faults.append(f"{name}: {link} leads nowhere")
            elif fragment and target in pages and fragment not in pages[target].ids:
                faults.append(f"{name}: {link}: that page has no such id")
            elif not link:
                faults.append(f"{name}: an empty link")
    return faults


def headings(text):
    """The places of a page in Markdown, by the names that GitHub and GitLab give its headings."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", without_code(text), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return found


def without_code(text):
    return re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.M | re.S)


def check_sources(pages, root):
    """A list of sentences, one for each link of the pages in Markdown that leads nowhere: to a file
    that is not there, out of the sources, or to a heading that the page does not have."""
    faults = []
    for page in pages:
        text = re.sub(r"`[^`]*`", "", without_code(page.read_text()))
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, place = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if root not in target.parents or not target.exists():
                faults.append(f"{page.relative_to(root)}: {link} leads nowhere")
            elif place and place not in headings(target.read_text()):
                faults.append(f"{page.relative_to(root)}: {link}: that page has no such heading")
    return faults
