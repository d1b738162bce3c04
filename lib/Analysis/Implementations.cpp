//===- Implementations.cpp - which code can compute a contraction ---------===//
#include "plc/Analysis/Implementations.h"

#include "plc/Analysis/MatmulNest.h"

using namespace mlir;
using namespace plc;

const char *plan::misfit(Implementation by, ein::ContractOp op) {
  switch (by) {
  case Implementation::chains: // as defined, so it computes all
    return nullptr;
  case Implementation::blis:
  case Implementation::tiles: break;
  case Implementation::rows:
  case Implementation::elementwise:
  case Implementation::columns:
  case Implementation::scatter:
  case Implementation::insert_slice:
  case Implementation::loop: return "that computes no contraction";
  }
  ein::Contraction contraction = ein::analyse(op);
  if (contraction.part && by == Implementation::blis)
    return "reads a table by positions";
  if (contraction.pairs && by == Implementation::blis)
    return "sums pairs, and the library has one chain";
  if (by == Implementation::blis && (ein::isNarrow(contraction.a.getType()) || ein::isNarrow(contraction.b.getType())))
    return "reads elements that only hold numbers";
  if (contraction.part)
    return ein::asGrouped(contraction) ? nullptr : "reads a table by positions that have no product of matrices each";
  if (by == Implementation::tiles && ein::asStream(contraction))
    return nullptr;
  if (contraction.chains && by == Implementation::blis)
    return "is one chain from its accumulator on, and the library sums from 0";
  std::optional<ein::MatmulNest> product = ein::asProduct(contraction);
  if (!product)
    return "is no product of matrices";
  if (by == Implementation::blis && !product->isStrided())
    return "is no product of matrices of one stride for rows and columns each, whose sums end with a block";
  // Tiles store whole registers along n. BLIS takes any strides.
  if (by == Implementation::tiles && product->n.c != 1)
    return "has no row or column along which its result is contiguous";
  return nullptr;
}

ein::ContractOp plan::contractionOf(KernelOp kernel) {
  ein::ContractOp found;
  for (auto op : kernel.getBody().getOps<ein::ContractOp>()) {
    if (found)
      return {};
    found = op;
  }
  return found;
}
