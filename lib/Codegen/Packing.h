//===- Packing.h - panels of a contraction's second operand -----*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_PACKING_H
#define PLC_LIB_CODEGEN_PACKING_H

#include "Contraction.h"

namespace plc::codegen {

/// Columns that a tile computes at once: `vectors` of `lanes` elements, of which the first `columns` exist.
struct Panel {
  int64_t lanes, vectors, columns;

  int64_t width() const { return lanes * vectors; }
  /// The lanes of one of the vectors.
  Lanes lanesOf(int64_t vector) const { return {lanes, std::min(lanes, columns - vector * lanes)}; }
};

/// Copies b[k, columns] from `offset` on, `size` rows of it, to `scratch` as rows of panel.width() elements; what lies
/// behind the last column holds anything.
void packPanel(KernelWriter &writer, const MatmulNest &product, mlir::Value offset, int64_t size, const Panel &panel,
               mlir::Value scratch);

} // namespace plc::codegen

#endif
