//===- EinEntry.cpp - keep what one entry of a model needs -----------------===//
#include "Bodies.h"
#include "plc/Algebra/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/BitVector.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINENTRY
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

std::optional<unsigned> indexOf(ArrayAttr names, StringRef name) {
  for (auto [index, other] : llvm::enumerate(names.getAsValueRange<StringAttr>()))
    if (other == name)
      return index;
  return std::nullopt;
}

// Elements of an array attribute that are not erased.
ArrayAttr kept(ArrayAttr all, const BitVector &erased) {
  SmallVector<Attribute> some;
  for (auto [index, element] : llvm::enumerate(all))
    if (!erased.test(index))
      some.push_back(element);
  return ArrayAttr::get(all.getContext(), some);
}

SmallVector<int64_t> kept(ArrayRef<int64_t> all, const BitVector &erased) {
  SmallVector<int64_t> some;
  for (auto [index, element] : llvm::enumerate(all))
    if (!erased.test(index))
      some.push_back(element);
  return some;
}

struct EinEntry : algebra::impl::EinEntryBase<EinEntry> {
  using EinEntryBase::EinEntryBase;

  // The results that the entry needs.
  LogicalResult select(ein::ModelOp model, BitVector &needed) {
    if (entry == "train" || entry == "eval") {
      std::optional<unsigned> loss = indexOf(model.getResultNames(), "loss");
      if (!loss)
        return model.emitError("model '") << model.getSymName() << "' has no scalar output 'loss' to " << entry;
      auto type = cast<RankedTensorType>(model.getFunctionType().getResult(*loss));
      if (type.getRank() != 0)
        return model.emitError("output 'loss' of model '")
               << model.getSymName() << "' has shape [" << type.getShape() << "] but '" << entry << "' needs a scalar";
      if (type.getElementType().isInteger())
        return model.emitError("output 'loss' of model '")
               << model.getSymName() << "' is " << type.getElementType() << " but '" << entry << "' needs a real";
      needed.set(*loss);
      return success();
    }
    if (entry != "infer")
      return model.emitError("unknown entry '") << entry << "' but expected 'train', 'eval' or 'infer'";
    if (outputs.empty())
      needed.set();
    for (const std::string &name : outputs) {
      std::optional<unsigned> index = indexOf(model.getResultNames(), name);
      if (!index)
        return model.emitError("model '") << model.getSymName() << "' has no output '" << name << "'";
      needed.set(*index);
    }
    return success();
  }

  void eraseResults(ein::ModelOp model, const BitVector &erased) {
    Operation *end = &model.getBody().front().back();
    end->eraseOperands(erased);
    model.setResultNamesAttr(kept(model.getResultNames(), erased));
    model.setResultBatch(kept(model.getResultBatch(), erased));
  }

  void eraseArguments(ein::ModelOp model, const BitVector &erased) {
    model.getBody().front().eraseArguments(erased);
    model.setArgNamesAttr(kept(model.getArgNames(), erased));
    model.setArgBatch(kept(model.getArgBatch(), erased));
  }

  void runOnOperation() override {
    ein::ModelOp model = modelOf(getOperation());
    BitVector needed(model ? model.getFunctionType().getNumResults() : 0);
    if (!model || failed(select(model, needed)))
      return signalPassFailure();
    Block &block = model.getBody().front();
    eraseResults(model, needed.flip());
    pruneBodies(getOperation());
    BitVector unused(block.getNumArguments());
    for (BlockArgument argument : block.getArguments())
      if (argument.use_empty())
        unused.set(argument.getArgNumber());
    eraseArguments(model, unused);
    model.setFunctionType(FunctionType::get(&getContext(), block.getArgumentTypes(), block.back().getOperandTypes()));
    eraseUncalled(getOperation());
  }
};

} // namespace
