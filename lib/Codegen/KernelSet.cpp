//===- KernelSet.cpp - which kernels code is written for ------------------===//
#include "plc/Codegen/KernelSet.h"

#include "plc/Analysis/Implementations.h"
#include "plc/Dialect/Plan/KernelText.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

int64_t KernelSet::append(plan::KernelOp kernel) {
  if (kernel.getKind() == plan::KernelKind::loop) {
    for (auto called : kernel.getBody().getOps<plan::KernelOp>())
      numbers[called] = find(called);
    if (!turns.contains(kernel))
      turns[kernel] = plan::placeTurn(kernel);
  }
  kernels.push_back(kernel);
  return kernels.size() - 1;
}

int64_t KernelSet::find(plan::KernelOp kernel) {
  std::string text = plan::kernelText(kernel);
  if (auto found = byText.find(text); found != byText.end())
    return found->second;
  int64_t number = append(kernel);
  return byText[text] = number;
}

KernelVariants KernelSet::find(plan::KernelOp kernel, ein::MicroBatches cut) {
  if (!cut.isRagged()) {
    int64_t number = find(kernel);
    return {number, number};
  }
  return {find(variant(kernel, cut, 0)), find(variant(kernel, cut, cut.count - 1))};
}

// The kernel as it is in a micro-batch, without batch axes; it does work for each sample.
plan::KernelOp KernelSet::variant(plan::KernelOp kernel, ein::MicroBatches cut, int64_t microBatch) {
  plan::KernelOp clone = made.emplace_back(kernel.clone()).get();
  int64_t samples = cut.samplesOf(microBatch);
  ein::setSamples(clone, samples);
  SmallVector<plan::KernelOp> originals, clones;
  kernel.walk([&](plan::KernelOp each) { originals.push_back(each); });
  clone.walk([&](plan::KernelOp each) { clones.push_back(each); });
  bool isCut = plan::kernelText(clone) != plan::kernelText(kernel);
  for (auto [original, each] : llvm::zip(originals, clones)) {
    if (original.getKind() == plan::KernelKind::loop)
      turns[each] = plan::placeTurn(original);
    if (!isCut)
      continue;
    // A dimension of one sample is none, and sums may end elsewhere: what is no product any more is computed by chains.
    if (ein::ContractOp op = plan::contractionOf(each); op && each.getBy() && plan::misfit(*each.getBy(), op))
      each.setBy(plan::Implementation::chains);
    auto part = [&](int64_t cost) { return int64_t(__int128(cost) * samples / cut.mostSamples()); };
    each.setFlops(part(original.getFlops()));
    each.setBytes(part(original.getBytes()));
    each.setNs(part(original.getNs()));
  }
  return clone;
}
