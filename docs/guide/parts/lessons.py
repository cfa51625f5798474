"""lessons.py - the notebooks as pages of the guide, with the outputs that are stored in them.

SPDX-License-Identifier: BSD-3-Clause
"""
import base64
import json
import re
import shutil


def fenced(kind, text):
    longest = 3
    while "`" * longest in text:
        longest += 1
    fence = "`" * longest
    text = text.strip("\n")
    return f"{fence} {{.{kind}}}\n{text}\n{fence}\n"


def cells_of(notebook):
    with open(notebook, encoding="utf-8") as file:
        return json.load(file)["cells"]


def outputs(cell, figure):
    """The text that a cell printed, and the names of its figures; figure() stores one figure and
    returns its name."""
    said, drawn = "", []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            said += "".join(output["text"])
        elif "image/png" in output.get("data", {}):
            drawn.append(figure(base64.b64decode("".join(output["data"]["image/png"]))))
    return said, drawn


def notebooks(folder):
    """The lessons of the folder, in the order of their numbers."""
    return sorted(folder.glob("[1-9]*.ipynb"), key=lambda path: int(path.stem.split("-")[0]))


def neighbours(notebook):
    """Links to the previous and the next lesson and to the list of all."""
    lessons = notebooks(notebook.parent)
    at = lessons.index(notebook)
    links = ["[All lessons](../lessons.html)"]
    if at > 0:
        links.insert(0, f"Previous: [{title(lessons[at - 1])}]({lessons[at - 1].stem}.html)")
    if at + 1 < len(lessons):
        links.append(f"Next: [{title(lessons[at + 1])}]({lessons[at + 1].stem}.html)")
    return " · ".join(links)


def page_text(source, notebook, folder):
    """A text cell, with links to the pages of other notebooks. The pictures that are attached to it
    as PNG go to the folder as they were drawn, SVG."""
    source = re.sub(r"\]\(attachment:(.*)\.png\)", r"](pictures/\1.svg)", source)
    for picture in re.findall(r"\]\((pictures/[^)]*)\)", source):
        (folder / "pictures").mkdir(exist_ok=True)
        shutil.copy(notebook.parent / picture, folder / picture)
    return re.sub(r"\]\(([^)/]*)\.ipynb\)", r"](\1.html)", source)


def markdown(notebook, folder):
    """The notebook's text; its figures go to the folder."""
    count = 0

    def figure(png):
        nonlocal count
        count += 1
        name = f"{notebook.stem}-{count}.png"
        (folder / name).write_bytes(png)
        return name

    text = []
    for cell in cells_of(notebook):
        if "notebook-only" in cell["metadata"].get("tags", []):
            continue
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            text.append(page_text(source, notebook, folder))
            continue
        lines = [line for line in source.split("\n") if not line.startswith("%")]
        text.append(fenced("cell", "\n".join(lines)))
        said, drawn = outputs(cell, figure)
        if said.strip():
            text.append(fenced("answer", said))
        for name in drawn:
            text.append(f"![Figure drawn by this code]({name})")
    text.insert(1, neighbours(notebook))  # below the aims; the summary has links of its own
    return "\n\n".join(text) + "\n"


def title(notebook):
    first = "".join(cells_of(notebook)[0]["source"]).split("\n", 1)[0]
    return first.removeprefix("# ")


def listing(folder, address):
    """The list of all notebooks, as Markdown; address () leads from the page to a file."""
    return "\n".join(f"- [{title(notebook)}]({address(notebook)})"
                     for notebook in notebooks(folder))
