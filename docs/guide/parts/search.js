// search.js - the search box of each page. It finds the sections that have all words typed, from
// `sections` above: [address, page, heading, text]. It needs no server: the pages load this file.
// SPDX-License-Identifier: BSD-3-Clause
(() => {
  const MOST = 12; // results
  const CONTEXT = 60; // characters shown before a word, and twice as many from the word on
  const up = document.currentScript.dataset.up; // from this page to the guide's folder
  const form = document.getElementById ("search");
  const box = form.querySelector ("input");
  const list = form.querySelector ("ol");

  // A word is found at the beginning of words: "gpu" in "gpumm", "mtimes" in "gpumm_mtimes".
  const pattern = (words) => new RegExp (
    `(?<![\\p{L}\\p{N}])${words.replace (/[.*+?^${}()|[\]\\]/g, "\\$&")}`, "giu");
  const times = (text, words) => (text.match (pattern (words)) ?? []).length;

  // 0 if a word is missing. A word in a heading counts more than many in the text, and all words in
  // their order count more than each.
  const score = ([, page, heading, text], words) => {
    let sum = 0;
    for (const word of words) {
      const points = 10 * Math.min (times (`${page} ${heading}`, word), 1)
                     + Math.min (times (text, word), 5);
      if (points === 0)
        return 0;
      sum += points;
    }
    return sum + 10 * Math.min (times (`${heading} ${text}`, words.join (" ")), 3);
  };

  const context = (text, words) => {
    const at = [words.join (" "), ...words].map ((word) => text.search (pattern (word)))
      .find ((place) => place >= 0) ?? 0;
    const begin = Math.max (at - CONTEXT, 0);
    const end = at + 2 * CONTEXT;
    return (begin > 0 ? "… " : "") + text.slice (begin, end) + (end < text.length ? " …" : "");
  };

  const element = (name, text) => {
    const made = document.createElement (name);
    made.textContent = text;
    return made;
  };

  const item = ([address, page, heading, text], words) => {
    const link = element ("a", heading && heading !== page ? `${page}: ${heading}` : page);
    link.href = up + address;
    const made = element ("li", "");
    made.append (link, element ("p", context (text, words)));
    return made;
  };

  const search = () => {
    const words = box.value.split (/\s+/).filter ((word) => word);
    const found = words.length === 0 ? [] : sections
      .map ((section) => [score (section, words), section])
      .filter (([points]) => points > 0)
      .sort (([a], [b]) => b - a)
      .slice (0, MOST);
    list.replaceChildren (...found.map (([, section]) => item (section, words)));
    if (words.length > 0 && found.length === 0)
      list.append (element ("li", "No section has all of these words."));
  };

  form.hidden = false;
  box.addEventListener ("input", search);
  box.addEventListener ("search", search); // the box was emptied
  form.addEventListener ("submit", (event) => {
    event.preventDefault ();
    list.querySelector ("a")?.click ();
  });
})();
