## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## The fields of a device, with the memory that is free now.

function s = fields_of (D)

  s = struct ("Name", "CPU", "Index", 0, "ComputeCapability", "", "TotalMemory", NaN, ...
              "AvailableMemory", NaN, "UsedMemory", NaN, "CachedMemory", NaN, ...
              "DeviceAvailable", false);
  if (D.index >= 0)
    d = __gpumm_info__ ().devices(D.index + 1);
    s = struct ("Name", d.name, "Index", D.index + 1, ...
                "ComputeCapability", sprintf ("%.1f", d.capability), ...
                "TotalMemory", d.memory_total, "AvailableMemory", d.memory_free, ...
                "UsedMemory", d.memory_used, "CachedMemory", d.memory_kept, ...
                "DeviceAvailable", true);
  endif

endfunction
