## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpuDeviceTable ()
## @deftypefnx {} {@var{table} =} gpuDeviceTable ()
## @deftypefnx {} {@dots{} =} gpuDeviceTable (@var{names})
## Print or return the fields of all GPUs that gpumm can use.
##
## @var{names} is a field of @code{gpuDevice}, or a cell array of them.  The default is
## @qcode{"Index"}, @qcode{"Name"}, @qcode{"ComputeCapability"}, @qcode{"DeviceAvailable"} and
## @qcode{"DeviceSelected"}.
##
## Octave has no tables: @var{table} is a struct of columns with a row for each GPU.
## @code{@var{table}.Index} is a column of numbers, and @code{@var{table}.Name} a column of texts
## in a cell array.  Without a GPU the columns have no rows.
##
## @example
## @group
## table = gpuDeviceTable (@{"Index", "TotalMemory"@});
## numel (table.TotalMemory) == gpuDeviceCount ()
##   @result{} ans = 1
## @end group
## @end example
## @seealso{gpuDevice, gpuDeviceCount, gpumm_info}
## @end deftypefn

function table = gpuDeviceTable (names = {"Index", "Name", "ComputeCapability", ...
                                          "DeviceAvailable", "DeviceSelected"})

  if (ischar (names))
    names = cellstr (names);
  endif
  known = fieldnames (gpuDevice ());
  if (! (iscellstr (names) && all (ismember (names, known))))
    error ("gpumm:bad-value", "gpuDeviceTable: NAMES must be fields of gpuDevice: %s", ...
           strjoin (known.', ", "));
  endif
  columns = struct ();
  for name = names(:).'
    columns.(name{1}) = column_of (name{1});
  endfor
  if (nargout > 0)
    table = columns;
  elseif (canUseGPU ())
    print_table (columns);
  else
    printf ("no GPU: %s\n", __gpumm_info__ ("gpus").why);
  endif

endfunction

## The field of all GPUs: rows of numbers, or texts in a cell array.
function column = column_of (name)

  sample = gpuDevice ().(name); # has the class and the columns where there is no GPU
  if (ischar (sample))
    column = cell (0, 1);
  else
    column = sample([],:);
  endif
  for k = 1:gpuDeviceCount ()
    value = parallel.gpu.GPUDevice.getDevice (k).(name);
    if (ischar (value))
      value = {value};
    endif
    column(end+1,:) = value;
  endfor

endfunction

function print_table (columns)

  lines = "";
  for name = fieldnames (columns).'
    column = columns.(name{1});
    if (islogical (column))
      column = {"false"; "true"}(1 + column);
    elseif (isnumeric (column))
      column = cellfun (@(row) strtrim (sprintf ("%.15g ", row)), num2cell (column, 2), ...
                        "UniformOutput", false);
    endif
    text = char (name{1}, column{:});
    lines = [lines, repmat("  ", rows (text), 1), text];
  endfor
  printf ("%s\n", cellstr (lines){:});

endfunction

%!test
%! table = gpuDeviceTable ();
%! assert (fieldnames (table), {"Index"; "Name"; "ComputeCapability"; "DeviceAvailable"; ...
%!                              "DeviceSelected"});
%! assert (numel (table.Index), gpuDeviceCount ());
%! assert (iscellstr (table.Name) && islogical (table.DeviceSelected));
%! assert (columns (gpuDeviceTable ("MaxGridSize").MaxGridSize), 3);
%! assert (isempty (evalc ("gpuDeviceTable ();")), false);
%!error id=gpumm:bad-value gpuDeviceTable ("Colour")
%!error id=gpumm:bad-value gpuDeviceTable (1)
%!error <there|Name, Index> gpuDeviceTable ({"Name", "Colour"})
