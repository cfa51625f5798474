## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {} blocksparse_write (@var{file}, @var{S})
## Write the @code{blocksparse} @var{S} to @var{file}, a binary file of blocks.
##
## @var{S} must be square, with square blocks and elements of uint16 or uint32.  The help of
## @code{blocksparse_read} describes the format.  Records are sorted by block row, then by block
## column.  An older file is replaced only when the new file is complete; an error leaves the older
## file unchanged.
##
## @example
## @group
## file = tempname ();
## blocksparse_write (file, blocksparse (uint32 (eye (8)), 4));
## stat (file).size
##   @result{} ans = 156
## delete (file);
## @end group
## @end example
##
## Errors have the identifier @code{gpumm:blocksparse:file}.
## @seealso{blocksparse_read, blocksparse, mmwrite}
## @end deftypefn

function blocksparse_write (file, S)

  if (nargin != 2)
    print_usage ();
  endif
  if (! (ischar (file) && isrow (file) && all (file != "\0")))
    error ("gpumm:blocksparse:argument", "blocksparse_write: FILE must be a string");
  elseif (! isa (S, "blocksparse"))
    error ("gpumm:blocksparse:argument", "blocksparse_write: S must be a blocksparse");
  endif
  fflush (stdout); # FILE may be /dev/stdout
  try
    __gpumm_blocks_file__ (tilde_expand (file), S);
  catch err
    error ("gpumm:blocksparse:file", "%s", ...
           strrep (err.message, "gpumm: ", "blocksparse_write: "));
  end_try_catch

endfunction

%!error id=gpumm:blocksparse:file blocksparse_write ("/nowhere/a", blocksparse (2, 2, 1, "uint16"))
%!error <holds blocks of uint16 or uint32> blocksparse_write (tempname (), blocksparse (2, 2, 1))
%!error <not 4x2 in blocks of 1x1> blocksparse_write (tempname (), blocksparse (4, 2, 1, "uint16"))
%!error id=gpumm:blocksparse:argument blocksparse_write (1, blocksparse (2, 2, 1, "uint16"))
%!error id=gpumm:blocksparse:argument blocksparse_write ("a", 1)
%!error <Invalid call> blocksparse_write ("a")
