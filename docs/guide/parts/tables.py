"""tables.py - tables of measurements, made of the CSV files that the benchmarks wrote.

A part `measured` of a page (docs/fill-in) selects rows and columns; no number is typed by hand.

  file: h200/ladder.csv               in bench/results
  where: what = product; type = d; m = n; not kernel = loops
                                      conditions on the rows; a name of a column on the right means
                                      that column, and a * stands for anything
  rows: n                             a line of the table for each value of an expression, in order
  columns: who = gpumm; cupy as CuPy  a column for each of these values (patterns with *, too), with
                                      its heading; a column without values is left out
  value: 1e3 * median                 the value of a cell, computed from the row's columns
  pick: least                         of several rows take the least, or the most; without this line
                                      several rows are an error
  relative: gpumm                     divide the cells by the cells of that column
  only: 512 1024                      show only these values of rows, or of a list's first column,
                                      which comes in this order
  caption: ...                        above the table

or, instead of rows, columns and value, `list: n; 1e3 * seconds as ms; kernel`, a line for each row.
A line that begins with a space continues the previous line.

SPDX-License-Identifier: BSD-3-Clause
"""
import csv
import fnmatch
import re


REMARK = "a remark above these rows"  # no column has such a name


def read(file):
    """The rows of a file as dictionaries, with numbers converted, and the comment in its head. The
    first line of a comment between rows belongs to the rows below it, as REMARK: commands may follow
    that line."""
    rows, head, names, remark, above = [], [], None, "", ""
    for line in file.read_text().splitlines():
        above, previous = line, above
        if line.startswith("#") and not names:
            head.append(line[1:].strip())
        elif line.startswith("#"):
            remark = remark if previous.startswith("#") else line[1:].strip().removesuffix(":")
        elif not names:
            names = next(csv.reader([line]))
        else:
            cells = [number(cell) for cell in next(csv.reader([line]))]
            if len(cells) != len(names):
                raise ValueError(f"{file}: {len(cells)} cells under {len(names)} names: {line}")
            rows.append(dict(zip(names, cells), **{REMARK: remark}))
    return rows, head


def number(cell):
    try:
        return int(cell) if cell.lstrip("-").isdigit() else float(cell)
    except (ValueError, AttributeError):
        return cell


def text_of(value):
    """Three significant digits, without an exponent for numbers of usual size."""
    if not isinstance(value, float):
        return str(value)
    if 1000 <= abs(value) < 1e7:
        return f"{value:.0f}"
    text = f"{value:#.3g}".rstrip(".")
    return text.replace("e-0", "e-").replace("e+0", "e")


def matches(row, conditions):
    for condition in conditions:
        wanted = not condition.startswith("not ")
        name, pattern = (side.strip() for side in condition.removeprefix("not ").split("="))
        if pattern in row:
            yes = row[name] == row[pattern]
        else:
            yes = fnmatch.fnmatchcase(str(row[name]), pattern)
        if yes != wanted:
            return False
    return True


def named(item):
    """("gpumm", "gpumm") of "gpumm", ("cupy", "CuPy") of "cupy as CuPy"."""
    expression, _, heading = item.partition(" as ")
    return expression.strip(), (heading or expression).strip()


def cell(row, expression):
    return eval(expression, {"__builtins__": {}}, row)  # the pages are this repository's own


def pivot(rows, spec):
    """Headings and lines of a table with a column for each value of one column of the file."""
    by, _, wanted = spec["columns"].partition("=")
    by = by.strip()
    wanted = [named(item) for item in wanted.split(";")]
    first, heading = named(spec["rows"])
    pick = {"least": min, "most": max}.get(spec.get("pick"))
    keys = sorted({cell(row, first) for row in rows})
    if "only" in spec:
        keys = [key for key in keys if str(key) in spec["only"].split()]
    lines = []
    for key in keys:
        line = [key]
        for pattern, _ in wanted:
            values = [cell(row, spec["value"]) for row in rows
                      if cell(row, first) == key and fnmatch.fnmatchcase(str(row[by]), pattern)]
            if len(values) > 1 and not pick:
                raise ValueError(f"{len(values)} rows for {pattern} at {key}")
            line.append((pick or min)(values) if values else None)
        if "relative" in spec:
            base = line[1 + [pattern for pattern, _ in wanted].index(spec["relative"])]
            line[1:] = [value / base if value and base else None for value in line[1:]]
        if any(value is not None for value in line[1:]):
            lines.append(line)
    headings = [heading] + [label for _, label in wanted]
    there = [0] + [i for i in range(1, len(headings)) if any(line[i] is not None for line in lines)]
    return [headings[i] for i in there], [[line[i] for i in there] for line in lines]


def listing(rows, spec):
    """Headings and lines of a table with a line for each row of the file."""
    items = [named(item) for item in spec["list"].split(";")]
    lines = [[cell(row, expression) for expression, _ in items] for row in rows]
    if "only" in spec:
        wanted = spec["only"].split()
        lines = [line for line in lines if str(line[0]) in wanted]
        lines.sort(key=lambda line: wanted.index(str(line[0])))
    return [heading for _, heading in items], lines


def spec_of(block):
    lines = re.sub(r"\n\s+", " ", block.strip()).splitlines()
    return {name.strip(): value.strip() for name, value in (line.split(":", 1) for line in lines)}


def file_of(block):
    return spec_of(block)["file"]


def table(folder, block, address):
    """The table of the block, as Markdown; address () leads from the page to a file."""
    spec = spec_of(block)
    rows, _ = read(folder / spec["file"])
    conditions = [c.strip() for c in spec.get("where", "").split(";") if c.strip()]
    rows = [row for row in rows if matches(row, conditions)]
    headings, lines = listing(rows, spec) if "list" in spec else pivot(rows, spec)
    if not lines:
        raise ValueError("no row of the file matches")
    numeric = [all(isinstance(line[i], (int, float, type(None))) for line in lines)
               for i in range(len(headings))]
    out = ["| " + " | ".join(headings) + " |",
           "|" + "|".join(" ---: " if right else " --- " for right in numeric) + "|"]
    for line in lines:
        texts = ["–" if value in (None, "") or value != value else text_of(value) for value in line]
        out.append("| " + " | ".join(texts) + " |")
    caption = spec.get("caption", "") + f" From [{spec['file']}]({address(folder / spec['file'])})."
    remarks = {row[REMARK] for row in rows}
    for remark in sorted(remarks - {""}):
        of = " of some rows" if len(remarks) > 1 else ""
        caption += f" The file says{of}: \"{remark}\"."
    return f"{caption.strip()}\n\n" + "\n".join(out)


def heads(folder, names):
    """A section for each file: the comment in its head, which has the machine and the command."""
    out = []
    for name in names:
        _, head = read(folder / name)
        out.append(f"### {name}\n\n```text\n" + "\n".join(head) + "\n```")
    return "\n\n".join(out)
