// Structs of the C API, whose sizes are those of the caller's header.
#ifndef PLC_LIB_RUNTIME_CAPI_STRUCTS_H
#define PLC_LIB_RUNTIME_CAPI_STRUCTS_H

#include "plc/Module/Entries.h"
#include "plc/Runtime/plc.h"

#include <vector>

namespace plc::runtime {

/// Options from a struct of any size. Fields behind its end are zero; throws usageError if fields that this library
/// does not know are not.
plc_options optionsOf(const plc_options *given);

/// Throws usageError unless `index` is below `count`.
void checkIndex(size_t count, size_t index, const char *noun);

plc_tensor_info infoOf(const module::TensorInfo &tensor);
plc_tensor_info infoOf(const module::ParameterInfo &parameter);

/// Writes `known` to the caller's struct as far as its size. Throws usageError if that cannot be a size.
void fill(plc_tensor_info known, plc_tensor_info *info);

/// Describes a tensor of a list. An index that is too large is an error, and leaves a struct without a name.
template <class Tensor>
void describe(const std::vector<Tensor> &tensors, size_t index, const char *noun, plc_tensor_info *info) {
  fill(index < tensors.size() ? infoOf(tensors[index]) : plc_tensor_info{}, info);
  checkIndex(tensors.size(), index, noun);
}

} // namespace plc::runtime

#endif
