"""drawings.py - the guide's drawings, SVG in docs/guide/drawings/ and inside the pages.

Colours are classes of style.css, so that a drawing is light or dark with its page; A, B and C are
marked by names, not by colours alone. Each drawing has a title and a description.

SPDX-License-Identifier: BSD-3-Clause
"""
from html import escape
import csv
import re


class Drawing:
    def __init__(self, name, width, height, title, words):
        self.name, self.size = name, (width, height)
        self.title, self.words, self.parts = title, words, []

    def rect(self, x, y, width, height, kind, label="", style="small"):
        """A box of a class or several ("a edge"), with a label in its middle."""
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" '
                          f'height="{height:g}"/>')
        if label:
            self.text(x + width / 2, y + height / 2 + 4.5, label, style, "middle")

    def text(self, x, y, text, style="", anchor="start"):
        """Lines of text, the first with its foot at y; | begins a new one."""
        for i, line in enumerate(text.split("|")):
            self.parts.append(f'<text class="{style}" x="{x:g}" y="{y + 17 * i:g}" '
                              f'text-anchor="{anchor}">{escape(line)}</text>')

    def grid(self, x, y, across, down, side):
        """Lines of a grid of square cells, and its edge."""
        lines = "".join(f"M{x + i * side:g} {y:g}v{down * side:g}" for i in range(1, across))
        lines += "".join(f"M{x:g} {y + j * side:g}h{across * side:g}" for j in range(1, down))
        self.parts.append(f'<path class="grid" d="{lines}"/>')
        self.parts.append(f'<rect class="edge" fill="none" x="{x:g}" y="{y:g}" '
                          f'width="{across * side:g}" height="{down * side:g}"/>')

    def arrow(self, *points):
        """A line through points, with a head at its end."""
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        (x0, y0), (x1, y1) = points[-2:]
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        bx, by = x1 - 8 * ux, y1 - 8 * uy
        self.parts.append(f'<path class="arrow" d="{path}"/>')
        self.parts.append(f'<path class="head" d="M{x1:g} {y1:g}L{bx - 4 * uy:g} {by + 4 * ux:g}'
                          f'L{bx + 4 * uy:g} {by - 4 * ux:g}z"/>')

    def svg(self):
        width, height = self.size
        ids = f"{self.name}-title", f"{self.name}-words"
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                f'width="{width}" height="{height}" role="img" '
                f'aria-labelledby="{ids[0]} {ids[1]}">\n'
                f'<title id="{ids[0]}">{escape(self.title)}</title>\n'
                f'<desc id="{ids[1]}">{escape(self.words)}</desc>\n'
                + "\n".join(self.parts) + "\n</svg>\n")


def tiles():
    d = Drawing(
        "tiles", 700, 372, "A product in tiles",
        "A, B and C are cut into tiles. The tile of C in row 2, column 3 is the sum of the products "
        "of tiles 1 to 4 in A's second row and tiles 1 to 4 in B's third column. Each step fetches "
        "a tile of A and a tile of B into shared memory, multiplies them and adds the product to "
        "the tile of C, which stays in registers.")
    side, x0, x1, y0, y1 = 36, 30, 204, 26, 200
    row, column = 1, 2
    for step in range(4):
        d.rect(x0 + step * side, y1 + row * side, side, side, "a", str(step + 1), "strong")
        d.rect(x1 + column * side, y0 + step * side, side, side, "b", str(step + 1), "strong")
    d.rect(x1 + column * side, y1 + row * side, side, side, "c")
    for x, y, name in ((x0, y1, "A, m × k"), (x1, y0, "B, k × n"), (x1, y1, "C, m × n")):
        d.grid(x, y, 4, 4, side)
        d.text(x + 2 * side, y + 4 * side + 18 if y == y1 else y - 8, name, "small", "middle")

    left = 420
    d.text(left, 34, "Step 2, in shared memory", "strong")
    d.rect(left, 50, 84, 84, "a edge", "A 2", "strong")
    d.rect(left + 116, 50, 84, 84, "b edge", "B 2", "strong")
    d.text(left + 100, 97, "×", "", "middle")
    d.text(left, 154, "fetched once, each number|used by a whole row or column", "small quiet")
    d.arrow((left + 100, 182), (left + 100, 208))
    d.text(left, 230, "In registers", "strong")
    d.rect(left, 244, 84, 84, "c edge", "sums", "strong")
    d.text(left + 100, 272, "A 1 × B 1|+ A 2 × B 2|+ ...", "small")
    d.text(left, 350, "stored once, after the last step", "small quiet")
    return d


def flow():
    d = Drawing(
        "flow", 700, 430, "From host array to host array",
        "Above, the path of the data: threads copy panels of A and B from Octave's arrays into "
        "page-locked slots, the GPU's copy engine transfers the panels to the GPU's memory, kernels "
        "compute tiles of C, and the tiles go back the same way into a new array. Below, the stages "
        "over time: five rows, one for each stage, with the same four panels. While panel 2 is "
        "multiplied, panel 3 goes up and panel 4 is copied in. The tiles of C go down after the "
        "last panel has gone up, while the last panel is multiplied.")
    top, high = 34, 62
    boxes = [(6, 104, "a", "Octave's|arrays A, B"), (158, 92, "plain", "page-locked|slots"),
             (298, 104, "warm", "GPU memory:|panels, tiles"),
             (450, 92, "plain", "page-locked|slots"), (590, 104, "c", "a new array,|C")]
    for x, width, kind, label in boxes:
        d.rect(x, top, width, high, kind + " edge")
        d.text(x + width / 2, top + 27, label, "small", "middle")
    for (x, width, *_), (following, *_) in zip(boxes, boxes[1:]):
        d.arrow((x + width + 3, top + high / 2), (following - 3, top + high / 2))
    for x, label in ((134, "threads|copy"), (274, "copy|engine"), (426, "copy|engine"),
                     (566, "threads|copy")):
        d.text(x, top + high + 18, label, "small quiet", "middle")
    d.text(350, top - 12, "kernels multiply", "small quiet", "middle")

    lanes = [("copy in", "a"), ("upload", "b"), ("compute", "warm"), ("download", "c"),
             ("copy out", "plain")]
    begin, y0, step, lane = 96, 178, 59, 40
    first = (0, 1, 2, 5, 6)  # of each stage, in steps
    for i, (label, kind) in enumerate(lanes):
        y = y0 + i * lane
        d.text(begin - 12, y + 20, label, "small", "end")
        for panel in range(4):
            d.rect(begin + (first[i] + panel) * step, y, step - 4, 30, kind + " edge", str(panel + 1))
    bottom = y0 + len(lanes) * lane
    d.arrow((begin, bottom + 8), (690, bottom + 8))
    d.text(690, bottom + 26, "time", "small quiet", "end")
    d.text(begin, bottom + 26, "numbers: panels 1 to 4", "small quiet")
    return d


def ladder():
    d = Drawing(
        "ladder", 700, 356, "Elements fetched for each multiply-add",
        "Elements fetched for each multiply-add, as bars. naive: 2 from global memory. tiled with "
        "tiles of 16: 0.125 from global memory and 2 from shared memory. register with tiles of "
        "64 x 64 and 8 x 4 for a thread: 0.031 from global memory and 0.375 from shared memory.")
    rungs = [("naive", "one element for each thread", 1, 1, 1, 1),
             ("tiled", "a block shares tiles|of 16 × 16", 16, 16, 1, 1),
             ("register", "8 × 4 for each thread,|64 × 64 for each block", 64, 64, 8, 4)]
    left, longest = 300, 250
    d.text(left, 22, "elements fetched for each multiply-add", "strong")
    for i, (name, words, tile_m, tile_n, thread_m, thread_n) in enumerate(rungs):
        y = 44 + i * 104
        d.rect(8, y, 84, 84, "plain edge")
        share = max(84 * tile_m / 64, 3)
        d.rect(8, y, share, share, "c edge")
        if thread_m * thread_n > 1:
            d.rect(8, y, 84 * thread_n / 64, 84 * thread_m / 64, "warm edge")
        d.text(106, y + 18, name, "strong")
        d.text(106, y + 36, words, "small quiet")
        bars = [("global memory", 1 / tile_m + 1 / tile_n, "b")]
        if tile_m > 1:
            bars.append(("shared memory", 1 / thread_m + 1 / thread_n, "a"))
        for j, (label, loads, kind) in enumerate(bars):
            length = max(longest * loads / 2, 2)
            d.rect(left, y + 6 + 38 * j, length, 26, kind + " edge")
            d.text(left + length + 8, y + 24 + 38 * j, f"{loads:.3g} from {label}", "small")
    return d


def blocks():
    d = Drawing(
        "blocks", 700, 330, "A product of matrices sparse by blocks",
        "S has 4 x 5 blocks, of which 6 are stored; T has 5 x 4 blocks, of which 7 are stored. Block "
        "row 2 of S has blocks in block columns 2 and 5. So block row 2 of C is the first of these "
        "blocks times block row 2 of T, plus the second block times block row 5 of T. It has a block "
        "in each column where one of the two block rows of T has a block. Below, the storage of S: "
        "where each block row begins, the block columns, the blocks.")
    side = 34
    stored = {"S": [(0, 0), (0, 3), (1, 1), (1, 4), (2, 2), (3, 1)],
              "T": [(0, 1), (1, 0), (1, 2), (2, 3), (3, 1), (4, 2), (4, 3)]}
    chosen = 1
    inner = [j for i, j in stored["S"] if i == chosen]
    x, y = 14, 40
    for i, j in stored["S"]:
        d.rect(x + j * side, y + i * side, side, side, "a" if i == chosen else "plain")
    d.grid(x, y, 5, 4, side)
    d.text(x, y - 12, "S", "strong")
    d.text(x + 5 * side + 20, y + 2 * side + 5, "×", "", "middle")
    x = 224
    for i, j in stored["T"]:
        d.rect(x + j * side, y + i * side, side, side, "b" if i in inner else "plain")
    d.grid(x, y, 4, 5, side)
    d.text(x, y - 12, "T", "strong")
    d.text(x + 4 * side + 20, y + 2 * side + 5, "=", "", "middle")
    x = 400
    for j in sorted({j for i, j in stored["T"] if i in inner}):
        d.rect(x + j * side, y + chosen * side, side, side, "c")
    d.grid(x, y, 4, 4, side)
    d.text(x, y - 12, "C", "strong")
    first, second = inner
    d.text(x + 4 * side + 14, y + chosen * side + 14,
           f"row {chosen + 1} =|S{{2,{first + 1}}} T{{{first + 1},:}}|"
           f"+ S{{2,{second + 1}}} T{{{second + 1},:}}", "small")

    y = 240
    starts = [sum(1 for r, _ in stored["S"] if r < i) for i in range(5)]
    rows = [("where each block row begins", starts, 0), ("block column, from 0",
            [j for _, j in stored["S"]], 1), ("blocks", ["full"] * 6, 1)]
    for i, (label, values, shaded) in enumerate(rows):
        d.text(14, y + 19 + 30 * i, label, "small")
        for j, value in enumerate(values):
            mine = shaded and starts[chosen] <= j < starts[chosen + 1]
            kind = "a edge" if mine else "plain edge"
            d.rect(224 + 44 * j, y + 30 * i, 44, 26, kind, str(value))
    return d


def residues():
    d = Drawing(
        "residues", 700, 300, "A product in double from products of 8-bit integers",
        "A and B are scaled and rounded to integers. For each of about 14 small numbers, the "
        "residues of the integers form a matrix of int8. The tensor cores multiply each pair of "
        "residue matrices separately. The Chinese remainder theorem combines the products into one "
        "matrix of integers. One scaling and rounding gives C.")

    def stack(x, y, kind, label):
        """A matrix for each modulus, one behind the other."""
        for i, modulus in reversed(list(enumerate((256, 255, 253)))):
            d.rect(x + 17 * i, y + 36 - 18 * i, 72, 64, kind + " edge")
            d.text(x + 4 + 17 * i, y + 49 - 18 * i, f"mod {modulus}", "small")
        d.text(x + 36, y + 80, label, "small", "middle")

    for y, name, kind in ((56, "A", "a"), (196, "B", "b")):
        d.rect(8, y, 70, 70, kind + " edge", name, "strong")
        d.arrow((82, y + 35), (112, y + 35))
        d.rect(116, y, 70, 70, kind + " edge")
        d.text(151, y + 32, f"{name}′|integers", "small", "middle")
        d.arrow((190, y + 35), (220, y + 35))
        stack(224, y - 26, kind, "int8")
    d.arrow((338, 100), (386, 138))
    d.arrow((338, 226), (386, 188))
    stack(390, 100, "warm", "A′B′")
    d.arrow((502, 166), (528, 166))
    d.rect(532, 131, 70, 70, "c edge")
    d.text(567, 163, "C′|integers", "small", "middle")
    d.arrow((606, 166), (632, 166))
    d.rect(636, 131, 58, 70, "c edge", "C", "strong")
    for x, y, label in ((97, 22, "scale,|round"), (205, 22, "residues"),
                        (444, 72, "products on INT8|tensor cores"),
                        (567, 104, "Chinese|remainders"), (662, 104, "scale,|round once")):
        d.text(x, y, label, "small quiet", "middle")
    return d


def product_times(ladder):
    """The README's picture: one product from Octave's arrays to an Octave array, who takes how long."""
    rows = csv.DictReader(line for line in ladder.read_text().splitlines() if not line.startswith("#"))
    ms = {row["who"]: round(1000 * float(row["median"])) for row in rows
          if (row["what"], row["type"], row["m"], row["k"], row["n"]) == ("product", "d", *3 * ["8192"])}
    d = Drawing(
        "product-times", 360, 176, "One product of 8192 x 8192 doubles",
        f"From host array to host array gpumm takes {ms['gpumm']} ms and CuPy {ms['cupy']} ms on an NVIDIA "
        f"H200; Octave's own product takes {ms['octave']} ms on 16 cores.")
    d.text(8, 22, "8192 x 8192 double, from array to array", "strong")
    bars = [("gpumm", "gpumm, H200", "c"), ("cupy", "CuPy, H200", "b"),
            ("octave", "Octave's *, 16 cores", "warm")]
    for i, (who, name, kind) in enumerate(bars):
        y, width = 40 + 46 * i, 250 * ms[who] / ms["octave"]
        d.text(8, y + 12, name)
        d.rect(8, y + 18, width, 18, kind)
        d.text(16 + width, y + 33, f"{ms[who]} ms", "strong")
    return d


def files(guide):
    """The text of each drawing by its file. Alone, a drawing has the colours and letters of style.css
    in itself; filter.lua takes them out of a drawing that moves into a page."""
    css = (guide / "parts" / "style.css").read_text()
    colours = "".join(re.findall(r"^:root \{.*?^\}\n|^@media \(prefers.*?^\}\n", css,
                                 re.M | re.S))
    rules = "".join(re.findall(r"^svg .*\n", css, re.M))
    style = f"<style>\n{colours}svg {{ background: var(--paper); }}\n{rules}</style>\n"
    ladder_file = guide.parent.parent / "bench/results/h200/ladder.csv"
    drawn = (tiles(), flow(), ladder(), blocks(), residues(), product_times(ladder_file))
    return {guide / "drawings" / f"{drawing.name}.svg":
            drawing.svg().replace(">\n", f">\n{style}", 1) for drawing in drawn}
