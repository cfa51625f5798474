/* families.h - the list of kernel families; a new one is one line here and one file beside it.
 *
 * FAMILY (name) stands for name.cu, which both nvcc and the host's compiler build; CUDA_FAMILY for
 * one that only a GPU can run. CANDIDATE_FAMILY is one that has not been under compute-sanitizer
 * yet: built with -DGPUMM_CANDIDATES=ON only, to be measured and checked, and not by anyone else.
 * Later families do not hide earlier ones: each is chosen by name.
 * CMakeLists.txt reads this list too.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
FAMILY (naive)
FAMILY (tiled)
FAMILY (register)
CANDIDATE_FAMILY (register_tuned)
CANDIDATE_FAMILY (tensor)
CUDA_FAMILY (cublas)
FAMILY (strassen)
CANDIDATE_FAMILY (emulated)
