## pixels = screen_pixels (): what the display of tests/gui/run shows, rows x columns x 3, uint8.
##
## Xvfb keeps its screen in a file, in the format of X window dumps (XWDFile.h): numbers of the
## header are 32 bits, high byte first; pixels are 4 bytes, blue first.
## SPDX-License-Identifier: BSD-3-Clause

function pixels = screen_pixels ()

  id = fopen (getenv ("GPUMM_SCREEN"), "r");
  header = fread (id, 25, "uint32", 0, "ieee-be");
  [width, height, line] = deal (header(5), header(6), header(13));
  fseek (id, header(1) + 12 * header(20), SEEK_SET ());
  pixels = fread (id, [line, height], "uint8=>uint8");
  fclose (id);
  pixels = reshape (pixels(1:4 * width,:), 4, width, height);
  pixels = permute (pixels([3, 2, 1],:,:), [3, 2, 1]);

endfunction
