"""reference.py - the reference: the help text of each function that INDEX lists, as HTML, Info and
Qt Help.

Help texts are texinfo. For the guide one run of makeinfo converts all help texts, and a mark between
them separates their HTML. For Info and Qt Help, which Octave's doc reads in a terminal and in Octave's
window, each help text is a node, and an index lists all nodes.

SPDX-License-Identifier: BSD-3-Clause
"""
import html
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

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
    """[(category, [function ...]) ...] of INDEX."""
    found = []
    for line in (root / "INDEX").read_text().splitlines()[1:]:
        if line.startswith(" "):
            found[-1][1].append(line.strip())
        else:
            found.append((line.strip(), []))
    return found


def help_file(root, name):
    """A function's file, or that of its class; a name with dots is in packages; gpumm is compiled."""
    in_packages = re.sub(r"(\w+)\.", r"+\1/", name)
    places = [f"octave/{in_packages}.m", f"teaching/{name}.m", f"octave/@{name}/{name}.m", f"mex/{name}.cc"]
    return next(root / place for place in places if (root / place).exists())


def help_text(root, name):
    """The texinfo in the head of a function's file."""
    file = help_file(root, name)
    text = file.read_text()
    head = (re.search(r"^## -\*- texinfo -\*-\n((?:##.*\n)+)", text, re.M)
            or re.search(r'R"\(-\*- texinfo -\*-\n(.*?)\)"', text, re.S))
    if not head:
        raise ValueError(f"{file} has no help text in texinfo")
    return re.sub(r"^## ?", "", head[1], flags=re.M)


def summary(text):
    """The first paragraph of a help text, as Markdown."""
    paragraph = re.search(r"^(?!@deftypefn)(\S.*?)(?=\n\n|\n@|\Z)", text, re.M | re.S)[1]
    paragraph = re.sub(r"@(var|w|math|dfn|emph|dots)\{([^{}]*)\}", r"\2", paragraph)
    paragraph = re.sub(r"@\w+\{([^{}]*)\}", r"`\1`", paragraph)
    return " ".join(paragraph.split()).rstrip(".:") + "."


def listing(root, address):
    """Markdown: a section for each function with the first sentences of its help text and a link to
    its file. make-guide puts the whole help texts in the place of these."""
    out = []
    for category, names in index(root):
        out.append(f"## {category}")
        for name in names:
            file = help_file(root, name)
            out.append(f"### `{name}`\n\n{summary(help_text(root, name))}"
                       f" [All of the help]({address(file)})")
    return "\n\n".join(out)


def linked(text, known, link):
    """The text with the names in @seealso as links, made by link (), if this reference has them."""
    def see_also(match):
        names = (name.strip() for name in match[1].split(","))
        items = (link(name) if name in known else f"@code{{{name}}}" for name in names)
        return "\n@noindent\nSee also: " + ", ".join(items) + "."

    return re.sub(r"^@seealso\{(.*?)\}", see_also, text, flags=re.M | re.S)


def mark(name):
    return f"@html\n<!-- {MARK}{name} -->\n@end html\n"


def makeinfo(source, *options, output="-"):
    """The output of makeinfo, unless it goes to a file; a warning is an error."""
    made = subprocess.run(["makeinfo", *options, "--no-split", "--output", output, "-"],
                          input=source, text=True, capture_output=True, check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    if made.returncode or made.stderr:
        raise ValueError(f"makeinfo: {made.stderr}")
    return made.stdout


def manual(root):
    """The reference as texinfo: a node for each function, a menu, an index."""
    categories = index(root)
    known = [name for _, names in categories for name in names]
    menu = "".join(f"\n{category}\n\n" + "".join(f"* {name}::\n" for name in names)
                   for category, names in categories)
    source = (MACROS + "The functions of gpumm, matrix products for GNU Octave on a GPU.\n\n"
              f"@menu{menu}\n* Index::\n@end menu\n")
    for name in known:
        source += f"@node {name}\n@unnumbered {name}\n"
        source += linked(help_text(root, name), known, lambda other: f"@ref{{{other}}}")
    return source + "@node Index\n@unnumbered Index\n@printindex fn\n@bye\n"


def write_info(root, file):
    makeinfo(manual(root), "--info", output=file)


# The documentation of Octave's window is a collection of such files, of one namespace each.
QT_HELP = """<?xml version="1.0" encoding="UTF-8"?>
<QtHelpProject version="1.0">
<namespace>gpumm</namespace>
<virtualFolder>doc</virtualFolder>
<filterSection>
<toc><section title="gpumm" ref="gpumm.html">
{contents}</section></toc>
<keywords>
{keywords}</keywords>
<files><file>gpumm.html</file></files>
</filterSection>
</QtHelpProject>
"""


def write_qt_help(root, file):
    """Writes the reference as Qt Help; False where there is no qhelpgenerator."""
    if not shutil.which("qhelpgenerator"):
        return False
    contents = keywords = ""
    for category, names in index(root):
        places = ["gpumm.html#" + name.replace("_", "_005f").replace(".", "_002e") for name in names]
        contents += f'<section title="{html.escape(category)}" ref="{places[0]}">\n'
        for name, place in zip(names, places):
            contents += f'<section title="{name}" ref="{place}"/>\n'
            keywords += f'<keyword name="{name}" id="{name}" ref="{place}"/>\n'
        contents += "</section>\n"
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder, "gpumm.qhp")
        project.write_text(QT_HELP.format(contents=contents, keywords=keywords))
        makeinfo(manual(root), "--html", output=project.with_suffix(".html"))
        made = subprocess.run(["qhelpgenerator", project, "-o", file], text=True,
                              capture_output=True, check=False)
    if made.returncode:
        raise ValueError(f"qhelpgenerator: {made.stdout}{made.stderr}")
    return True


def scrolling(text):
    """HTML of makeinfo with tables in boxes that scroll, and samples that the keyboard can focus."""
    text = text.replace("<pre ", '<pre tabindex="0" ').replace("</table>", "</table></div>")
    return text.replace("<table", '<div class="wide" tabindex="0"><table')


def functions(root):
    """Markdown: a section for each category, in it one for each function, its text as HTML."""
    categories = index(root)
    known = [name for _, names in categories for name in names]
    source = MACROS
    for name in known:
        source += mark(name) + linked(help_text(root, name), known,
                                      lambda other: f"@uref{{#{other},{other}}}")
    source += mark("end") + "@bye\n"
    body = re.search(r"<body[^>]*>(.*)</body>", makeinfo(source, "--html", "--no-headers"), re.S)[1]
    pieces = re.split(rf"<!-- {MARK}(\S+) -->", body)
    texts = dict(zip(pieces[1::2], map(scrolling, pieces[2::2])))
    out = []
    for category, names in categories:
        out.append(f"## {category}\n")
        for name in names:
            out.append(f"### `{name}` {{#{name}}}\n\n````{{=html}}\n{texts[name].strip()}\n````\n")
    return "\n".join(out)
