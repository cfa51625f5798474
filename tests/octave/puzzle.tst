## puzzle.tst - gpumm_puzzle: the references solve their puzzles, the given bodies do not, and wrong
## bodies are told what is wrong, with the line.
## SPDX-License-Identifier: BSD-3-Clause

%!function yes = compiles ()
%!  found = @(name) ! isempty (file_in_path (getenv ("PATH"), name));
%!  yes = found ("g++") || found ("clang++");
%!  if (! yes)
%!    puts ("SKIP: there is no C++ compiler\n");
%!  endif
%!endfunction

%!function names = tasks ()
%!  here = fileparts (which ("gpumm_puzzle"));
%!  names = glob (fullfile (here, "puzzles", "[0-9][0-9]-*.cu"));
%!endfunction

## a section of a task: "given" or "reference"
%!function text = section (name, word)
%!  text = regexp (fileread (name), ["//// " word "\n(.*?)\n////"], "tokens", "once"){1};
%!endfunction

%!function [ok, info] = judged (n, text)
%!  write_file (sprintf ("puzzle_%02d.cu", n), text);
%!  [ok, info] = gpumm_puzzle (n);
%!endfunction

## the references' counts are those of the tasks, to the last one
%!testif ; compiles ()
%! [folder, gone] = scratch ("cd");
%! names = tasks ();
%! assert (numel (names) >= 22);
%! for n = 1:numel (names)
%!   [ok, info] = judged (n, section (names{n}, "reference"));
%!   assert (ok, "puzzle %d: %s", n, info.message);
%!   assert ({info.puzzle, info.score, info.hint}, {n, 100, ""});
%!   for measure = fieldnames (info.reference).'
%!     assert (info.counts.(measure{1}) == info.reference.(measure{1}), "puzzle %d: %d %s", n, ...
%!             info.counts.(measure{1}), measure{1});
%!   endfor
%!   assert (numel (regexp (fileread (names{n}), "^//// hint$", "lineanchors")), 3);
%! endfor
%! said = evalc ("gpumm_puzzle ()");
%! assert (numel (strfind (said, "score 100")), numel (names));

## given and reference texts are CUDA without puzzle.h, too: with plain arrays they compile
%!testif ; compiles ()
%! [folder, gone] = scratch ("cd");
%! text = {"#include <math.h>", "#define __global__ __attribute__ ((unused)) static", ...
%!         "#define __shared__ static", "static void __syncthreads () {}", ...
%!         "template <class T, class S> static void atomicAdd (T *p, S x) { *p += x; }", ...
%!         "static struct { int x, y, z; } threadIdx, blockIdx, blockDim, gridDim;"};
%! names = tasks ();
%! for n = 1:numel (names)
%!   for word = {"given", "reference"}
%!     text{end+1} = sprintf ("namespace %s_%d {\n%s\n}", word{1}, n, section (names{n}, word{1}));
%!   endfor
%! endfor
%! write_file ("all.cc", strjoin (text, "\n"));
%! [status, said] = system ("{ g++ -Wall -fsyntax-only all.cc || clang++ -fsyntax-only all.cc; } 2>&1");
%! assert (status == 0 && isempty (said), "%s", said);

## given bodies, as gpumm_puzzle writes them: two that are empty, and six with a fault, which is named
%!testif ; compiles ()
%! [folder, gone] = scratch ("cd");
%! faults = {5, "wrong", "is as it was written"; 12, "wrong", "save the file"; 17, "wrong", "barrier is missing"; 18, "wrong", "<= against <"; ...
%!           19, "wrong", "which should it read"; 20, "right", "is not coalesced"; ...
%!           21, "right", "has bank conflicts"; 22, "wrong", "atomicAdd"};
%! for row = faults.'
%!   [ok, info] = gpumm_puzzle (row{1});
%!   assert ({ok, info.state}, {false, "new"});
%!   assert (isempty (strfind (info.message, "Mend the kernel")), row{1} < 17);
%!   [ok, info] = gpumm_puzzle (row{1});
%!   assert (strncmp (info.title, "Find the fault", 14), row{1} > 16);
%!   assert (info.line > 0 || row{1} < 17 || row{1} == 19);
%!   assert (strcmp (info.state, row{2}), "%d: %s", row{1}, info.message);
%!   assert (! isempty (regexp (info.hint, row{3}, "once")), "%d: %s", row{1}, info.hint);
%! endfor

## wrong bodies: the puzzle, whose given text is replaced from its last line on; the line of the
## fault (2 is the first of the body); what the message says; what the hint says
%!shared bodies
%! map = "__global__ void map (const float *x, float *y, int n) {\n";
%! sums = "__global__ void block_sums (const float *x, float *sums) {\n__shared__ float s[128];\n";
%! transpose = "__global__ void transpose (const float *A, float *B, int m, int n) {\n";
%! turn = ["int x = threadIdx.x, y = threadIdx.y, i0 = blockIdx.x * 32, j0 = blockIdx.y * 32;\n" ...
%!         "if (i0 + x < m && j0 + y < n) s[y][x] = A[i0 + x + (j0 + y) * m];\n"];
%! back = "if (j0 + x < n && i0 + y < m) B[j0 + x + (i0 + y) * n] = s[x][y];\n}";
%! bodies = { ...
%!   1, [map "y[0] = x[0]\n;z = 1;\n}"], 3, "compiler says: 'z' was not declared", ""; ...
%!   1, [map "int i = threadIdx.x\ny[i] = 1;\n}"], 3, "compiler says: expected", "line above"; ...
%!   1, [map "if (n) {\n}"], 0, "a { has no }", "close each"; ...
%!   1, "__global__ void map (const float *x, int n) {\n}", 0, "does not fit.*float \\* to int|'float \\*' to 'int'", "arguments"; ...
%!   1, "", 0, "does not fit.*'map'", "name"; ...
%!   1, [map "int i = threadIdx.x;\ny[i + 1] = x[i];\n}"], 3, 'thread \(63, 0\).*uses y\[64\]; y has the elements 0 to 63', "nothing"; ...
%!   1, [map "\ny[threadIdx.x - 1] = x[0];\n}"], 3, "-1 in unsigned arithmetic", ""; ...
%!   3, ["__global__ void add (const float *A, const float *B, float *C, int m, int n) {\n" ...
%!       "int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;\n" ...
%!       "C[i + j * m] = A[i + j * m];\n}"], 3, 'A\[1500\] \(row 0, column 30\); A is 50 x 30', ""; ...
%!   9, [transpose "__shared__ float s[32][33];\ns[0][threadIdx.x + 2] = 1;\n}"], 3, 's\[0\]\[33\]; the array is s\[32\]\[33\]', ""; ...
%!   9, [transpose "\n__shared__ float s[64][256];\ns[0][0] = 1;\n}"], 3, "65536 bytes of shared memory", "smaller"; ...
%!   9, [transpose "__shared__ float s[32][33];\n" turn back], 5, 'In lines 4 and 5 .*s\[1\]\[0\]', "barrier is missing.*lines 4 and 5"; ...
%!   9, [transpose "__shared__ float s[32][32];\n" turn "__syncthreads ();\n" back], 6, "the kernel has \\d+ bank conflicts, the reference 0", "Line 6 has bank conflicts"; ...
%!   9, [transpose "int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;\n" ...
%!       "if (i < m && j < n)\nB[j + i * n] = A[i + j * m];\n}"], 4, "sectors, the reference 560", "Line 4 is not coalesced: a warp's store of B"; ...
%!   7, [sums "s[threadIdx.x] = 1;\nif (threadIdx.x < 64)\n__syncthreads ();\n}"], 5, 'thread \(0, 0\).*waits at this.*\(64, 0\) has ended', "out of the if"; ...
%!   7, [sums "s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];\n__syncthreads ();\n" ...
%!       "if (threadIdx.x == 0) { float sum = 0;\nfor (int i = 0; i < 128; i++) sum += s[i];\n" ...
%!       "sums[blockIdx.x] = sum; }\n__syncthreads ();__syncthreads ();__syncthreads ();\n" ...
%!       "__syncthreads ();__syncthreads ();__syncthreads ();__syncthreads ();\n}"], 0, "24 barriers, the reference 21", "can go"; ...
%!   7, [sums "__syncthreads ();\nsums[0] = s[0];\n}"], 4, 'sums\[0\] is NaN', ""; ...
%!   1, [map "int i = threadIdx.x;\nfloat z = 2 * x[i] + 1;\ny[i] = z * x[0] / x[0];\n}"], 0, "256 operations, the reference 128", "more than one thread"; ...
%!   1, [map "__shared__ int next[1];\nif (threadIdx.x == 0) next[0] = 0;\n__syncthreads ();\n" ...
%!       "int i = atomicAdd (&next[0], 1);\ny[threadIdx.x] = 2 * x[i] + 1;\n}"], 0, 'depends on the order.*y\[0\] is .* run backwards', "atomicAdd returns"; ...
%!   1, [map "int i = threadIdx.x;\nfloat sum;\ny[i] = sum + x[i];\n}"], 0, "sum \\(line 3\\) is used before", ""; ...
%!   1, [map "\nwhile (n); }"], 3, "does not end", "loop"; ...
%!   1, [map "for (;;)\n\n__syncthreads ();\n}"], 4, "passed 10000 barriers", "loop"; ...
%!   1, [map "for (int i = 0; i < n; i--)\ny[0] += x[0];\n}"], 3, "accesses without a barrier", "loop"; ...
%!   1, [map "float r[4] = {0};\nr[threadIdx.x] = 1;\ny[0] = r[0];\n}"], 3, "outside of an array of the thread's own", ""; ...
%!   1, [map "\ny[n / (n - 64)] = 1;\n}"], 3, "division of an integer by 0", ""; ...
%!   1, [map "\nint *p = 0;\np[3] = 1;\n}"], 4, "outside of all memory", ""; ...
%!   1, [map "for (;;) {\nfloat *p = new float[1 << 20];\np[0] = x[0];\ny[0] = p[0];\n}\n}"], 3, "asks for 4194304 bytes; the program has 1024 MiB", "memory"; ...
%!   1, [map "for (;;)\nprintf (\"%g\\n\", x[0]);\n}"], 3, "prints too much|accesses without", ""; ...
%!   1, [map "exit (0);\n}"], 0, "no report", ""; ...
%!   1, [map "abort ();\n}"], 0, "ends the program", ""; ...
%!   1, ["__device__ int deep (int n) {\nreturn n ? deep (n + 1) * deep (n - 7) : 0;\n}\n" map "y[deep (3)] = 1;\n}"], 2, "stack is full", ""};

%!testif ; compiles ()
%! [folder, gone] = scratch ("cd");
%! for row = bodies.'
%!   [ok, info] = judged (row{1:2});
%!   said = sprintf ("%s:%d: %s | %s\nof\n%s", info.state, info.line, info.message, info.hint, row{2});
%!   assert (! ok, "%s", said);
%!   assert (info.line == row{3}, "line %d, but %s", row{3}, said);
%!   assert (! isempty (regexp (info.message, row{4}, "once")), "%s, but %s", row{4}, said);
%!   assert (! isempty (regexp (info.hint, row{5}, "once")) || isempty (row{5}), "%s, but %s", row{5}, said);
%! endfor

## CUDA as students write it: pointers to parts, functions of the device, blocks' variables, printf
%!testif ; compiles ()
%! [folder, gone] = scratch ("cd");
%! text = {"/* f\xfcr __shared__ float memory */", "// not __shared__ float memory", ...
%!         "__device__ float line (const float *p, unsigned i) { return 2 * p[i] + 1; }", ...
%!         "__global__ void map (const float *__restrict__ x, float *y, const int n) {", ...
%!         "  __shared__ float s[2][32], last;", "  __shared__ int count[1];", ...
%!         "  const size_t i = threadIdx.x;", "  float r[2] = {};", "  float *out = y + i;", ...
%!         "  double value = line (&x[0], i);", "  r[1] += (float) value; /* __shared__", ...
%!         " */ y[i] = r[0] = max (-x[i], 1) > 0 ? 0 : sqrt (value);", ...
%!         "  s[i / 32][i % 32] = r[0] > 0.0f ? 0.0f : fmaxf (r[1], -100);", ...
%!         "  if (i == 63) last = 0;", "  if (i == 0) count[0] = n;", "  __syncthreads ();", ...
%!         "  *out = s[i / 32][i % 32] + last;", ...
%!         "  if (i == 3) printf (\"%d %g\\n\", count[0], x[0]);", "}"};
%! [ok, info] = judged (1, strjoin (text, "\n"));
%! assert (strcmp (info.state, "right"), "%s", info.message); # it adds more than the reference
%! assert (info.printed, "64 -3\n"); # in the first order only

## a session: the task, a wrong body, a right one, hints, and what the list says
%!testif ; compiles ()
%! [folder, gone] = scratch ("cd");
%! said = evalc ("gpumm_puzzle (2)");
%! assert (! isempty (regexp (said, 'Write the kernel there,\s+save the\s+file', "once")));
%! given = fileread ("puzzle_02.cu");
%! assert (strncmp (given, "/* Puzzle 2: More threads", 25));
%! assert (isempty (strfind (given, "////")));
%! body = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n  y[i] = x[i] * x[i];";
%! write_file ("puzzle_02.cu", strrep (given, "/* Write this body. */", body));
%! said = evalc ("gpumm_puzzle (2)");
%! line = sum (given(1:strfind (given, "/* Write")) == "\n") + 2;
%! assert (! isempty (strfind (said, sprintf ("puzzle_02.cu:%d: y[i] = x[i] * x[i];", line))), said);
%! body = strrep (body, "y[i] =", "if (i < n) y[i] =");
%! write_file ("puzzle_02.cu", strrep (given, "/* Write this body. */", body));
%! said = evalc ("gpumm_puzzle (2)");
%! assert (! isempty (regexp (said, '^Puzzle 2, .*: right\n')), said); # x[i] is loaded twice
%! assert (! isempty (regexp (said, '\nsectors +39 +26\n')), said);
%! assert (! isempty (strfind (said, "variable what a thread uses twice")), said);
%! assert (! isempty (regexp (evalc ("gpumm_puzzle ()"), '\n +2  More threads than elements +score \d+\n')));
%! write_file ("puzzle_02.cu", given);
%! assert (! isempty (regexp (evalc ("gpumm_puzzle ()"), '\n +2  More threads than elements +begun\n')));
%! said = arrayfun (@(i) evalc ("gpumm_puzzle (2, \"hint\")"), 1:4, "UniformOutput", false);
%! assert (numel (unique (said)), 3);
%! assert (said{1}, said{4});

## no compiler
%!test
%! [folder, gone] = scratch ("cd");
%! [~, info] = gpumm_puzzle (1);
%! path = getenv ("PATH");
%! back = onCleanup (@() setenv ("PATH", path));
%! setenv ("PATH", folder);
%! check_error ("gpumm:no-compiler", "Install g\\+\\+", @gpumm_puzzle, 1);
