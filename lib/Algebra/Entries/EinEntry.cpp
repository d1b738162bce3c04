//===- EinEntry.cpp - keep what one entry of a model needs ----------------===//
#include "Base/Bodies.h"
#include "Batch/BatchAxes.h"
#include "plc/Algebra/Passes.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Support/Errors.h"
#include "plc/Support/ResultName.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINENTRY
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// The index of a plain name; nullopt if it is not there.
std::optional<unsigned> indexOf(ArrayAttr names, StringRef plain) {
  return ein::findName(names, StringAttr::get(names.getContext(), plain));
}

// The elements that are not erased.
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

// Names for an error message, without states.
std::string list(ArrayAttr names) {
  std::vector<std::string> quoted;
  for (Attribute name : names)
    if (!isa<ein::StateNameAttr>(name))
      quoted.push_back("'" + ein::textOf(name) + "'");
  return quoted.empty() ? "none" : llvm::join(quoted, ", ");
}

// The model's arguments that a result may depend on.
BitVector argumentsOf(ein::ModelOp model, Value result) {
  BackwardSliceOptions whole;
  whole.inclusive = whole.omitBlockArguments = true;
  SetVector<Operation *> makers;
  if (failed(getBackwardSlice(result, &makers, whole)))
    llvm_unreachable("a loop reads nothing from around it");
  BitVector arguments(model.getFunctionType().getNumInputs());
  for (BlockArgument argument : model.getBody().getArguments())
    if (result == argument || llvm::any_of(argument.getUsers(), [&](Operation *user) { return makers.contains(user); }))
      arguments.set(argument.getArgNumber());
  return arguments;
}

struct EinEntry : algebra::impl::EinEntryBase<EinEntry> {
  using EinEntryBase::EinEntryBase;

  // Marks the loss as needed. Reports an error if it is no real scalar.
  LogicalResult selectLoss(ein::ModelOp model, StringRef user, BitVector &needed) {
    std::optional<unsigned> loss = indexOf(model.getResultNames(), lossName);
    if (!loss)
      return model.emitError("model '") << model.getSymName() << "' has no scalar output 'loss' to " << user;
    auto type = cast<RankedTensorType>(model.getFunctionType().getResult(*loss));
    if (type.getRank() != 0)
      return model.emitError("output 'loss' of model '")
             << model.getSymName() << "' has shape [" << type.getShape() << "] but '" << user << "' needs a scalar";
    if (!ein::isTensorOf(ein::Domain::Real, type))
      return model.emitError("output 'loss' of model '")
             << model.getSymName() << "' is " << type.getElementType() << " but '" << user << "' needs a real";
    needed.set(*loss);
    return success();
  }

  // Marks the other scalars that need no input beyond the loss's: an accuracy, a term of the loss. They go into the
  // log, and `eval` runs on the same data as `train`.
  void selectScalars(ein::ModelOp model, BitVector &needed) {
    Operation *end = &model.getBody().front().back();
    BitVector known = argumentsOf(model, end->getOperand(needed.find_first()));
    for (auto [index, name] : llvm::enumerate(model.getResultNames())) {
      Value result = end->getOperand(index);
      bool scalar = cast<RankedTensorType>(result.getType()).getRank() == 0 && !ein::isRuleValue(name);
      if (scalar && !argumentsOf(model, result).test(known))
        needed.set(index);
    }
  }

  // The error for `grad(NAME)` of an unknown name.
  LogicalResult refuseSource(ein::ModelOp model, StringRef of) {
    InFlightDiagnostic error = emitOptionError(model, "model '");
    error << model.getSymName() << "' has no input or parameter '" << of << "'; its inputs are "
          << list(model.getArgNames());
    auto params = getOperation().getOps<ein::ParamOp>();
    if (!params.empty())
      error << ", parameters such as '" << (*params.begin()).getWhole() << "'";
    return error;
  }

  // Marks what a gradient needs: the loss, and the argument even if no result reads it.
  LogicalResult selectGradient(ein::ModelOp model, StringRef name, StringRef of, BitVector &needed,
                               BitVector &arguments) {
    if (std::optional<unsigned> index = indexOf(model.getArgNames(), of)) {
      auto type = cast<RankedTensorType>(model.getArgumentTypes()[*index]);
      if (type.getElementType().isInteger())
        return emitOptionError(model, "input '")
               << of << "' of model '" << model.getSymName() << "' is " << type.getElementType()
               << ", so it has no gradient; only a real has one";
      arguments.set(*index);
    } else if (llvm::none_of(getOperation().getOps<ein::ParamOp>(),
                             [&](ein::ParamOp param) { return param.getWhole() == of; })) {
      return refuseSource(model, of);
    }
    if (!indexOf(model.getResultNames(), lossName))
      return emitOptionError(model, "model '")
             << model.getSymName() << "' has no output 'loss', whose gradient '" << name << "' would be";
    return selectLoss(model, name, needed);
  }

  // Marks the results that the entry needs, and the arguments that stay in any case.
  LogicalResult select(ein::ModelOp model, BitVector &needed, BitVector &arguments) {
    if (entry != ProgramKind::infer) {
      if (failed(selectLoss(model, nameOfChoice(entry.getValue()), needed)))
        return failure();
      selectScalars(model, needed);
      return success();
    }
    // Every run of `infer` advances the states, whatever outputs are requested.
    for (auto [index, name] : llvm::enumerate(model.getResultNames()))
      if (isa<ein::StateNameAttr>(name))
        needed.set(index);
    for (auto [index, name] : llvm::enumerate(model.getArgNames()))
      if (isa<ein::StateNameAttr>(name))
        arguments.set(index);
    if (outputs.empty())
      for (auto [index, name] : llvm::enumerate(model.getResultNames()))
        if (!ein::isRuleValue(name))
          needed.set(index);
    for (const std::string &name : outputs) {
      if (ResultName result = parseResultName(name); result.isGradient()) {
        if (failed(selectGradient(model, name, result.name, needed, arguments)))
          return failure();
        continue;
      }
      std::optional<unsigned> index = indexOf(model.getResultNames(), name);
      if (!index)
        return emitOptionError(model, "model '")
               << model.getSymName() << "' has no output '" << name << "'; it has " << list(model.getResultNames());
      needed.set(*index);
    }
    return success();
  }

  // Values of rules have no declared batch axis: it is the axis that runs along the model's.
  void findBatch(ein::ModelOp model) {
    SmallVector<int64_t> axes(model.getResultBatch());
    std::optional<BatchAxes> known;
    for (auto [index, name] : llvm::enumerate(model.getResultNames())) {
      if (!ein::isRuleValue(name) || model.getBatch() == 0)
        continue;
      if (!known)
        known.emplace(model);
      Value value = model.getBody().front().back().getOperand(index);
      for (int64_t axis = 0, rank = cast<RankedTensorType>(value.getType()).getRank(); axis < rank; ++axis)
        if (known->isBatch(value, axis))
          axes[index] = axis;
    }
    model.setResultBatch(axes);
    findBatchOfStates(model);
  }

  // A state runs along the batch where the values that make it and its readers do.
  static void findBatchOfStates(ein::ModelOp model) {
    if (model.getBatch() == 0)
      return;
    std::optional<BatchAxes> known;
    SmallVector<int64_t> arguments(model.getArgBatch()), results(model.getResultBatch());
    for (auto [index, name] : llvm::enumerate(model.getArgNames())) {
      if (!isa<ein::StateNameAttr>(name))
        continue;
      if (!known)
        known.emplace(model);
      Value value = model.getBody().getArgument(index);
      for (int64_t axis = 0, rank = cast<RankedTensorType>(value.getType()).getRank(); axis < rank; ++axis)
        if (known->isBatch(value, axis))
          arguments[index] = results[*ein::findName(model.getResultNames(), name)] = axis;
    }
    model.setArgBatch(arguments);
    model.setResultBatch(results);
  }

  void eraseArguments(ein::ModelOp model, const BitVector &erased) {
    model.getBody().front().eraseArguments(erased);
    model.setArgNamesAttr(kept(model.getArgNames(), erased));
    model.setArgBatch(kept(model.getArgBatch(), erased));
  }

  void runOnOperation() override {
    ein::ModelOp model = modelOf(getOperation());
    BitVector needed(model ? model.getFunctionType().getNumResults() : 0);
    BitVector differentiated(model ? model.getFunctionType().getNumInputs() : 0);
    if (!model || failed(select(model, needed, differentiated)))
      return signalPassFailure();
    ein::setProgram(getOperation(), entry, outputs);
    Block &block = model.getBody().front();
    eraseResults(model, needed.flip());
    pruneBodies(getOperation(), getArgument());
    BitVector unused(block.getNumArguments());
    for (BlockArgument argument : block.getArguments())
      if (argument.use_empty() && !differentiated.test(argument.getArgNumber()))
        unused.set(argument.getArgNumber());
    eraseArguments(model, unused);
    model.setFunctionType(FunctionType::get(&getContext(), block.getArgumentTypes(), block.back().getOperandTypes()));
    eraseUncalled(getOperation());
    findBatch(model);
    remark::passed(model.getLoc(),
                   remark::RemarkOpts::name("Kept").category(getArgument()).function(model.getSymName()))
        << remark::add("kept {0} of {1} results and {2} of {3} inputs", needed.size() - needed.count(), needed.size(),
                       unused.size() - unused.count(), unused.size());
  }
};

} // namespace

void plc::algebra::eraseResults(ein::ModelOp model, const BitVector &erased) {
  Operation *end = &model.getBody().front().back();
  end->eraseOperands(erased);
  model.setResultNamesAttr(kept(model.getResultNames(), erased));
  model.setResultBatch(kept(model.getResultBatch(), erased));
  model.setFunctionType(
      FunctionType::get(model.getContext(), model.getFunctionType().getInputs(), end->getOperandTypes()));
}
