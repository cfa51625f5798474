"""reference.py - the reference: the help text of each function that INDEX lists, as HTML.

Help texts are texinfo. All of them go through one run of makeinfo, and a mark between them tells
which HTML is whose.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import subprocess

# What Octave's own makeinfo run defines, but for @seealso.
MACROS = r"""\input texinfo
@documentencoding UTF-8
@settitle gpumm
@macro qcode{text}
@code{\text\}
@end macro
@node Top
@top gpumm
"""
MARK = "function:"


def index(root):
    """[(category, [function ...]) ...], as INDEX has them."""
    found = []
    for line in (root / "INDEX").read_text().splitlines()[1:]:
        if line.startswith(" "):
            found[-1][1].append(line.strip())
        else:
            found.append((line.strip(), []))
    return found


def help_text(root, name):
    """The texinfo in the head of a function's file, or of its class's."""
    file = root / "octave" / f"{name}.m"
    if not file.exists():
        file = root / "octave" / f"@{name}" / f"{name}.m"
    text = file.read_text()
    head = re.search(r"^## -\*- texinfo -\*-\n((?:##.*\n)+)", text, re.M)
    if not head:
        raise ValueError(f"{file} has no help text in texinfo")
    return re.sub(r"^## ?", "", head[1], flags=re.M)


def linked(text, known):
    """The text with @seealso as links to what this reference has."""
    def see_also(match):
        names = (name.strip() for name in match[1].split(","))
        items = (f"@uref{{#{name},{name}}}" if name in known else f"@code{{{name}}}"
                 for name in names)
        return "\n@noindent\nSee also: " + ", ".join(items) + "."

    return re.sub(r"^@seealso\{(.*?)\}", see_also, text, flags=re.M | re.S)


def mark(name):
    return f"@html\n<!-- {MARK}{name} -->\n@end html\n"


def functions(root):
    """Markdown: a section for each category, in it one for each function, its text as HTML."""
    categories = index(root)
    known = [name for _, names in categories for name in names]
    source = MACROS
    for name in known:
        source += mark(name) + linked(help_text(root, name), known)
    source += mark("end") + "@bye\n"
    command = ["makeinfo", "--html", "--no-split", "--no-headers", "--output", "-", "-"]
    made = subprocess.run(command, input=source, text=True, capture_output=True, check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    if made.returncode or made.stderr:
        raise ValueError(f"makeinfo: {made.stderr}")
    body = re.search(r"<body[^>]*>(.*)</body>", made.stdout, re.S)[1]
    pieces = re.split(rf"<!-- {MARK}(\S+) -->", body)
    texts = dict(zip(pieces[1::2], pieces[2::2]))
    out = []
    for category, names in categories:
        out.append(f"## {category}\n")
        for name in names:
            out.append(f"### `{name}` {{#{name}}}\n\n````{{=html}}\n{texts[name].strip()}\n````\n")
    return "\n".join(out)
