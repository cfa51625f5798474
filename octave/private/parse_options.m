## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## O = parse_options (LIST): the options of gpumm, checked, as a struct.
##
## LIST is the cell array of names and values; {} gives the defaults.  The fields are what
## __gpumm_multiply__ reads; alpha and beta keep the user's class.

function o = parse_options (list)

  ## Made once: the struct costs more than all else here.
  persistent defaults = struct ("transpose_a", 0, "transpose_b", 0, "alpha", 1, "beta", 0, ...
                                "c", [], "backend", 0, "algorithm", "auto", ...
                                "device", -1, "output", "", "form", "", ...
                                "max_device_memory", 0, "max_capability", 0, "scalars", false);
  o = defaults;
  has_beta = has_c = false;

  if (mod (numel (list), 2) != 0)
    if (ischar (list{end}) && isrow (list{end}))
      error ("gpumm:missing-value", "gpumm: option \"%s\" has no value", list{end});
    endif
    error ("gpumm:unknown-option", "gpumm: options are pairs of a name and a value; %s", ...
           valid_names ());
  endif

  for i = 1:2:numel (list)
    name = list{i};
    value = list{i+1};
    if (! (ischar (name) && isrow (name)))
      error ("gpumm:unknown-option", "gpumm: the name of an option must be a string; %s", ...
             valid_names ());
    endif
    switch (lower (name))
      case "transposea"
        o.transpose_a = choice ("TransposeA", value, {"none", "transpose", "ctranspose"}) - 1;
      case "transposeb"
        o.transpose_b = choice ("TransposeB", value, {"none", "transpose", "ctranspose"}) - 1;
      case "alpha"
        o.alpha = factor ("Alpha", value);
      case "beta"
        o.beta = factor ("Beta", value);
        has_beta = true;
      case "c"
        if (! (isnumeric (value) || islogical (value) || ischar (value)))
          error ("gpumm:bad-value", "gpumm: C must be a numeric matrix, not a %s", class (value));
        endif
        o.c = value;
        has_c = true;
      case "backend"
        o.backend = choice ("Backend", value, {"auto", "cpu", "gpu"}) - 1; # as gpumm_backend
      case "algorithm"
        o.algorithm = algorithm (value);
      case "device"
        o.device = whole ("Device", value, intmax ("int32"), "the index of a device, from 0");
      case "outputclass"
        classes = {"double", "single", "int8", "int16", "int32", "int64", ...
                   "uint8", "uint16", "uint32", "uint64"};
        o.output = classes{choice("OutputClass", value, classes)};
      case "output"
        forms = {"full", "sparse", "blocksparse"};
        o.form = forms{choice("Output", value, forms)};
      case "maxdevicememory"
        o.max_device_memory = whole ("MaxDeviceMemory", value, flintmax (), "a number of bytes");
        if (o.max_device_memory == 0)
          error ("gpumm:bad-value", "gpumm: MaxDeviceMemory must be positive");
        endif
      case "maxcapability"
        if (! (isnumeric (value) && isreal (value) && isscalar (value) && ! issparse (value) ...
               && value >= 1 && value < 1000))
          error ("gpumm:bad-value", ["gpumm: MaxCapability must be a compute capability, " ...
                                     "for instance 7.5"]);
        endif
        o.max_capability = round (10 * double (value));
      otherwise
        error ("gpumm:unknown-option", "gpumm: unknown option \"%s\"; %s", name, valid_names ());
    endswitch
  endfor

  if (o.device >= 0)
    ## 0 is the first GPU, and the CPU where there is none
    gpus = __gpumm_info__ ("gpus");
    if (gpus.gpus == 0 && o.device > 0)
      error ("gpumm:bad-value", "gpumm: Device must be 0, as no GPU can be used: %s", gpus.why);
    elseif (gpus.gpus > 0 && o.device >= gpus.gpus)
      error ("gpumm:bad-value", "gpumm: Device must be 0 to %d", gpus.gpus - 1);
    endif
  endif

  if (! has_beta)
    o.beta = double (has_c);
  elseif (! has_c && o.beta != 0)
    error ("gpumm:bad-value", "gpumm: Beta is not 0 and there is no C to multiply with it");
  endif

endfunction

function text = valid_names ()
  text = ["valid options are TransposeA, TransposeB, Alpha, Beta, C, Backend, Algorithm, " ...
          "Device, OutputClass, Output, MaxDeviceMemory, MaxCapability"];
endfunction

## Which of the list's words value is, in whatever case; an error that lists them if none.
function i = choice (name, value, words)
  i = [];
  if (ischar (value) && isrow (value))
    i = find (strcmpi (value, words));
  endif
  if (isempty (i))
    quoted = sprintf ("\"%s\", ", words{1:end-1});
    error ("gpumm:bad-value", "gpumm: %s must be %s or \"%s\"", name, quoted(1:end-2), words{end});
  endif
endfunction

function x = factor (name, value)
  if (! ((isnumeric (value) || islogical (value)) && isscalar (value)))
    error ("gpumm:bad-value", "gpumm: %s must be a numeric scalar", name);
  endif
  x = value;
  if (isreal (value) || issparse (value))
    x = full (value); # it would make complex (2, 0) real, which counts beside Inf
  endif
endfunction

function x = whole (name, value, most, meaning)
  if (! (isnumeric (value) && isreal (value) && isscalar (value) && ! issparse (value) ...
         && value >= 0 && value == fix (value) && value <= most))
    error ("gpumm:bad-value", "gpumm: %s must be %s", name, meaning);
  endif
  x = double (value);
endfunction

function name = algorithm (value)
  persistent families words; # a session's libraries do not change
  if (isempty (words))
    info = __gpumm_info__ ();
    families = {info.algorithms.name};
    words = [{"auto"}, families, {info.kernels.name}, ...
             {info.sparse_kernels.name}];
  endif
  i = [];
  if (ischar (value) && isrow (value))
    i = find (strcmpi (value, words), 1);
  endif
  if (isempty (i))
    error ("gpumm:bad-value", ["gpumm: Algorithm must be \"auto\", one of the algorithms %s, or " ...
                               "one of the kernels that gpumm_info lists"], ...
           strjoin (families, ", "));
  endif
  name = words{i};
endfunction
