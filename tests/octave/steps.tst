## steps.tst - the page of gpumm_steps says what gpumm_kernel counts. tests/browser/steps reads it as
## a reader does.
## SPDX-License-Identifier: BSD-3-Clause

## The data of the page for these arguments, and what gpumm_kernel counts.
%!function [data, t] = made (varargin)
%!  [folder, gone] = scratch ();
%!  file = [folder "/steps.html"];
%!  assert (gpumm_steps (varargin{:}, "File", file), file);
%!  page = fileread (file);
%!  if (max ([size(varargin{2}), size(varargin{3})]) <= 8)
%!    assert (numel (page) < 50e3);
%!  endif
%!  assert (isempty (regexp (page, 'https?://', "once")));
%!  data = jsondecode (regexp (page, '(?<=id="data">).*?(?=</script>)', "match", "once"));
%!  [~, t] = gpumm_kernel (varargin{:}, "Backend", "cpu");
%!endfunction

## Sums over the steps that store or not, of the arrays with these names: elements, requests, transfers,
## conflicts.
%!function sums = sums_of (data, store, names)
%!  sums = zeros (1, 4);
%!  for i = 1:numel (data.steps)
%!    s = data.steps{i};
%!    if (s{5} == store && any (strcmp (data.arrays(s{6}+1).name, names)))
%!      sums += [sum(s{10} >= 0), 1, s{7}, s{8}];
%!    endif
%!  endfor
%!endfunction

## the totals are those of gpumm_kernel, for each kernel, class and op; every element of C is stored
%!test
%! A = magic (16);
%! for row = {"naive", {A, A}; "naive", {A(:,1:3), A(1:3,1:5), "TransposeA", "none"}; ...
%!            "naive", {single(A), A, "TransposeA", "transpose"}; ...
%!            "tiled", {A(1:8,1:8), A(1:8,1:8)}; "tiled", {A, A, "Tile", 8}; ...
%!            "tiled_10", {A(1:7,:), A}; "tiled_32_unpadded", {single(A), A}; ...
%!            "register", {A, A}; "register_64x64x8", {complex(A), A, "TransposeB", "ctranspose"}}.'
%!   [data, t] = made (row{1}, row{2}{:});
%!   for name = {"A", "B", "C"}
%!     for way = {"load", "store"}
%!       x = t.(way{1}).(name{1});
%!       assert (sums_of (data, way{1}(1) == "s", name)(1:3), ...
%!               [x.elements, x.requests, x.sectors]);
%!     endfor
%!   endfor
%!   own = {data.arrays([data.arrays.shared]).name};
%!   for way = {"load", "store"}
%!     x = t.shared.(way{1});
%!     assert (sums_of (data, way{1}(1) == "s", own), ...
%!             [x.elements, x.requests, x.passes, x.conflicts]);
%!   endfor
%!   assert (data.barriers, t.barriers);
%!   requests = [t.load.total.requests, t.store.total.requests, t.shared.load.requests, ...
%!               t.shared.store.requests];
%!   assert (numel (data.steps), sum (requests));
%!   last = data.steps(cellfun (@(s) s{6} == 2, data.steps));
%!   stored = cellfun (@(s) s{10}(s{10} >= 0), last, "UniformOutput", false);
%!   [i, j] = ndgrid (0:t.m-1, 0:t.n-1);
%!   assert (sort (vertcat (stored{:})), sort (i(:) + data.arrays(3).ld * j(:)));
%! endfor

## the order: a thread's column of A and of B in turn; tiles are full before the barrier, C comes last.
## The line of the source is that of the access.
%!test
%! data = made ("naive", magic (4), magic (4));
%! assert (cellfun (@(s) s{6}, data.steps(1:4)).', [0, 0, 0, 0]); # A, of four warps
%! assert (cellfun (@(s) s{2}, data.steps(1:4)).', 0:3);
%! assert (data.steps{1}{10}.', 0:3); # A(0..3,0)
%! assert (data.steps{6}{10}.', 16 * [1, 1, 1, 1]); # B(0,1): a column is 16 elements away
%! data = made ("tiled", magic (8), magic (8));
%! order = cellfun (@(s) [data.arrays(s{6}+1).name, "rw"(1+s{5})], data.steps, "UniformOutput", false);
%! assert (unique (order, "stable"), {"Ar"; "aw"; "Br"; "bw"; "ar"; "br"; "Cw"});
%! assert (cellfun (@(s) s{3}, data.steps([1, end])).', [0, 2]);
%! source = strsplit (data.source, "\n", "CollapseDelimiters", false);
%! lines = struct ("Ar", 'value = x\[', "Br", 'value = x\[', "aw", 's\[l\]\[r\] =', "bw", ...
%!                 's\[l\]\[r\] =', "ar", 'x = a\[l\]', "br", 'y = b\[l\]', "Cw", 'store \(C');
%! for i = 1:numel (data.steps)
%!   assert (! isempty (regexp (source{data.steps{i}{4}}, lines.(order{i}), "once")));
%! endfor

## the record of a product is that of the kernel which ran
%!test
%! [~, t, r] = gpumm_kernel ("tiled_16", magic (16), magic (16), "Backend", "cpu");
%! assert (numel (r.request), t.load.total.elements + t.store.total.elements ...
%!                            + t.shared.load.elements + t.shared.store.elements);
%! assert ({r.shared.name}, {"a", "b"});
%! assert ([r.shared.columns], [17, 17]);
%! assert (all (diff (r.request) == 0 | diff (r.request) == 1));
%!error <there are more than 131072 accesses>
%! [C, t, r] = gpumm_kernel ("naive", ones (64), ones (64), "Backend", "cpu");
%!error <RECORD is of a kernel that is counted>
%! [C, t, r] = gpumm_kernel ("naive", 1, 1, "Count", false, "Backend", "cpu");
%!error <RECORD is of a kernel that is counted> [C, t, r] = gpumm_kernel ("loops", 1, 1);

## what is refused says what there is
%!error <^gpumm_steps: KERNEL must be one of naive, tiled, register, .*or the name of a row$> ...
%! gpumm_steps ("cannon", 1, 1)
%!error <^gpumm_steps: A is 17x2 and B is 2x3; the page shows matrices of 1 to 16 rows and columns$> ...
%! gpumm_steps ("naive", ones (17, 2), ones (2, 3))
%!error <^gpumm_steps: tiled has no Tile 12; write 8, 10, > ...
%! gpumm_steps ("tiled", ones (3), ones (3), "Tile", 12)
%!error id=gpumm:unsupported gpumm_steps ("naive", speye (2), speye (2))
%!error id=gpumm:bad-value gpumm_steps ("naive", 1, 1, "File", 3)
%!error id=gpumm:missing-value gpumm_steps ("naive", 1, 1, "File")
%!error <^gpumm_steps: .*/no/such/place.html> ...
%! gpumm_steps ("naive", 1, 1, "File", "/no/such/place.html")
%!error id=gpumm:unwritable gpumm_steps ("naive", 1, 1, "File", "/no/such/place.html")
%!error id=gpumm:unknown-option gpumm_steps ("naive", 1, 1, "Count", false)

## without an output the file's name is printed where there is no display
%!testif ; isempty ([getenv("DISPLAY"), getenv("WAYLAND_DISPLAY")])
%! [folder, gone] = scratch ();
%! file = [folder "/shown.html"];
%! said = evalc ("gpumm_steps (\"naive\", 1, 1, \"File\", file)");
%! assert (said, [file "\n"]);
%! assert (exist (file, "file"), 2);
