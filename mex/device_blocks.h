// device_blocks.h - matrices in blocks on a device for Octave: values from and to the host, and the
// rules of blocksparse for their operators, whose work engine/arrays does.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_DEVICE_BLOCKS_H
#define GPUMM_DEVICE_BLOCKS_H

#include "device_sparse.h"

namespace gpumm {

// Is it a blocksparse of the host?
bool is_blocksparse (const octave_base_value &x);

blocks upload_blocks (const octave_value &value, int device);
octave_value download (blocks x);

// x converted to another type, as as_type () of arrays.
blocks as_type (blocks x, gpumm_type type);

// As full_of, but an error if the matrix is too large to be made implicitly.
array implicit_full_of (const blocks &x);

// X(I,J) and the element X(K), which are full, as for a blocksparse of the host; the block X{I,J}.
array part_of (const blocks &x, std::vector<octave::idx_vector> index);
array block_of (const blocks &x, const octave_value_list &given);

// a OP b on a device, of which one is in blocks, as a gpuArray in blocks or a full one. The rules
// allow it. A product drops zeros of its operands; the options are its own.
octave_value combined_blocks (octave_value::binary_op op, any_operand &a, any_operand &b,
                              const product_options &o);

} // namespace gpumm

#endif
