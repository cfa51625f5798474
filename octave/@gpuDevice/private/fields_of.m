## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## The fields of a device, with the memory that is free now.  Without a GPU they are those of the
## CPU, on which the same script runs.

function s = fields_of (D)

  s = struct ("Name", "CPU (no GPU)", "Index", max (D.index, 0) + 1, "ComputeCapability", "", ...
              "SupportsDouble", true, "GraphicsDriverVersion", "", "DriverModel", "N/A", ...
              "ToolkitVersion", NaN, "DriverVersion", NaN, "MaxThreadsPerBlock", NaN, ...
              "MaxShmemPerBlock", NaN, "MaxThreadBlockSize", NaN (1, 3), ...
              "MaxGridSize", NaN (1, 3), "SIMDWidth", NaN, "TotalMemory", NaN, ...
              "AvailableMemory", NaN, "UsedMemory", NaN, "CachedMemory", NaN, ...
              "CachePolicy", "balanced", "MultiprocessorCount", NaN, ...
              "ClockRateKHz", NaN, "ComputeMode", "Default", "GPUOverlapsTransfers", false, ...
              "KernelExecutionTimeout", false, "CanMapHostMemory", false, ...
              "DeviceSupported", D.index >= 0, "DeviceAvailable", D.index >= 0, ...
              "DeviceSelected", D.index == __gpuarray__ ("select"));
  if (D.index < 0)
    [~, host] = memory ();
    here = __gpuarray__ ("memory");
    s.TotalMemory = host.PhysicalMemory.Total;
    s.AvailableMemory = host.PhysicalMemory.Available;
    s.UsedMemory = here.used;
    s.CachedMemory = here.cached;
    return;
  endif

  d = __gpumm_info__ ().devices(D.index + 1);
  s.Name = d.name;
  s.ComputeCapability = sprintf ("%.1f", d.capability);
  s.GraphicsDriverVersion = driver_version ();
  s.ToolkitVersion = str2double (d.runtime);
  s.DriverVersion = str2double (d.driver);
  s.TotalMemory = d.memory_total;
  s.AvailableMemory = d.memory_free;
  s.UsedMemory = d.memory_used;
  s.CachedMemory = d.memory_kept;
  s.MultiprocessorCount = d.multiprocessors;
  s.ClockRateKHz = d.clock_khz;
  s.ComputeMode = {"Default", "Exclusive thread", "Prohibited", "Exclusive process"}{d.compute_mode+1};
  s.KernelExecutionTimeout = d.has_timeout;
  ## CUDA has the same limits for all GPUs that gpumm can use (CUDA C++ Programming Guide, Technical
  ## Specifications per Compute Capability).
  s.MaxThreadsPerBlock = 1024;
  s.MaxShmemPerBlock = 49152;
  s.MaxThreadBlockSize = [1024, 1024, 64];
  s.MaxGridSize = [2147483647, 65535, 65535];
  s.SIMDWidth = 32;
  s.GPUOverlapsTransfers = s.CanMapHostMemory = true;

endfunction

## For example "580.65.06"; empty where the driver does not say, as in WSL.
function text = driver_version ()

  text = "";
  file = "/proc/driver/nvidia/version";
  if (exist (file, "file"))
    text = regexp (fileread (file), '\d+\.[\d.]+', "match", "once");
  endif

endfunction
