## FILE = write_file (FILE, TEXT): writes the bytes of TEXT.
## SPDX-License-Identifier: BSD-3-Clause

function file = write_file (file, text)

  id = fopen (file, "wb");
  fputs (id, text);
  fclose (id);

endfunction
