## failed = wrong_calls (log, from) - calls each gateway, and each word of __gpuarray__, with wrong arguments.
##
## A call may give a value or an error with an identifier; a named function of gpuArrays, whose arguments are
## put into a cell array, may give any error, as Octave's own.  What else it does is a line of FAILED.  The file
## LOG has the number and the text of the running call, so words.tst can name one that ends the process.  FROM
## is the number of the first call.  From GPUMM_SEED comes the choice of the calls with two wrong arguments.
## SPDX-License-Identifier: BSD-3-Clause

function failed = wrong_calls (log, from)

  warning ("off", "all"); # Octave warns of values as texts
  failed = {};
  values = wrong_values ();
  is_sanitized = ! isempty (strfind (getenv ("LD_PRELOAD"), "asan"));
  if (is_sanitized) # AddressSanitizer ends Octave where `new` finds no memory
    is_large = @(x) any (strcmp (class (x), {"double", "uint64", "int64"})) ...
                    && any (double (full (x))(:) >= 2^31 & double (full (x))(:) < Inf);
    values(cellfun (is_large, values)) = [];
  endif
  named = named_functions ();
  octaves = "undefined|called with too many inputs|binary operator|only valid for 2-D";
  file = fopen (log, "w");
  number = 0;
  calls = right_calls ();
  if (isempty (getenv ("GPUMM_GPUARRAY"))) # other gateways run with the host device
    calls = calls(cellfun (@(c) strcmp (c{2}, "__gpuarray__"), calls));
  endif
  if (is_sanitized) # a matrix of sizes is many dimensions
    calls(cellfun (@(c) numel (c) > 2 && any (strncmp (c{3}, "rand", 4)), calls)) = [];
  endif
  for right = calls.'
    is_list = is_named (right{1}(2:end), named) && ! iscell (right{1}{4});
    for call = wrong_ones (right{1}, values)
      if (++number < from || (is_sanitized && mod (number, 8) != 0)) # it is slow
        continue;
      endif
      if (is_list && numel (call{1}) > 1)
        call{1} = [call{1}(1:2), {call{1}(3:end)}];
      endif
      text = call_text (call{1});
      frewind (file);
      fprintf (file, "%-6d %-300.300s", number, text);
      fflush (file);
      try
        result = cell (1, right{1}{1});
        [result{:}] = feval (call{1}{:});
        cellfun (@(x) sum (size (x)), result); # what it gives is a value
      catch err
        ## Octave's own errors; the face of gpumm gives those of operators an identifier
        if (isempty (err.identifier) && isempty (regexp (err.message, octaves, "once"))
            && ! is_named (call{1}, named))
          failed{end+1} = sprintf ("%s: %s", text, err.message);
        endif
      end_try_catch
      undo ();
    endfor
  endfor
  fclose (file);
  printf ("%d calls\n", number);

endfunction

## Calls that work: the number of results, the function and its arguments.
function calls = right_calls ()
  G = gpuArray (magic (3));
  S = gpuArray (sparse (magic (3)));
  B = gpuArray (blocksparse (magic (4), 2));
  b = struct (blocksparse (magic (4), 2));
  o = struct ("transpose_a", 0, "transpose_b", 0, "alpha", 1, "beta", 0, "c", [], "backend", 0, ...
              "algorithm", "auto", "device", -1, "devices", 0, "output", "", "form", "", ...
              "max_device_memory", 0, "max_capability", 0);
  few = struct ("transpose_a", 0, "transpose_b", 0, "algorithm", "auto", "device", -1, "devices", 0);
  words = {{1, "gather", G}; {1, "type", G}; {1, "device", G}; {1, "valid", G}
           {1, "sum", G, 1}; {1, "prod", S, 1, "native"}; {1, "sum", B, 1}; {1, "cumsum", G, 1}
           {1, "cumprod", G}; {1, "max", G, G}; {2, "max", G, [], 2}; {1, "min", S, [], 1}
           {1, "mean", G, 1, "native"}; {1, "sumsq", S, 1}; {1, "dot", G, G, 1}; {1, "norm", G, 1}
           {1, "norm", S, "fro"}; {2, "chol", G' * G, "lower"}; {1, "isequal", B, B}; {1, "isinteger", G}; {1, "logical", G}
           {1, "blocksize", B}; {1, "nnzb", B}; {1, "dropblocks", B, 1}; {1, "gather", G}
           {1, "repmat", G, 2, 3}; {1, "repmat", S, [1, 2]}; {1, "cat", 3, G, G}; {1, "cat", 1, S, G}
           {1, "tril", G, 1}; {1, "triu", S}; {1, "find", G(1)}; {1, "unique", G(1)}; {1, "colon", 1, G(1)}
           {1, "bsxfun", "plus", G, S}; {1, "gpuArray", magic(3)}; {1, "mod", G(1), 2}; {1, "refuse", "text"}
           {1, "zeros", 2, 3}; {1, "ones", [2, 3], "int8"}; {1, "eye", 2, 3}; {1, "Inf", 2}; {1, "NaN", 2, "single"}
           {1, "rand", 2}; {1, "randn", 2}; {1, "functions"}; {1, "makers"}; {1, "select"}; {1, "select", 0}; {0, "wait", -1}; {1, "memory"}
           {1, "upload", magic(3), __gpuarray__("device", G)}; {1, "gpumm", G, G, few}; {2, "gpumm", G, G, few}
           {1, "pagemtimes", G, "none", G, "transpose"}; {1, "sparse", G}; {1, "sparse", B}
           {1, "blocksparse", G, [1, 3]}};
  for name = other_names (words)
    words{end+1} = {1, name{1}, G, 2};
  endfor
  words = cellfun (@(c) {c{1}, "__gpuarray__", c{2:end}}, words, "UniformOutput", false);
  words(end+1:end+2) = {{1, "__gpuarray__", "max", {G}, 2}; {1, "__gpuarray__", "prod", {G}, 1}};
  calls = [{{1, "__gpuarray__", magic(3)}}; words
           {{2, "__gpumm_multiply__", magic(3), magic(3), "Alpha", 2}
            {2, "__gpumm_multiply__", {magic(3), magic(3), o}}; {1, "__gpumm_multiply__", {b, b, o}}
            {1, "__gpumm_pages__", ones(2, 2, 2), ones(2, 2, 2)}
            {1, "__gpumm_pages__", ones(2, 2, 2), "none", ones(2, 2, 2), "transpose"}
            {1, "__gpumm_options__", "Alpha", 2}; {1, "__gpumm_progress__"}; {1, "__gpumm_progress__", 0}
            {0, "__gpumm_progress__", 0, 0}; {1, "__gpumm_sparse__", b}
            {0, "__gpumm_blocks_file__", "a.blocks", b}; {1, "__gpumm_blocks_file__", "a.blocks", "double"}
            {0, "__gpumm_file__", "open", "a.txt"}; {0, "__gpumm_file__", "write", "text"}
            {0, "__gpumm_file__", "commit"}; {0, "__gpumm_file__", "abort"}
            {3, "__gpumm_kernel__", magic(3), magic(3), setfield(o, "algorithm", "naive"), true}
            {4, "__gpumm_kernel__", magic(3), magic(3), setfield(o, "algorithm", "naive"), true}
            {3, "__gpumm_kernel__", b, b, setfield(o, "output", "double"), false}
            {1, "__gpumm_info__"}; {1, "__gpumm_info__", "gpus"}; {0, "__gpumm_reset__"}
            {1, "__gpumm_fault__", "memory", 0}; {1, "__gpumm_fault__", "live"}; {2, "__gpumm_blas__"}
            {3, "__gpumm_mtimes__"}; {3, "__gpumm_mtimes__", false}
            {1, "__blocksparse__", b}; {1, "__blocksparse__", b, "product"}; {1, "__blocksparse__"}
            {1, "__blocksparse__", blocksparse(magic (4), 2)}
            {1, "__blocksparse__", blocksparse(magic (4), 2), "whole"}}];
  check_complete (calls);
endfunction

## The named functions without a call in WORDS.
function names = other_names (words)
  listed = cellfun (@(c) c{2}, words, "UniformOutput", false);
  names = setdiff (named_functions (), listed);
endfunction

## An error if a word or a gateway is missing.
function check_complete (calls)
  mex = fullfile (fileparts (fileparts (which ("run_tests"))), "..", "mex");
  words = regexp (fileread (fullfile (mex, "gpuarray.cc")), '\n[^\n]*\{"([a-z ]+)", \{&?\w*[^\n]*\}, \w+_', "tokens");
  words = [words{:}];
  gateways = {dir(fullfile (mex, "__*__.c")).name};
  names = [strrep(gateways, ".c", ""), {"__gpuarray__", "__blocksparse__", "__gpumm_mtimes__"}];
  for name = names
    assert (any (cellfun (@(c) strcmp (c{2}, name{1}), calls)), "no call of %s", name{1});
  endfor
  assert (numel (words) > 5);
  for word = words
    assert (any (cellfun (@(c) numel (c) > 2 && strcmp (c{3}, word{1}), calls)), "no call of %s", word{1});
  endfor
endfunction

## Does CALL call one of the functions NAMED?
function yes = is_named (call, named)
  is_text = cellfun (@(x) ischar (x) && rows (x) == 1, call(1:min (3, end)));
  yes = is_text(1) && strcmp (call{1}, "__gpuarray__") && any (ismember (call(is_text), named));
endfunction

function names = named_functions ()
  names = __gpuarray__ ("functions").named;
  assert (numel (names) > 30);
endfunction

function values = wrong_values ()
  G = gpuArray (magic (3));
  values = {[], 0, -1, NaN, Inf, -Inf, 1e300, 2^31, 2^53, 2^63, -2^63, 1.5, 1, 2, 3, 4, 1+2i, "text", "", ["ab"; "cd"], ...
            "sum", "norm", {}, {1}, {1, 2, 3}, {magic(3), magic(3), struct()}, {[], [], struct()}, ...
            struct(), struct("a", {}), struct("rows", NaN, "cols", 2^63, "block_rows", 0, "block_cols", 1e300), ...
            @sin, sparse(3), sparse(magic(3)), sparse(0, 0), sparse(true), ...
            blocksparse(magic(4), 2), blocksparse(5, 1), blocksparse(uint16(magic(4)), [4, 2]), ...
            G, gpuArray(5), gpuArray(sparse(magic(3))), gpuArray(sparse(5)), gpuArray(sparse(0, 3)), ...
            gpuArray(blocksparse(magic(4), 2)), gpuArray(blocksparse(5, 1)), ...
            gpuArray(blocksparse(int64(magic(4)), [2, 4])), ...
            gpuArray(ones(2, 2, 2)), gpuArray(single(1+2i)), gpuArray(int64(5)), gpuArray(true), ...
            gpuArray(zeros(0, 3)), gpuArray(complex(magic(3), 1)), ones(2, 2, 2), magic(3), int8(5), ...
            intmax("uint64"), int64(2)^62, true, 1:3, 1:0, single(2), single(magic(3)), eye(3), eye(3)(:,[2, 1, 3]), ...
            zeros(0, 3, 2), zeros(0, 3), [0, 0], [-1, 3], [1, 3], [3, 3], [NaN, 1], [2, 2^40], [1e300, 1], ...
            [1; 2], containers.Map(), inputParser(), NA, "none", "auto"};
endfunction

## RIGHT with fewer arguments, with one more, with a wrong one at each place, and some with two.
function list = wrong_ones (right, values)
  right(1) = [];
  list = {right};
  n = numel (right);
  for k = 1:n - 1
    list{end+1} = right(1:k);
  endfor
  for value = values
    list{end+1} = [right, value];
    for place = 2:n
      for wrong = with_value (right{place}, value{1})
        call = right;
        call(place) = wrong;
        list{end+1} = call;
      endfor
    endfor
  endfor
  for round = 1:40 * (n > 3)
    call = right;
    places = randperm (n - 1)(1:2) + 1;
    call(places) = values(randi (numel (values), 1, 2));
    list{end+1} = call;
  endfor
endfunction

## VALUE in the place of X, and of each field of a struct or element of a cell.
function list = with_value (x, value)
  list = {value};
  if (isstruct (x))
    for name = fieldnames (x).'
      wrong = x;
      wrong.(name{1}) = value;
      list{end+1} = wrong;
    endfor
  elseif (iscell (x))
    for i = 1:numel (x)
      for wrong = with_value (x{i}, value)
        list{end+1} = x;
        list{end}(i) = wrong;
      endfor
    endfor
  endif
endfunction

## What the call may have changed.
function undo ()
  persistent device = __gpuarray__ ("select");
  __gpumm_fault__ ("memory", 0);
  __gpumm_fault__ ("spread", 0);
  __gpumm_mtimes__ (false);
  __gpumm_progress__ (0, 0);
  __gpumm_file__ ("abort");
  if (__gpuarray__ ("select") != device)
    __gpuarray__ ("select", 0);
  endif
endfunction

function text = call_text (call)
  parts = cellfun (@value_text, call(2:end), "UniformOutput", false);
  text = [call{1} " (" sprintf("%s, ", parts{:}) ")"];
endfunction

function text = value_text (x)
  if (ischar (x) && rows (x) == 1)
    text = ['"' x '"'];
  elseif (isnumeric (x) && isscalar (x) && ! strcmp (class (x), "gpuArray"))
    text = sprintf ("%s %g", typeinfo (x), full (double (real (x))));
  else
    text = [sprintf("%dx", size (x))(1:end-1) " " typeinfo(x)];
  endif
endfunction
