## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_source (@var{kernel})
## @deftypefnx {} {@var{text} =} gpumm_source (@var{kernel})
## Show the source of a kernel, from which this package was built.
##
## @var{kernel} is a name that @code{gpumm_kernel} takes, for instance @qcode{"loops"} or
## @qcode{"tiled"}, or one of @code{gpumm_info ().sparse_kernels} whose source is in the package.
## Without an output argument the source is printed.
##
## The head of a source says what the kernel does and what limits it.  Kernels are written in CUDA
## C: nvcc compiles them for the GPU, and the host's compiler compiles the same source for the
## CPU.
##
## @example
## @group
## text = gpumm_source ("tiled");
## strtok (text, "\n")
##   @result{} ans = /* tiled.cu - square tiles in shared memory.
## @end group
## @end example
## @seealso{gpumm_kernel, gpumm_info}
## @end deftypefn

function text = gpumm_source (kernel)

  if (nargin != 1)
    print_usage ();
  endif
  names = {"loops"};
  files = {find_file("loops_kernel.h")};
  info = gpumm_info ();
  kernels = info.kernels;
  sparse_kernels = info.sparse_kernels;
  ## a file of sparse kernels has the name of a family or of a row
  for family = unique ([{kernels.algorithm}, {sparse_kernels.algorithm}, {sparse_kernels.name}], ...
                       "stable")
    file = find_file ([family{1} ".cu"]);
    if (! isempty (file)) # a library has no source here
      names{end+1} = family{1};
      files{end+1} = file;
    endif
  endfor

  name = "";
  if (ischar (kernel) && isrow (kernel))
    name = lower (kernel);
    families = [{kernels.algorithm}, {sparse_kernels.algorithm}];
    row = strcmp ([{kernels.name}, {sparse_kernels.name}], name);
    if (any (row) && ! any (strcmp (name, names)))
      name = families{row};
    endif
  endif
  at = find (strcmp (name, names));
  if (isempty (at))
    error ("gpumm:bad-value", "gpumm_source: KERNEL must be one of %s, or a row of one of them", ...
           strjoin (names, ", "));
  endif
  source = fileread (files{at});
  if (nargout > 0)
    text = source;
  else
    puts (source);
  endif

endfunction

## The path of a source, beside the gateways, where the build puts sources, or beside this function;
## else "".
function file = find_file (name)

  file = "";
  for folder = {fileparts(which ("__gpumm_kernel__")), fileparts(mfilename ("fullpath"))}
    here = fullfile (folder{1}, name);
    if (isempty (file) && exist (here, "file") == 2)
      file = here;
    endif
  endfor

endfunction

%!error <Invalid call> gpumm_source ()
%!error id=gpumm:bad-value gpumm_source ("cublas_none")
%!error id=gpumm:bad-value gpumm_source (1)
%!error <one of loops, naive, .*classic> gpumm_source ("cannon")
%!test
%! families = setdiff ({gpumm_info().kernels.algorithm}, {"cublas", "emulated"});
%! for name = [families, {"classic"}]
%!   text = gpumm_source (name{1});
%!   assert (strncmp (text, ["/* " name{1} ".cu - "], 7 + numel (name{1})));
%!   assert (! isempty (strfind (text, "__global__")));
%! endfor
%! assert (gpumm_source ("Tiled_16"), gpumm_source ("tiled"));
%! assert (gpumm_source ("classic_search"), gpumm_source ("classic"));
%! assert (! isempty (strfind (gpumm_source ("loops"), "for (")));
%! assert (evalc ("gpumm_source (\"naive\")"), gpumm_source ("naive"));
