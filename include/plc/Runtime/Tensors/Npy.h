// NumPy's .npy files, strictly: versions 1 to 3, little endian.
#ifndef PLC_RUNTIME_TENSORS_NPY_H
#define PLC_RUNTIME_TENSORS_NPY_H

#include "plc/Runtime/Tensors/StoredElements.h"

namespace plc::runtime {

/// Parses the bytes of a .npy file; `file` is named in errors (`FILE: error: TEXT (offset N)`).
Tensor parseNpy(const std::string &file, std::string_view bytes);

/// Checks the header of a file; elements are read on demand. Throws fileError.
StoredElements openNpy(const std::string &file);

/// The bytes of a version 1 file. bf16, which the format does not have, is written as f32.
std::string formatNpy(const Tensor &tensor);

} // namespace plc::runtime

#endif
