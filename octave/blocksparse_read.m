## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{S} =} blocksparse_read (@var{file})
## @deftypefnx {} {@var{S} =} blocksparse_read (@var{file}, "Class", @var{class})
## Read the square matrix in @var{file}, a binary file of blocks, as a @code{blocksparse}.
##
## The file is little-endian.  It begins with three int32: the size @math{n} of the matrix, the size
## @math{m} of its blocks, and their number @math{k}.  Then come @math{k} records.  A record has the
## block row and the block column, int32 from 0, and the @math{m^2} elements of the block by
## rows.  The elements are uint16 or uint32; the size of the file determines the class.  A file
## without blocks is read as uint16.  If you give @var{class}, @qcode{"uint16"} or @qcode{"uint32"},
## a file of the other class is an error.
##
## The records may have any order.  It is an error if the file is too short, a count is wrong, an
## index is out of range, or two blocks have the same indices.  The message names the record and the
## byte.
##
## @example
## @group
## file = tempname ();
## blocksparse_write (file, blocksparse (uint16 ([1 2; 3 4; 0 0; 0 0] * [1 0 0 0; 0 1 0 0]), 2))
## S = blocksparse_read (file)
##   @result{} S = 4x4 blocksparse uint16: 1 of 4 blocks of 2x2, 4 nonzeros
##       4  .
##       .  .
## delete (file);
## @end group
## @end example
##
## Errors have the identifier @code{gpumm:blocksparse:file}.
## @seealso{blocksparse_write, blocksparse, mmread}
## @end deftypefn

function S = blocksparse_read (file, option, name)

  if (nargin != 1 && nargin != 3)
    print_usage ();
  endif
  if (! (ischar (file) && isrow (file) && all (file != "\0")))
    error ("gpumm:blocksparse:argument", "blocksparse_read: FILE must be a string");
  endif
  if (nargin == 1)
    name = "";
  elseif (! (ischar (option) && strcmpi (option, "Class")))
    error ("gpumm:blocksparse:argument", "blocksparse_read: the only option is \"Class\"");
  elseif (! (ischar (name) && any (strcmp (name, {"uint16", "uint32"}))))
    error ("gpumm:blocksparse:argument", ...
           "blocksparse_read: \"Class\" must be \"uint16\" or \"uint32\"");
  endif

  try
    S = __gpumm_blocks_file__ (tilde_expand (file), name);
  catch err
    error (struct ("message", strrep (err.message, "gpumm: ", "blocksparse_read: "), ...
                   "identifier", ...
                   strrep (err.identifier, "gpumm:invalid", "gpumm:blocksparse:file")));
  end_try_catch
  S = blocksparse (S);

endfunction

%!test
%! A = kron (uint16 ([0, 1, 2; 3, 0, 0; 0, 65535, 5]), ones (4, "uint16"));
%! A(1,5) = 9;
%! file = tempname ();
%! unwind_protect
%!   for name = {"uint16", "uint32"}
%!     S = blocksparse (feval (name{1}, A), 4);
%!     blocksparse_write (file, S);
%!     assert (stat (file).size, 12 + 5 * (8 + 16 * str2double (name{1}(5:6)) / 8));
%!     T = blocksparse_read (file);
%!     assert (underlyingType (T), name{1});
%!     assert (isequal (S, T));
%!     assert (isequal (blocksparse_read (file, "Class", name{1}), S));
%!   endfor
%!   fid = fopen (file);
%!   header = fread (fid, 5, "int32=>double", 0, "ieee-le").';
%!   values = fread (fid, 16, "uint32=>double", 0, "ieee-le").';
%!   fclose (fid);
%!   assert (header, [12, 4, 5, 0, 1]);
%!   assert (values, [9, ones(1, 15)]); # by rows
%!   Z = blocksparse (8, 8, 2, "uint32");
%!   blocksparse_write (file, Z);
%!   assert (isequal (blocksparse_read (file), Z));
%!   assert (underlyingType (blocksparse_read (file, "Class", "uint32")), "uint32");
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect

%!test # faults of a file and their places
%! file = tempname ();
%! unwind_protect
%!   for wrong = {[4, 2, 1, 0, 0], "it was cut off"; ...
%!                [4, 2, 1, 0, 2, 0, 0], "record 0, at byte 12"; ...
%!                [4, 3, 0], "does not divide"; [4, 2, 2, 0, 0, 1, 1, 0, 0, 2, 2], ...
%!                "record 1, at byte 28: block \\(0, 0\\) was already in record 0"; ...
%!                [4], "the header has 12 bytes"}.'
%!     fid = fopen (file, "w");
%!     fwrite (fid, wrong{1}, "int32", 0, "ieee-le");
%!     fclose (fid);
%!     fail ("blocksparse_read (file)", wrong{2});
%!   endfor
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect

%!error id=gpumm:blocksparse:file blocksparse_read ("/nowhere/at/all")
%!error <blocksparse_read: cannot open /nowhere/at/all> blocksparse_read ("/nowhere/at/all")
%!error id=gpumm:blocksparse:argument blocksparse_read (1)
%!error id=gpumm:blocksparse:argument blocksparse_read ("a", "Class", "int8")
%!error id=gpumm:blocksparse:argument blocksparse_read ("a", "Colour", "uint16")
%!error <Invalid call> blocksparse_read ()
