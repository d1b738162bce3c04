//===- GradientSites.cpp - numbers parameters' gradient sites -------------===//
#include "plc/Analysis/GradientSites.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace plc::ein;

llvm::DenseMap<std::pair<Operation *, unsigned>, int64_t> plc::ein::numberSites(ModelOp model) {
  // The first call of an instance is the forward one, which has the path of all that follow.
  llvm::DenseMap<StringRef, int64_t> position;
  using Place = std::tuple<int64_t, unsigned, Operation *>;
  llvm::MapVector<StringRef, SmallVector<Place>> places;
  for (auto call : model.getBody().getOps<CallOp>()) {
    int64_t forward = position.try_emplace(call.getPath(), position.size()).first->second;
    for (auto [index, param] : llvm::enumerate(call.getAccumulates().getAsRange<FlatSymbolRefAttr>()))
      places[param.getValue()].emplace_back(forward, index, call);
  }
  llvm::DenseMap<std::pair<Operation *, unsigned>, int64_t> sites;
  for (auto &[param, of] : places) {
    llvm::stable_sort(of, [](const Place &a, const Place &b) {
      return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
    });
    for (auto [site, place] : llvm::enumerate(of))
      sites[{std::get<2>(place), std::get<1>(place)}] = site;
  }
  return sites;
}
