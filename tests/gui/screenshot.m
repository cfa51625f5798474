## screenshot (name): what the display of tests/gui/run shows, to a PNG file in GPUMM_SCREENSHOTS.
## SPDX-License-Identifier: BSD-3-Clause

function screenshot (name)

  settle (4);
  imwrite (screen_pixels (), fullfile (getenv ("GPUMM_SCREENSHOTS"), [name ".png"]));

endfunction
