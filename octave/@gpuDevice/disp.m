## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## disp (D): a line for each field.
## text = disp (D)

function text = disp (D)

  s = fields_of (D);
  lines = {sprintf("  Name:              %s", s.Name), sprintf("  Index:             %d", s.Index)};
  if (s.DeviceAvailable)
    lines{end+1} = sprintf ("  ComputeCapability: %s", s.ComputeCapability);
  else
    lines{end+1} = sprintf ("  no GPU:            %s", __gpumm_info__ ("gpus").why);
  endif
  lines{end+1} = sprintf ("  TotalMemory:       %.1f GB", 1e-9 * s.TotalMemory);
  lines{end+1} = sprintf ("  AvailableMemory:   %.1f GB", 1e-9 * s.AvailableMemory);
  lines{end+1} = sprintf ("  UsedMemory:        %.3g GB", 1e-9 * s.UsedMemory);
  lines{end+1} = sprintf ("  CachedMemory:      %.3g GB", 1e-9 * s.CachedMemory);
  words = sprintf ("%s\n", lines{:});
  if (nargout > 0)
    text = words;
  else
    printf ("%s", words);
  endif

endfunction
