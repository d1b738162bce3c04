// A tensor of a file as the type that a program wants.
#ifndef PLC_RUNTIME_TENSORS_CONVERTTENSOR_H
#define PLC_RUNTIME_TENSORS_CONVERTTENSOR_H

#include "plc/Runtime/Base/Tensor.h"

namespace plc::runtime {

/// Converts the elements to another type of their kind, and integers to bool and back. Reals are rounded to nearest,
/// ties to even, with a warning that names the first that is changed. Throws fileError, with the position, if an
/// integer or a finite real does not fit. Leaves the tensor as it is where there is no such conversion: the caller then
/// finds two types that differ. `what` is whose it is, for messages: "input 'x'". The data may be a part of the tensor, from element
/// `first` on.
void convertTensor(const std::string &file, const std::string &what, ElementType to, Tensor &tensor, int64_t first = 0);

/// Whether there is such a conversion, or none is needed.
bool isConvertible(ElementType from, ElementType to);

} // namespace plc::runtime

#endif
