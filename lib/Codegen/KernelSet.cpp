//===- KernelSet.cpp - kernels that a module's code is written for --------===//
#include "plc/Codegen/KernelSet.h"

#include "plc/Analysis/Implementations.h"
#include "plc/Dialect/Plan/KernelText.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

// Kernels that a loop calls get smaller numbers than the loop itself.
int64_t KernelSet::append(plan::KernelOp kernel) {
  if (kernel.getKind() == plan::KernelKind::loop) {
    for (auto called : kernel.getBody().getOps<plan::KernelOp>())
      numbers[called] = find(called);
    // A variant's layout is that of its original: both run in one scratch.
    if (!iterations.contains(kernel))
      iterations[kernel] = plan::layOutIteration(kernel);
  }
  kernels.push_back(kernel);
  return kernels.size() - 1;
}

// Equal text is an equal kernel: names, costs and locations are no part of it.
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
  // Micro-batch 0 is one of the larger ones, the last one of the smaller.
  return {find(variant(kernel, cut, 0)), find(variant(kernel, cut, cut.count - 1))};
}

// A clone of the kernel for one micro-batch of a ragged cut, with fixed sizes instead of batch axes. Its cost is scaled
// by the number of samples.
plan::KernelOp KernelSet::variant(plan::KernelOp kernel, ein::MicroBatches cut, int64_t microBatch) {
  plan::KernelOp clone = made.emplace_back(kernel.clone()).get();
  int64_t samples = cut.samplesOf(microBatch);
  ein::setSamples(clone, samples);
  SmallVector<plan::KernelOp> originals, clones;
  kernel.walk([&](plan::KernelOp each) { originals.push_back(each); });
  clone.walk([&](plan::KernelOp each) { clones.push_back(each); });
  // A kernel without the batch is the same in both variants and keeps its cost.
  bool isCut = plan::kernelText(clone) != plan::kernelText(kernel);
  for (auto [original, each] : llvm::zip(originals, clones)) {
    if (original.getKind() == plan::KernelKind::loop)
      iterations[each] = plan::layOutIteration(original);
    if (!isCut)
      continue;
    // With one sample a dimension is gone, and blocks of a sum may end elsewhere. A contraction that is no matrix
    // product any more is computed by chains.
    if (ein::ContractOp op = plan::contractionOf(each); op && each.getBy() && plan::misfit(*each.getBy(), op))
      each.setBy(plan::Implementation::chains);
    auto part = [&](int64_t cost) { return int64_t(__int128(cost) * samples / cut.mostSamples()); };
    each.setFlops(part(original.getFlops()));
    each.setBytes(part(original.getBytes()));
    each.setNs(part(original.getNs()));
  }
  return clone;
}
