"""lessons.py - the notebooks as pages of the guide, with the outputs that are stored in them.

SPDX-License-Identifier: BSD-3-Clause
"""
import base64
import json


def fenced(kind, text):
    longest = 3
    while "`" * longest in text:
        longest += 1
    fence = "`" * longest
    text = text.strip("\n")
    return f"{fence} {{.{kind}}}\n{text}\n{fence}\n"


def outputs(cell, figure):
    """What a cell said, and the names of what it drew; figure keeps one and gives its name."""
    said, drawn = "", []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            said += "".join(output["text"])
        elif "image/png" in output.get("data", {}):
            drawn.append(figure(base64.b64decode("".join(output["data"]["image/png"]))))
    return said, drawn


def markdown(notebook, folder):
    """The notebook's text; its figures go to the folder."""
    with open(notebook, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    count = 0

    def figure(png):
        nonlocal count
        count += 1
        name = f"{notebook.stem}-{count}.png"
        (folder / name).write_bytes(png)
        return name

    text = []
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            text.append(source)
            continue
        lines = [line for line in source.split("\n") if not line.startswith("%plot ")]
        text.append(fenced("cell", "\n".join(lines)))
        said, drawn = outputs(cell, figure)
        if said.strip():
            text.append(fenced("answer", said))
        for name in drawn:
            text.append(f"![Drawn by these lines]({name})")
    return "\n\n".join(text) + "\n"


def title(notebook):
    with open(notebook, encoding="utf-8") as file:
        first = "".join(json.load(file)["cells"][0]["source"]).split("\n", 1)[0]
    return first.removeprefix("# ")
