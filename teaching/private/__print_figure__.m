## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## __print_figure__ (h, file, caller)
##
## Prints a figure to a .png, .svg or .pdf file.  gnuplot and shells run commands in file names, so
## the figure is printed to a safe name in a new folder and then copied.

function __print_figure__ (h, file, caller)

  [~, ~, kind] = fileparts (file);
  warning ("off", "print:nogs", "local");      # these kinds need no Ghostscript
  device = {"-dpng", "-dsvg", "-dpdf"}{strcmpi (kind, {".png", ".svg", ".pdf"})};
  if (strcmp (get (h, "__graphics_toolkit__"), "gnuplot"))
    device = strrep (strrep (device, "png", "pngcairo"), "pdf", "pdfcairo");
  endif
  folder = tempname ();
  if (isempty (regexp (folder, '^[\w/.+-]*$', "once")))
    folder = tempname ("/tmp");
  endif
  [made, why] = mkdir (folder);
  if (! made)
    error ("gpumm:unwritable", "%s: %s cannot be drawn: %s", caller, file, why);
  endif
  unwind_protect
    name = fullfile (folder, ["figure" lower(kind)]);
    __quietly__ (@() print (h, name, device));
    bytes = "";
    fid = fopen (name, "rb");
    if (fid >= 0)
      bytes = fread (fid, Inf, "uint8=>char").';
      fclose (fid);
    endif
    ## gnuplot does not report a full disk.
    ending = {"IEND", "</svg>", "%%EOF"}{strcmpi (kind, {".png", ".svg", ".pdf"})};
    if (isempty (strfind (bytes(max (1, end - 63):end), ending)))
      error ("gpumm:unwritable", "%s: %s cannot be drawn: the figure in %s is not complete", ...
             caller, file, folder);
    endif
    __write_file__ (file, @(k) {bytes, ""}{min (k, 2)}, caller, ...
                    {"gpumm:unwritable", "gpumm:unwritable"});
  unwind_protect_cleanup
    confirm_recursive_rmdir (false, "local");
    rmdir (folder, "s");
  end_unwind_protect

endfunction
