/* families.h - the list of kernel families; a new one is one line here and one file in a folder
 * beside it.
 *
 * FAMILY (name) stands for <folder>/name.cu, which both nvcc and the host's compiler build.
 * CUDA_FAMILY is for one that only a GPU can run. SPARSE_FAMILY and SPARSE_CUDA_FAMILY are the same
 * for kernels with an operand by compressed rows (gpumm_sparse_kernel). Later families do not hide
 * earlier ones: each is chosen by name. CMakeLists.txt reads this list too.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
FAMILY (naive)
FAMILY (tiled)
FAMILY (register)
CUDA_FAMILY (cublas)
FAMILY (strassen)
CUDA_FAMILY (emulated)
SPARSE_FAMILY (classic)
SPARSE_FAMILY (blocks_exact)
SPARSE_CUDA_FAMILY (blocks_strips)
SPARSE_CUDA_FAMILY (blocks_slices)
SPARSE_FAMILY (bsr)
SPARSE_CUDA_FAMILY (bsr_tensor)
SPARSE_CUDA_FAMILY (bsr_tensor_small)
SPARSE_CUDA_FAMILY (bsr_tensor_bulk)
SPARSE_FAMILY (spmm)
SPARSE_FAMILY (spgemm_merge)
SPARSE_CUDA_FAMILY (spgemm)
