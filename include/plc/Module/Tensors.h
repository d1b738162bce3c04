//===- Tensors.h - names, types and shapes of tensors -----------*- C++ -*-===//
#ifndef PLC_MODULE_TENSORS_H
#define PLC_MODULE_TENSORS_H

#include "plc/Support/ElementType.h"
#include "plc/Support/InputSource.h"
#include "plc/Support/SummedBatch.h"

#include <string>
#include <vector>

namespace plc::module {

/// Name, type and shape of a dense row-major tensor.
struct TensorInfo {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  /// The axis of the batch, of which each micro-batch takes a run. -1: it has none. summedBatch: the tensor is the sum
  /// of values of this shape, one for each sample.
  int64_t batchAxis = -1;
  InputSource source = InputSource::Caller; ///< of an input
  std::string gradientOf{};                 ///< of an output: the input or parameter whose gradient it is; else empty

  /// Whether its values come from a seed unless a caller gives them; whether only an engine gives them.
  bool isRandom() const { return source == InputSource::Random; }
  bool isGivenByEngine() const { return source == InputSource::Step || source == InputSource::LossScale; }
  bool batched() const { return batchAxis >= 0; }
  bool sumsSamples() const { return batchAxis == summedBatch; }
  int64_t numElements() const;
  size_t numBytes() const { return static_cast<size_t>(numElements()) * byteWidth(type); }
  /// `f32[8, 128]`.
  std::string typeText() const;
};

} // namespace plc::module

#endif
