//===- BatchAxes.cpp - which axes run along the batch ---------------------===//
#include "BatchAxes.h"
#include "Base/Equations.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

BatchAxes::BatchAxes(ein::ModelOp model) : model(model) {
  SymbolTableCollection symbols;
  model->getParentOfType<ModuleOp>().walk([&](Operation *op) { visit(op, symbols); });
  // A state's value before a run and its value after the run have the same axes.
  for (auto [argument, name] : llvm::zip(model.getBody().getArguments(), model.getArgNames()))
    if (isa<ein::StateNameAttr>(name))
      unifyValues(argument, model.getBody().front().back().getOperand(*ein::findName(model.getResultNames(), name)));
  for (auto [argument, axis] : llvm::zip(model.getBody().getArguments(), model.getArgBatch()))
    if (axis >= 0)
      batch.insert(root(node(argument.getAsOpaquePointer(), axis)));
}

// Not in the constructor: `check` compares the axes that follow from arguments with those that results declare.
void BatchAxes::addResults() {
  for (auto [result, axis] : llvm::zip(model.getBody().front().back().getOperands(), model.getResultBatch()))
    if (axis >= 0)
      batch.insert(root(node(result.getAsOpaquePointer(), axis)));
}

unsigned BatchAxes::node(const void *owner, int64_t index) {
  auto [it, isNew] = nodes.try_emplace({owner, index}, parents.size());
  if (isNew) {
    parents.push_back(it->second);
    sizes.push_back(1);
  }
  return it->second;
}

std::optional<unsigned> BatchAxes::find(const void *owner, int64_t index) const {
  auto it = nodes.find({owner, index});
  return it == nodes.end() ? std::nullopt : std::optional(it->second);
}

unsigned BatchAxes::root(unsigned node) const {
  while (parents[node] != node)
    node = parents[node];
  return node;
}

void BatchAxes::unify(unsigned a, unsigned b) {
  unsigned from = root(a), to = root(b);
  if (from == to)
    return;
  if (sizes[from] > sizes[to])
    std::swap(from, to);
  parents[from] = to;
  sizes[to] += sizes[from];
}

void BatchAxes::unifyValues(Value a, Value b) {
  for (int64_t axis = 0, rank = shapeOf(a).size(); axis < rank; ++axis)
    unify(node(a.getAsOpaquePointer(), axis), node(b.getAsOpaquePointer(), axis));
}

// Pairs of axes of a view's input and result that show the same elements. Axes that the view splits, merges or reads
// partly are left out.
static SmallVector<std::pair<int64_t, int64_t>> keptAxes(Operation *view) {
  SmallVector<std::pair<int64_t, int64_t>> kept;
  if (auto window = dyn_cast<ein::WindowOp>(view)) {
    for (int64_t axis = 0, rank = shapeOf(view->getOperand(0)).size(); axis < rank; ++axis)
      if (std::optional<int64_t> shown = window.shownWhole(axis))
        kept.push_back({axis, *shown});
    return kept;
  }
  int64_t from = shapeOf(view->getOperand(0)).size(), to = shapeOf(view->getResult(0)).size();
  int64_t axis = isa<ein::SplitOp>(view) ? cast<ein::SplitOp>(view).getAxis() : cast<ein::MergeOp>(view).getAxis();
  for (int64_t i = 0; i < axis; ++i)
    kept.push_back({i, i});
  for (int64_t behind = std::min(from, to) - axis - 1; behind > 0; --behind)
    kept.push_back({from - behind, to - behind});
  return kept;
}

// Unifies the axes that an operation indexes alike.
void BatchAxes::visit(Operation *op, SymbolTableCollection &symbols) {
  if (auto equation = dyn_cast<ein::Equation>(op)) {
    SmallVector<Access> accesses = inputsOf(equation);
    accesses.push_back(resultOf(equation));
    for (const Access &access : accesses)
      for (auto [axis, dim] : llvm::enumerate(access.dims))
        if (dim >= 0)
          unify(node(access.value.getAsOpaquePointer(), axis), node(op, dim));
  } else if (isa<ein::CastOp, ein::StopOp, ein::NextOp>(op)) {
    unifyValues(op->getOperand(0), op->getResult(0));
  } else if (ein::isView(op)) {
    for (auto [from, to] : keptAxes(op))
      unify(node(op->getOperand(0).getAsOpaquePointer(), from), node(op->getResult(0).getAsOpaquePointer(), to));
  } else if (auto place = dyn_cast<ein::InsertSliceOp>(op)) {
    for (int64_t axis = 0, rank = shapeOf(place.getInput()).size(); axis < rank; ++axis)
      if (place.keepsWhole(axis))
        unify(node(place.getInput().getAsOpaquePointer(), axis), node(place.getResult().getAsOpaquePointer(), axis));
  } else if (auto loop = dyn_cast<ein::LoopOp>(op)) {
    visitLoop(loop);
  } else if (auto call = dyn_cast<ein::CallOp>(op)) {
    auto callee = symbols.lookupNearestSymbolFrom<ein::FuncOp>(call, call.getCalleeAttr());
    for (auto [operand, argument] : llvm::zip(call.getArgs(), callee.getBody().getArguments()))
      unifyValues(operand, argument);
    for (auto [result, returned] : llvm::zip(call.getResults(), callee.getBody().front().back().getOperands()))
      unifyValues(result, returned);
  }
}

// Values of all iterations have one axis more, in front.
void BatchAxes::unifyPart(Value stacked, Value part) {
  for (int64_t axis = 0, rank = shapeOf(part).size(); axis < rank; ++axis)
    unify(node(stacked.getAsOpaquePointer(), axis + 1), node(part.getAsOpaquePointer(), axis));
}

void BatchAxes::visitLoop(ein::LoopOp loop) {
  for (unsigned i = 0; i < loop.getNumCarries(); ++i)
    for (Value value : {loop.getInit()[i], loop.getNextCarries()[i], Value(loop.getResult(i))})
      unifyValues(loop.getCarries()[i], value);
  for (auto [stacked, part] : llvm::zip(loop.getSlices(), loop.getParts()))
    unifyPart(stacked, part);
  for (auto [stacked, part] : llvm::zip(loop.getStacked(), loop.getElements()))
    unifyPart(stacked, part);
  for (auto [value, argument] : llvm::zip(loop.getInvariants(), loop.getShared()))
    unifyValues(value, argument);
}

// A loop whose iterations run along the batch would pass values from sample to sample.
LogicalResult BatchAxes::checkLoop(ein::LoopOp loop) {
  for (Value value : llvm::concat<Value>(SmallVector<Value>(loop.getSlices()), SmallVector<Value>(loop.getStacked())))
    if (isBatch(value, 0))
      return loop.emitError("mixes samples: its iterations run along the batch");
  return success();
}

bool BatchAxes::isBatch(Value value, int64_t axis) const {
  std::optional<unsigned> found = find(value.getAsOpaquePointer(), axis);
  return found && batch.contains(root(*found));
}

bool BatchAxes::isBatchDim(Operation *op, int64_t dim) const {
  std::optional<unsigned> found = find(op, dim);
  return found && batch.contains(root(*found));
}

bool BatchAxes::isBatched(Value value) const {
  for (int64_t axis = 0, rank = shapeOf(value).size(); axis < rank; ++axis)
    if (isBatch(value, axis))
      return true;
  return false;
}

static bool isParameter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto body = argument ? dyn_cast<ein::FuncOp>(argument.getOwner()->getParentOp()) : ein::FuncOp();
  return body && int64_t(argument.getArgNumber()) >= body.getNumData();
}

// Refuses equations whose result for one sample may depend on another sample.
LogicalResult BatchAxes::checkEquation(ein::Equation op) {
  for (const Access &input : inputsOf(op)) {
    for (auto [axis, dim] : llvm::enumerate(input.dims)) {
      if (!isBatch(input.value, axis))
        continue;
      if (dim < 0)
        return op->emitError("mixes samples: it reads the batch at positions that a tensor holds");
      if (isParameter(input.value))
        return op->emitError("mixes samples: it reads a parameter along the batch");
    }
  }
  int64_t first = -1;
  for (int64_t dim = 0, rank = op.getExtents().size(); dim < rank; ++dim) {
    if (!isBatchDim(op, dim))
      continue;
    if (first >= 0)
      return op->emitError("mixes samples: it has two indices of the batch");
    first = dim;
  }
  return success();
}

// Refuses views of batch axes at other positions.
LogicalResult BatchAxes::checkView(Operation *view) {
  auto regroups = [&](Value value, bool isResult) {
    llvm::SmallDenseSet<int64_t> kept;
    for (auto [from, to] : keptAxes(view))
      kept.insert(isResult ? to : from);
    for (int64_t axis = 0, rank = shapeOf(value).size(); axis < rank; ++axis)
      if (!kept.contains(axis) && isBatch(value, axis))
        return true;
    return false;
  };
  if (!regroups(view->getOperand(0), false) && !regroups(view->getResult(0), true))
    return success();
  return view->emitError("mixes samples: it ")
         << (isa<ein::WindowOp>(view)  ? "reads the batch at other positions than its index"
             : isa<ein::SplitOp>(view) ? "splits the index of the batch"
                                       : "merges the index of the batch with others");
}

LogicalResult BatchAxes::checkPlace(ein::InsertSliceOp place) {
  for (int64_t axis = 0, rank = shapeOf(place.getInput()).size(); axis < rank; ++axis)
    if (!place.keepsWhole(axis) && (isBatch(place.getInput(), axis) || isBatch(place.getResult(), axis)))
      return place.emitError("mixes samples: it puts the batch at other positions than its index");
  return success();
}

// Compares the batch axes found with those that arguments and results declare.
LogicalResult BatchAxes::checkModel() {
  for (auto [index, argument] : llvm::enumerate(model.getBody().getArguments())) {
    int64_t declared = model.getArgBatch()[index];
    std::string name = ein::textOf(model.getArgNames()[index]);
    if (declared >= 0 && shapeOf(argument)[declared] != model.getBatch())
      return model.emitError("argument '") << name << "' has extent " << shapeOf(argument)[declared]
                                           << " along the batch but the batch has " << model.getBatch() << " samples";
    for (int64_t axis = 0, rank = shapeOf(argument).size(); axis < rank; ++axis)
      if (isBatch(argument, axis) != (axis == declared))
        return model.emitError("argument '")
               << name << "' is indexed by the batch on axis " << axis << ", which is not declared as its batch axis";
  }
  Operation &end = model.getBody().front().back();
  for (auto [index, value] : llvm::enumerate(end.getOperands())) {
    int64_t declared = model.getResultBatch()[index];
    std::string name = ein::textOf(model.getResultNames()[index]);
    for (int64_t axis = 0, rank = shapeOf(value).size(); axis < rank; ++axis)
      if (isBatch(value, axis) != (axis == declared))
        return model.emitError("result '")
               << name << "' " << (axis == declared ? "is not" : "is") << " indexed by the batch on axis " << axis
               << " but its batch axis is " << declared;
  }
  return success();
}

LogicalResult BatchAxes::check() {
  bool failed = false;
  model->getParentOfType<ModuleOp>().walk([&](Operation *op) {
    // Refused whatever reads it, also through a cast: each micro-batch would count from 0.
    if (isa<ein::IotaOp>(op) && isBatched(op->getResult(0)))
      failed = true, op->emitError("mixes samples: it uses the position of a sample in the batch");
    else if (auto equation = dyn_cast<ein::Equation>(op))
      failed |= mlir::failed(checkEquation(equation));
    else if (ein::isView(op))
      failed |= mlir::failed(checkView(op));
    else if (auto place = dyn_cast<ein::InsertSliceOp>(op))
      failed |= mlir::failed(checkPlace(place));
    else if (auto loop = dyn_cast<ein::LoopOp>(op))
      failed |= mlir::failed(checkLoop(loop));
  });
  return success(!failed && succeeded(checkModel()));
}

RankedTensorType BatchAxes::markedType(Value value) const {
  std::optional<int64_t> batchAxis;
  for (int64_t axis = 0, rank = shapeOf(value).size(); axis < rank; ++axis)
    if (isBatch(value, axis))
      batchAxis = axis;
  return ein::tensorType(shapeOf(value), elementOf(value), batchAxis);
}

// Values first, then the function types made of them.
void BatchAxes::mark() const {
  ModuleOp module = model->getParentOfType<ModuleOp>();
  module.walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(markedType(result));
  });
  module.walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      argument.setType(markedType(argument));
  });
  module.walk([&](FunctionOpInterface function) {
    Block &block = function.getFunctionBody().front();
    function.setFunctionTypeAttr(TypeAttr::get(
        FunctionType::get(function.getContext(), block.getArgumentTypes(), block.back().getOperandTypes())));
  });
}
