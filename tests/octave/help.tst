## help.tst - the examples in the help texts do what they say (package doctest).
## SPDX-License-Identifier: BSD-3-Clause

%!function list = names ()
%!  list = {"gpumm", "blocksparse", "blocksparse_read", "blocksparse_write", "gpumm_info", ...
%!          "gpumm_available", "gpumm_reset", "gpumm_tune", "gpumm_kernel", "gpumm_source", ...
%!          "gpumm_plot", "gpumm_gui"};
%!endfunction

%!function [failed, total] = count_failures (names)
%!  [passed, total] = doctest (names);
%!  failed = total - passed;
%!endfunction

%!testif ; ! isempty (pkg ("list", "doctest"))
%! pkg load doctest
%! [failed, total] = count_failures (names ());
%! assert (failed, 0);
%! assert (total >= 8);

## every public function has a help text with a usage
%!test
%! for name = names ()
%!   [text, format] = get_help_text (name{1});
%!   assert (format, "texinfo");
%!   assert (! isempty (strfind (text, "@deftypefn")));
%!   assert (! isempty (strfind (text, "@example")));
%! endfor
