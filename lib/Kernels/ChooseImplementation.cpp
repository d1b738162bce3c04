//===- ChooseImplementation.cpp - chooses kernels' implementations --------===//
#include "ChooseImplementation.h"

#include "plc/Analysis/Implementations.h"
#include "plc/Analysis/MatmulNest.h"

#include <algorithm>

using namespace mlir;
using namespace plc;
using namespace plc::kernels;
using plan::Implementation;

namespace {

/// A row of Implementations.def for a contraction: least number of rows and columns, least number of products.
struct Candidate {
  Implementation by;
  int64_t leastExtent, leastProducts;
};

constexpr Candidate candidates[] = {
#define CONTRACTION(NAME, LEAST_EXTENT, LEAST_PRODUCTS, WRITER) {Implementation::NAME, LEAST_EXTENT, LEAST_PRODUCTS},
#include "plc/Dialect/Plan/Implementations.def"
};

// `contractions=blis` and `own` exclude the other one; chains are always allowed.
bool isAllowed(Implementation by, Contractions allowed) {
  const ContractionsRow &row = rowOf(allowed);
  return by == Implementation::blis ? row.blis : by == Implementation::tiles ? row.tiles : true;
}

// Whether a contraction is large enough for a candidate: smaller ones are not worth its code, or the library call.
bool isWorth(const Candidate &candidate, ein::ContractOp op) {
  if (candidate.by == Implementation::chains)
    return true;
  ein::Contraction contraction = ein::analyse(op);
  if (std::optional<ein::GroupedNest> grouped = ein::asGrouped(contraction))
    return grouped->product.n.extent * grouped->product.k.extent * grouped->rowCount() >= candidate.leastProducts;
  // Tiles take a few rows as a stream, which has no least extent.
  std::optional<ein::MatmulNest> product =
      candidate.by == Implementation::tiles ? ein::asStream(contraction) : std::nullopt;
  if (!product)
    product = ein::asProduct(contraction);
  return product && std::min(product->m.extent, product->n.extent) >= candidate.leastExtent &&
         product->products() >= candidate.leastProducts;
}

} // namespace

Implementation kernels::chooseImplementation(const Group &group, Contractions allowed, const PerRate &rates) {
  switch (group.kind) {
  case plan::KernelKind::contract: break;
#define CONTRACTION(NAME, LEAST_EXTENT, LEAST_PRODUCTS, WRITER)
#define IMPLEMENTATION(NAME, KIND, WRITER)                                                                             \
  case plan::KernelKind::KIND: return Implementation::NAME;
#include "plc/Dialect/Plan/Implementations.def"
  }
  auto op = cast<ein::ContractOp>(group.equations.back());
  std::optional<Implementation> chosen;
  double least = 0;
  for (const Candidate &candidate : candidates) {
    // Chains come last and take only contractions that no other candidate takes. So `blis` means BLIS, whatever the
    // rates say.
    if (!isAllowed(candidate.by, allowed) || plan::misfit(candidate.by, op) || !isWorth(candidate, op) ||
        (chosen && candidate.by == Implementation::chains))
      continue;
    double ns = contractionNs(op, candidate.by, rates);
    // At equal times the earlier row of the table wins.
    if (!chosen || ns < least) {
      chosen = candidate.by;
      least = ns;
    }
  }
  return *chosen;
}
