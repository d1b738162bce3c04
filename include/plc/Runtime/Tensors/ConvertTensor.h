// Converts a tensor of a file to the type that a program wants.
#ifndef PLC_RUNTIME_TENSORS_CONVERTTENSOR_H
#define PLC_RUNTIME_TENSORS_CONVERTTENSOR_H

#include "plc/Runtime/Base/Tensor.h"

namespace plc::runtime {

/// Converts the elements to another type of their kind, and integers to bool and back. Reals are rounded to nearest,
/// ties to even; a warning names the first one that changes. Throws fileError, with the position, if an integer or a
/// finite real does not fit. Without a conversion the tensor stays as it is, and the caller finds two different types.
/// `what` names the receiver in messages: "input 'x'". The data may be a slice of the tensor, from element `first` on.
void convertTensor(const std::string &file, const std::string &what, ElementType to, Tensor &tensor, int64_t first = 0);

/// Whether such a conversion exists, or none is needed.
bool isConvertible(ElementType from, ElementType to);

} // namespace plc::runtime

#endif
