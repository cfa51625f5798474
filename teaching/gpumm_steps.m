## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_steps (@var{kernel}, @var{A}, @var{B})
## @deftypefnx {} {@var{file} =} gpumm_steps (@dots{}, @var{name}, @var{value})
## Write a page that steps through a small product, one memory access of a warp at a time.
##
## The page shows which lane of the warp reads or writes which element, the sectors of global
## memory or the banks of shared memory that this takes, the line of the kernel's source, and C as
## it fills.  Buttons, a slider and keys step forward and back.  The page is one HTML file and needs
## no network.  Without an output argument the file's name is printed, and the page opens in the
## browser if there is a display.
##
## @var{kernel} is a family of @code{gpumm_info ().kernels} that is one launch, such as
## @qcode{"naive"}, @qcode{"tiled"} or @qcode{"register"}, or the name of a row.  @var{A} and
## @var{B} are full matrices of 1 to 16 rows and columns.  The CPU runs the kernel's source and
## records every access, so the totals of the page are those of @code{gpumm_kernel}.
##
## @example
## @group
## file = gpumm_steps ("tiled", magic (8), magic (8));
## [~, ~, extension] = fileparts (file)
##   @result{} extension = .html
## @end group
## @end example
##
## Options are pairs of a name and a value:
##
## @table @asis
## @item @qcode{"File"}
## The name of the file.  The default is a new file in @code{tempdir ()}.
##
## @item @qcode{"Tile"}, @qcode{"Thread"}, @qcode{"Grid"}
## @itemx @qcode{"TransposeA"}, @qcode{"TransposeB"}
## As in @code{gpumm_kernel}.  With @code{"TransposeA", "transpose"} the lanes of
## @qcode{"naive"} read a row of A: each number is in a sector of its own.
## @end table
##
## Errors have the identifiers of @code{gpumm_kernel}, and @code{gpumm:unwritable} if the file
## cannot be written.
## @seealso{gpumm_kernel, gpumm_source, gpumm_lessons}
## @end deftypefn

function file = gpumm_steps (kernel, A, B, varargin)

  if (nargin < 3)
    print_usage ();
  endif
  o = options_of (varargin);
  check_kernel (kernel);
  check_sizes (A, B);
  try
    [~, trace, record] = gpumm_kernel (kernel, A, B, o.others{:}, "Backend", "cpu");
  catch err
    error (err.identifier, "%s", strrep (err.message, "gpumm_kernel:", "gpumm_steps:"));
  end_try_catch

  page = fileread (fullfile (fileparts (mfilename ("fullpath")), "private", "steps.html"));
  title = sprintf ("%s, step by step", trace.kernel);
  page = strrep (strrep (page, "@TITLE@", title), "@DATA@", data_of (trace, record, size (A), ...
                                                                      size (B)));
  __write_file__ (o.file, page, "gpumm_steps", ...
                  {"gpumm:unwritable", "gpumm:unwritable"});
  if (nargout > 0)
    file = o.file;
    return;
  endif
  printf ("%s\n", o.file);
  if (ispc () || ismac () || ! isempty ([getenv("DISPLAY"), getenv("WAYLAND_DISPLAY")]))
    web (__file_address__ (o.file));
  endif

endfunction

## The name of the file, and the options for gpumm_kernel, which checks them.
function o = options_of (list)

  is_name = @(x) ischar (x) && isrow (x);
  table = {"File", [tempname() ".html"], is_name, "the name of a file"};
  for name = {"Tile", "Thread", "Grid", "TransposeA", "TransposeB"}
    table(end+1,:) = {name{1}, [], @(x) true, ""};
  endfor
  o = __options_of__ ("gpumm_steps", list, table);
  o.file = make_absolute_filename (tilde_expand (o.file));
  o.others = {};
  for name = table(2:end,1).'
    if (! isempty (o.(lower (name{1}))))
      o.others(end+1:end+2) = {name{1}, o.(lower (name{1}))};
    endif
  endfor

endfunction

function check_kernel (kernel)

  kernels = gpumm_info ().kernels;
  kernels(ismember ({kernels.algorithm}, {"cublas", "emulated", "strassen"})) = [];
  names = unique ({kernels.algorithm}, "stable");
  if (! (ischar (kernel) && isrow (kernel)
         && any (strcmpi (kernel, [names, {kernels.name}]))))
    error ("gpumm:bad-value", "gpumm_steps: KERNEL must be one of %s, or the name of a row", ...
           strjoin (names, ", "));
  endif

endfunction

function check_sizes (A, B)

  most = 16;
  sizes = [size(A), size(B)];
  if (any (sizes > most) || any (sizes < 1))
    error ("gpumm:too-large", ["gpumm_steps: A is %s and B is %s; the page shows matrices of 1 " ...
                               "to %d rows and columns"], ...
           sprintf ("%dx", size (A))(1:end-1), sprintf ("%dx", size (B))(1:end-1), most);
  endif

endfunction

## ---- what the page shows ------------------------------------------------------------------------

## As JSON.
function text = data_of (trace, record, size_a, size_b)

  element = 8 / (1 + strcmp (trace.precision, "single"));
  if (trace.flops.needed == 8 * trace.m * trace.n * trace.k) # complex
    element *= 2;
  endif
  about = sprintf (["C is %d x %d, the inner size is %d, in %s. %d blocks of %d threads, which " ...
                    "are %d warps."], trace.m, trace.n, trace.k, trace.precision, trace.blocks, ...
                   prod (trace.threads), ceil (prod (trace.threads) / 32));
  about = regexprep (about, '\<1 (block|warp|thread)s', "1 $1");
  [arrays, places] = arrays_of (record, element, size_a, size_b, [trace.m, trace.n]);
  text = sprintf (["{\"about\":%s,\"size\":%d,\"blocks\":%d,\"barriers\":%d,\"arrays\":[%s],\n" ...
                   "\"source\":%s,\n\"steps\":[\n%s]}"], quoted (about), element, trace.blocks, ...
                  trace.barriers, arrays, quoted (gpumm_source (trace.kernel)), ...
                  steps_of (record, element, places));

endfunction

## A, B, C and the arrays in shared memory that are accessed; places has the index of each by its
## number in the record.
function [text, places] = arrays_of (record, element, varargin)

  texts = {};
  places = zeros (1, 4 + numel (record.shared));
  for i = [1:3, 5:numel(places)]
    shared = "false";
    if (i > 4)
      columns = ld = record.shared(i-4).columns;
      rows = 1 + max (floor (record.offset(record.array == i) / (columns * element)));
      name = record.shared(i-4).name;
      shared = "true";
    else
      [rows, columns] = deal (num2cell (varargin{i}){:});
      ld = record.ld(i);
      name = "ABC"(i);
    endif
    places(i) = numel (texts);
    texts{end+1} = sprintf ("{\"name\":%s,\"rows\":%d,\"columns\":%d,\"ld\":%d,\"shared\":%s}", ...
                            quoted (name), rows, columns, ld, shared);
  endfor
  text = strjoin (texts, ",");

endfunction

## One line for each request, with the element that each lane accesses, or -1.
function text = steps_of (record, element, places)

  first = [1; 1 + find(diff (record.request))];
  last = [first(2:end) - 1; numel(record.request)];
  lines = cell (1, numel (first));
  for i = 1:numel (first)
    at = first(i);
    rows = at:last(i);
    lanes = mod (record.thread(rows), 32);
    elements = - ones (1, max (lanes) + 1);
    elements(lanes+1) = record.offset(rows) / element;
    lines{i} = sprintf ("[%d,%d,%d,%d,%d,%d,%d,%d,%d,[%s]]", record.block(at), ...
                        floor (record.thread(at) / 32), record.barriers(at), record.line(at), ...
                        record.store(at), places(record.array(at)), record.transfers(at), ...
                        record.conflicts(at), record.bytes(at) / element, ...
                        sprintf ("%d,", elements)(1:end-1));
  endfor
  text = strjoin (lines, ",\n");

endfunction

## As a string of JSON in a page.
function text = quoted (text)

  for pair = {"\\", "\\\\"; "\"", "\\\""; "\n", "\\n"; "\t", "\\t"; "<", "\\u003c"}.'
    text = strrep (text, pair{:});
  endfor
  text = ["\"" text "\""];

endfunction

%!error <Invalid call> gpumm_steps ("naive", 1)
%!error id=gpumm:bad-value gpumm_steps ("strassen", 1, 1)
%!error id=gpumm:bad-value gpumm_steps (1, 1, 1)
%!error id=gpumm:too-large gpumm_steps ("naive", ones (17, 1), 1)
%!error id=gpumm:too-large gpumm_steps ("naive", ones (0, 1), 1)
%!error id=gpumm:unknown-option gpumm_steps ("naive", 1, 1, "Blocks", 3)
