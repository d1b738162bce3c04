//===- Precisions.h - what a model is computed in ---------------*- C++ -*-===//
#ifndef PLC_SUPPORT_PRECISIONS_H
#define PLC_SUPPORT_PRECISIONS_H

#include "plc/Support/Choice.h"
#include "plc/Support/ElementType.h"

namespace plc {

/// `precision.compute`: what `real` is, and what products of matrices take their factors in.
enum class Precision : uint8_t { F32, F64, Mixed, Half };

struct PrecisionRow {
  const char *name;
  ElementType real;
  ElementType factor; ///< that of `real`, or a narrow one
  bool scalesLoss;    ///< gradients may leave the range of `factor`: a step multiplies the loss by a scale

  bool isNarrowed() const { return real != factor; }
};

template <>
struct Choice<Precision> {
  static constexpr const char *noun = "precision";
  static constexpr PrecisionRow table[] = {
      {"f32", ElementType::F32, ElementType::F32, false},
      {"f64", ElementType::F64, ElementType::F64, false},
      {"mixed", ElementType::F32, ElementType::BF16, false},
      {"half", ElementType::F32, ElementType::F16, true},
  };
  static std::span<const PrecisionRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

} // namespace plc

#endif
