//===- Pt2Tensor.h - types and layouts of tensors in a .pt2 -----*- C++ -*-===//
#ifndef PLC_IMPORT_READ_PT2TENSOR_H
#define PLC_IMPORT_READ_PT2TENSOR_H

#include "plc/Import/Graph.h"
#include "plc/Support/JsonNode.h"

namespace plc::import {

/// `TensorMeta` of the schema, with symbols at their values at export. Offset and strides count elements.
struct Pt2Tensor {
  std::optional<ElementType> type; // nullopt: plc has no such type
  std::string_view typeName;       // PyTorch's: "ComplexFloat"
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;

  int64_t numElements() const;
};

/// Throws ReadError if a size has no value at export, or if the elements are more than memory can address. `what` names
/// the tensor: "value 'x'".
Pt2Tensor readPt2Tensor(const JsonNode &meta, const std::string &what);

/// A number that may be a symbol (`SymInt`): its value at export, if it has one.
std::optional<int64_t> readPt2Size(const JsonNode &size);

/// The type of a `ScalarType`, if plc has it, and PyTorch's name.
std::pair<std::optional<ElementType>, std::string_view> readPt2Type(const JsonNode &code);

/// "element type 'ComplexFloat', expected one of f64, f32, ...".
std::string refusedType(std::string_view name);

} // namespace plc::import

#endif
