// faults.js - finds what is wrong with the page in its present layout: {faults, links, ids}.
// SPDX-License-Identifier: BSD-3-Clause
(() => {
  const LEAST_CONTRAST = 4.5;
  const LEAST_LETTERS = 11; // px
  const LEAST_SCALE = 0.6; // of a picture: letters in it stay readable
  const LETTER = 9 * 28, LINE = 28; // px, with the space between lines
  const MARKDOWN = /`|\*\*|\]\(|^\s*(\$\$|:::)/; // Markdown that pandoc left in the text
  const root = document.documentElement;
  const width = root.clientWidth;
  const faults = [];

  const name = (element) =>
    `<${[element.tagName.toLowerCase(), ...element.classList].join (".")}> "${
      element.textContent.trim ().replace (/\s+/g, " ").slice (0, 40)}"`;

  const colour = (text) => {
    const [r, g, b, a = 1] = text.match (/[\d.]+/g).map (Number);
    return { r, g, b, a };
  };
  const over = (front, back) => ({
    r: front.a * front.r + (1 - front.a) * back.r,
    g: front.a * front.g + (1 - front.a) * back.g,
    b: front.a * front.b + (1 - front.a) * back.b,
    a: 1,
  });

  // WCAG 2.2, relative luminance and contrast ratio.
  const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map ((c) =>
      c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (a, b) => {
    const [dark, light] = [luminance (a), luminance (b)].sort ((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };

  // The colour behind an element, from the backgrounds of its ancestors.
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const layer = colour (getComputedStyle (e).backgroundColor);
      layers.push (layer);
      if (layer.a === 1)
        break;
    }
    return layers.reduceRight ((back, front) => over (front, back),
                               { r: 255, g: 255, b: 255, a: 1 });
  };

  // The colour behind text in a drawing: the last shape before the text that holds its centre.
  const behind_drawn = (text) => {
    const svg = text.closest ("svg");
    const at = text.getBoundingClientRect ();
    const x = (at.left + at.right) / 2;
    const y = (at.top + at.bottom) / 2;
    let found = behind (svg);
    for (const shape of svg.querySelectorAll ("rect, circle, ellipse, polygon")) {
      const fill = getComputedStyle (shape).fill;
      const box = shape.getBoundingClientRect ();
      if (shape.compareDocumentPosition (text) & Node.DOCUMENT_POSITION_FOLLOWING && fill !== "none"
          && box.left <= x && x <= box.right && box.top <= y && y <= box.bottom)
        found = over (colour (fill), found);
    }
    return found;
  };

  const compare = (what, front, back) => {
    const ratio = contrast (over (front, back), back);
    if (ratio < LEAST_CONTRAST)
      faults.push (`contrast ${ratio.toFixed (2)}: ${what}`);
  };

  const seen = (element) =>
    element.checkVisibility ({ contentVisibilityAuto: true, visibilityProperty: true })
    && ! element.closest (".skip");
  const scrolls = (element) => ["auto", "scroll"].includes (getComputedStyle (element).overflowX);

  if (root.scrollWidth > width)
    faults.push (`the page is ${root.scrollWidth} px wide in a window of ${width}`);

  // Lists are folded above the text of a narrow page, and open on a wide one (style.css: from 66rem on).
  for (const list of ["pages", "contents"]) {
    const first = document.querySelector (`.${list} a`);
    if (first && seen (first) !== matchMedia ("(min-width: 66rem)").matches)
      faults.push (`${list} are ${seen (first) ? "open" : "folded"} at ${width} px`);
  }
  const title = document.querySelector ("h1");
  if (! title || title.getBoundingClientRect ().top > innerHeight / 2)
    faults.push ("no title in the upper half of the window");

  for (const element of document.body.querySelectorAll ("*")) {
    if (! seen (element))
      continue;
    const style = getComputedStyle (element);
    const box = element.getBoundingClientRect ();
    if (element.clientWidth && element.scrollWidth > element.clientWidth + 1) {
      if (scrolls (element) && ! style.backgroundImage.includes ("gradient"))
        faults.push (`scrolls without a shadow that shows it: ${name (element)}`);
      if (["hidden", "clip"].includes (style.overflowX))
        faults.push (`${element.scrollWidth - element.clientWidth} px are cut off: ${
          name (element)}`);
    }
    if (box.width && (box.left < -1 || box.right > width + 1)) {
      let holder = element.parentElement;
      while (holder && ! scrolls (holder))
        holder = holder.parentElement;
      if (! holder || holder === root || holder === document.body)
        faults.push (`lies outside of the page, ${box.left.toFixed ()} to ${
          box.right.toFixed ()} px: ${name (element)}`);
    }
    const before = getComputedStyle (element, "::before");
    if (! ["none", "normal", '""'].includes (before.content))
      compare (`${before.content} before ${name (element)}`, colour (before.color),
               behind (element));
  }

  // The text nodes that are seen, but for those in elements of this selector.
  const texts = function* (left_out) {
    const walker = document.createTreeWalker (document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode ()) {
      const text = walker.currentNode;
      if (text.data.trim () && seen (text.parentElement) && ! text.parentElement.closest (left_out))
        yield text;
    }
  };

  // Texts lie beside or below each other. Formulas are left out, and what a box has scrolled away.
  const overlaps = () => {
    const OVERLAP = 3; // px in both directions: boxes of lines are higher than their letters
    const boxes = [];
    for (const text of texts ("math, script, style, title, desc, sub, sup")) {
      const element = text.parentElement;
      const range = document.createRange ();
      range.selectNodeContents (text);
      let holder = element;
      while (holder && ! scrolls (holder))
        holder = holder.parentElement;
      const clip = holder && holder !== root && holder !== document.body
        ? holder.getBoundingClientRect ()
        : { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };
      for (const box of range.getClientRects ())
        boxes.push ({ element, top: Math.max (box.top, clip.top),
                      bottom: Math.min (box.bottom, clip.bottom),
                      left: Math.max (box.left, clip.left),
                      right: Math.min (box.right, clip.right) });
    }
    boxes.sort ((a, b) => a.top - b.top);
    for (let i = 0; i < boxes.length; i++)
      for (let j = i + 1; j < boxes.length && boxes[j].top < boxes[i].bottom - OVERLAP; j++) {
        const [a, b] = [boxes[i], boxes[j]];
        if (a.element !== b.element
            && Math.min (a.right, b.right) - Math.max (a.left, b.left) > OVERLAP
            && Math.min (a.bottom, b.bottom) - b.top > OVERLAP)
          faults.push (`${name (a.element)} and ${name (b.element)} overlap`);
      }
  };
  overlaps ();

  // Every text node. Letters in a drawing scale with the drawing.
  for (const text of texts ("script, style, title, desc, option, annotation")) {
    const element = text.parentElement;
    const left = text.data.match (MARKDOWN);
    if (left && ! element.closest ("pre, code, .code"))
      faults.push (`left over: ${left[0]} in ${name (element)}`);
    const style = getComputedStyle (element);
    const drawn = element.closest ("svg");
    const natural = drawn && drawn.viewBox.baseVal.width;
    const scale = natural ? drawn.getBoundingClientRect ().width / natural : 1;
    const size = parseFloat (style.fontSize) * scale;
    if (size < LEAST_LETTERS && ! element.closest ("math, sub, sup"))
      faults.push (`letters are ${size.toFixed (1)} px high: ${name (element)}`);
    compare (name (element), colour (drawn ? style.fill : style.color),
             drawn ? behind_drawn (element) : behind (element));
  }

  for (const image of document.images) {
    if (! image.complete || ! image.naturalWidth)
      faults.push (`a picture is not loaded: ${image.getAttribute ("src")}`);
    else if (image.clientWidth < LEAST_SCALE * image.naturalWidth)
      faults.push (`a picture of ${image.naturalWidth} px is ${image.clientWidth} px wide: ${
        image.getAttribute ("src")}`);
  }

  for (const image of document.images)
    if (image.naturalWidth && Math.abs (image.clientWidth * image.naturalHeight
                                        - image.clientHeight * image.naturalWidth)
        > 1.5 * Math.max (image.naturalWidth, image.naturalHeight)) // sizes are whole pixels
      faults.push (`a picture is distorted: ${image.getAttribute ("src")}`);

  // A page is not higher than its pictures, as they are drawn, and its letters, each in a box of
  // LETTER: half of that is usual.
  for (const image of document.images)
    if (image.naturalWidth && (image.clientWidth > 1.01 * image.naturalWidth
                               || image.clientHeight > 1.01 * image.naturalHeight))
      faults.push (`a picture of ${image.naturalWidth} x ${image.naturalHeight} px is ${
        image.clientWidth} x ${image.clientHeight} px large: ${image.getAttribute ("src")}`);
  const pictures = [...document.querySelectorAll ("img, svg")].reduce (
    (sum, e) => sum + (e.naturalHeight ?? e.viewBox.baseVal.height), 0);
  const blocks = document.body.querySelectorAll (
    "p, pre, li, tr, h1, h2, h3, h4, figure, dt, dd").length;
  const lines = document.body.innerText.split ("\n").length;
  const text = document.body.innerText.length * LETTER / Math.min (width, 700);
  const most = innerHeight + pictures + text + LINE * (blocks + lines);
  if (root.scrollHeight > most)
    faults.push (`the page is ${root.scrollHeight} px high, and its text and pictures need ${
      most.toFixed ()}`);

  return {
    faults: [...new Set (faults)],
    links: [...document.querySelectorAll ("a[href]")].map ((a) => a.href),
    ids: [...document.querySelectorAll ("[id]")].map ((e) => e.id),
  };
}) ()
