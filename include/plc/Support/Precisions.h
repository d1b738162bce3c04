//===- Precisions.h - the precision of a model ------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_PRECISIONS_H
#define PLC_SUPPORT_PRECISIONS_H

#include "plc/Support/Choice.h"
#include "plc/Support/ElementType.h"

namespace plc {

/// `precision.compute`: the type of `real`, and the type of the factors of matrix products.
enum class Precision : uint8_t { F32, F64, Mixed, Half };

struct PrecisionRow {
  const char *name;
  ElementType real;
  ElementType factor; ///< the same as `real`, or a storage type
  bool scalesLoss;    ///< gradients may exceed the range of `factor`, so a step scales the loss

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
};

} // namespace plc

#endif
