//===- Interpreter.cpp - runs bodies and models by operations -------------===//
#include "plc/Reference/Interpreter.h"
#include "EquationKinds.h"
#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Support/Locations.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace plc::ein;

namespace plc::reference {
namespace {

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

/// A tensor seen under a map. The cast is safe: the interpreter writes only to tensors that it has just made.
Operand operandOf(const Tensor &tensor, AffineMap map) {
  Operand operand{tensor.element, const_cast<std::byte *>(tensor.data()), {}};
  operand.strides.assign(map.getNumDims(), 0);
  std::vector<int64_t> strides = rowMajorStrides(tensor.shape);
  for (auto [axis, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      operand.strides[dim.getPosition()] += strides[axis];
  return operand;
}

/// The index tensors of a gather or scatter, whose table has this map.
std::vector<IndexOperand> indexOperands(Equation op, ArrayRef<Tensor> inputs, const Tensor &table, AffineMap map) {
  std::vector<int64_t> strides = rowMajorStrides(table.shape);
  std::vector<IndexOperand> result;
  for (unsigned symbol = 0; symbol < map.getNumSymbols(); ++symbol) {
    IndexOperand index{operandOf(inputs[symbol + 1], op.getInputMap(symbol + 1)), 0, 0};
    for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
      auto found = dyn_cast<AffineSymbolExpr>(expr);
      if (!found || found.getPosition() != symbol)
        continue;
      index.stride += strides[axis];
      index.extent = index.extent ? std::min(index.extent, table.shape[axis]) : table.shape[axis];
    }
    result.push_back(std::move(index));
  }
  return result;
}

std::vector<int64_t> reducedDims(Equation op) {
  SmallVector<int64_t> dims = op.getReducedDims();
  return {dims.begin(), dims.end()};
}

// Turns a position out of range into an error at the equation.
void checkRange(Operation *op, const std::optional<OutOfRange> &fault) {
  if (!fault)
    return;
  throw RunError(op->getLoc(), "index " + std::to_string(fault->value) + " at position " +
                                   std::to_string(fault->position) + " is outside 0.." +
                                   std::to_string(fault->extent - 1));
}

/// Executes one equation. `result` is zeros, or a copy of the accumulator.
struct Evaluate {
  ArrayRef<Tensor> inputs;
  Tensor &result;
  bool accumulate;
  std::optional<int64_t> samples;

  Extents extents(Equation op) const {
    Extents extents(op.getExtents().begin(), op.getExtents().end());
    if (std::optional<int64_t> batch = batchDimOf(op); batch && samples)
      extents[*batch] = *samples;
    return extents;
  }
  Operand input(Equation op, unsigned index) const { return operandOf(inputs[index], op.getInputMap(index)); }
  Operand output(Equation op) const { return operandOf(result, op.getResultMap()); }
  // Reals of open precision sum as the type that they run as.
  ElementType sumType(Type type) const {
    return lacksPrecision(type) ? plc::sumTypeOf(result.element) : elementTypeOf(type);
  }

  void operator()(ContractOp op) const {
    std::vector<Operand> factors;
    for (unsigned i = 0; i < inputs.size(); ++i)
      factors.push_back(input(op, i));
    std::vector<int64_t> summed = reducedDims(op);
    if (op.getOrder())
      summed.assign(op.getOrder()->begin(), op.getOrder()->end());
    Extents domain = extents(op);
    // `anew` counts samples; the arithmetic counts summed elements.
    SumBlocks blocks{op.getChain(), 0, op.getPairs()};
    if (std::optional<int64_t> anew = op.getAnew()) {
      blocks.anew = *anew;
      for (int64_t dim : ArrayRef(summed).drop_front())
        blocks.anew *= domain[dim];
    }
    contract(domain, factors, output(op), sumType(op.getSumType()), summed, blocks, accumulate);
  }
  void operator()(MapOp op) const {
    std::vector<Operand> operands;
    for (unsigned i = 0; i < inputs.size(); ++i)
      operands.push_back(input(op, i));
    [[maybe_unused]] bool defined = map(op.getFunction(), extents(op), operands, output(op));
    assert(defined && "the verifier knows which element types a function has");
  }
  void operator()(ReduceOp op) const {
    bool lanes = op.getOrder() == Order::lanes;
    reduce(op.getReduction(), extents(op), input(op, 0), output(op), sumType(op.getSumType()), reducedDims(op), lanes,
           accumulate);
  }
  void operator()(GatherOp op) const {
    Equation equation = op;
    std::vector<IndexOperand> indices = indexOperands(equation, inputs, inputs[0], equation.getInputMap(0));
    checkRange(op, gather(extents(op), input(op, 0), indices, output(op)));
  }
  void operator()(ScatterAddOp op) const {
    Equation equation = op;
    std::vector<IndexOperand> indices = indexOperands(equation, inputs, result, equation.getResultMap());
    std::optional<Operand> factor;
    if (op.getFactor())
      factor = input(op, inputs.size() - 1);
    if (op.getReduction())
      fillInitial(op.getJoin(), result);
    checkRange(op, scatterAdd(extents(op), input(op, 0), indices, factor, output(op), op.getJoin()));
  }
  void operator()(PutOp op) const {
    Equation equation = op;
    put(extents(op), input(op, 0), indexOperands(equation, inputs, result, equation.getResultMap()), output(op));
  }
  void operator()(CastOp op) const { cast(inputs[0], result); }
  void operator()(StopOp) const { copy(); }
  // Regrouped axes have the same elements in the same row-major order.
  void operator()(SplitOp) const { copy(); }
  void operator()(MergeOp) const { copy(); }
  // The elements of `large` at these positions, as an operand over the points of `small`.
  static Operand shown(const Tensor &large, const SmallVector<AxisPositions> &positions, size_t rank) {
    Operand part{large.element, const_cast<std::byte *>(large.data()), std::vector<int64_t>(rank)};
    int64_t first = 0;
    for (auto [axis, stride] : llvm::zip(positions, rowMajorStrides(large.shape))) {
      first += axis.offset * stride;
      for (auto [dim, times] : llvm::zip(axis.dims, axis.strides))
        part.strides[dim] = times * stride;
    }
    part.data = static_cast<std::byte *>(part.data) + first * byteWidth(large.element);
    return part;
  }
  static Operand whole(const Tensor &tensor) {
    return {tensor.element, const_cast<std::byte *>(tensor.data()), rowMajorStrides(tensor.shape)};
  }
  void operator()(WindowOp op) const {
    map(Function::id, result.shape, {shown(inputs[0], op.getPositions(), result.shape.size())}, whole(result));
  }
  void operator()(InsertSliceOp op) const {
    std::memset(result.data(), 0, result.numBytes());
    map(Function::id, inputs[0].shape, {whole(inputs[0])}, shown(result, op.getPositions(), inputs[0].shape.size()));
  }
  void copy() const { std::memcpy(result.data(), inputs[0].data(), result.numBytes()); }
  void operator()(ConstantOp op) const {
    Tensor value(ElementType::F64, {});
    *value.as<double>() = op.getValue().convertToDouble();
    cast(value, result);
  }
  void operator()(IotaOp op) const {
    Tensor value(ElementType::I64, result.shape);
    for (int64_t i = 0; i < value.numElements(); ++i)
      value.as<int64_t>()[i] = i;
    cast(value, result);
  }
};

} // namespace

RunError::RunError(Location location, const std::string &text)
    : std::runtime_error(text), locations(locationsOf(location)) {}

Interpreter::Interpreter(ModuleOp module, ElementType real) : symbols(module), real(real) {
  for (Operation &op : *module.getBody()) {
    if (auto param = dyn_cast<ParamOp>(op))
      parameters.push_back(param);
    if (auto found = dyn_cast<ModelOp>(op))
      model = found;
  }
  if (!model)
    return;
  for (CallOp call : model.getBody().getOps<CallOp>())
    instances.try_emplace(call.getPath(), instances.size());
  setMicroBatch(0);
}

// Types of a ragged model have the larger number of samples; here it becomes that of the micro-batch.
void Interpreter::setMicroBatch(int64_t microBatch) {
  MicroBatches cut = cutOf(model);
  group = cut.groups > 1 ? cut.groupOf(microBatch) : 0;
  if (cut.isRagged())
    samples = cut.samplesOf(microBatch);
}

ElementType Interpreter::elementOf(Type type) const {
  if (lacksPrecision(type))
    return real;
  if (std::optional<ElementType> found = findElementType(type))
    return *found;
  std::string text;
  llvm::raw_string_ostream(text) << "element type " << getElementTypeOrSelf(type) << " is not supported";
  throw RunError(UnknownLoc::get(type.getContext()), text);
}

Tensor Interpreter::makeTensor(Type type) const {
  RankedTensorType tensor = samples ? withSamples(type, *samples) : cast<RankedTensorType>(type);
  return Tensor(elementOf(type), tensor.getShape().vec());
}

std::vector<Tensor> Interpreter::runFunction(FuncOp function, std::vector<Tensor> arguments) {
  return runBlock(function.getBody().front(), std::move(arguments));
}

std::vector<Tensor> Interpreter::runModel(std::vector<Tensor> arguments) {
  return runBlock(model.getBody().front(), std::move(arguments));
}

std::vector<Tensor> Interpreter::runBlock(Block &block, std::vector<Tensor> arguments) {
  Environment environment;
  for (auto [value, tensor] : llvm::zip_equal(block.getArguments(), arguments))
    environment[value] = std::move(tensor);
  arguments.clear();
  for (Operation &op : block) {
    if (auto end = dyn_cast<ReturnOp>(op)) {
      std::vector<Tensor> results;
      for (Value value : end.getResults())
        results.push_back(environment[value]);
      return results;
    }
    if (auto call = dyn_cast<CallOp>(op))
      runCall(call, environment);
    else if (auto loop = dyn_cast<LoopOp>(op))
      runLoop(loop, environment);
    else
      runOperation(op, environment);
    // Frees values that no later operation reads: the joint program of forward and backward then needs little more than
    // its saved activations.
    for (Value value : op.getOperands())
      if (llvm::none_of(value.getUsers(), [&](Operation *user) { return op.isBeforeInBlock(user); }))
        environment.erase(value);
  }
  return {};
}

void Interpreter::runOperation(Operation &op, Environment &environment) {
  if (op.getNumResults() != 1)
    throw RunError(op.getLoc(), "the interpreter does not execute '" + op.getName().getStringRef().str() + "'");
  auto equation = dyn_cast<Equation>(op);
  Value accumulator = equation ? equation.getAccumulator() : Value();
  Tensor held = accumulator ? environment[accumulator] : Tensor();
  Tensor result = held.isVacant() ? makeTensor(op.getResult(0).getType()) : held.copy();
  SmallVector<Tensor> inputs;
  for (Value value : accumulator ? op.getOperands().drop_back() : op.getOperands())
    inputs.push_back(environment[value]);
  Evaluate evaluate{inputs, result, !held.isVacant(), samples};
  llvm::TypeSwitch<Operation *>(&op)
      .Case<ContractOp, MapOp, ReduceOp, GatherOp, ScatterAddOp, PutOp, CastOp, StopOp, SplitOp, MergeOp, WindowOp,
            InsertSliceOp, ConstantOp, IotaOp>(evaluate)
      .Default([](Operation *op) {
        throw RunError(op->getLoc(), "the interpreter does not execute '" + op->getName().getStringRef().str() + "'");
      });
  if (watcher)
    watcher(op, inputs, result);
  environment[op.getResult(0)] = std::move(result);
}

// Iterations in order of execution. Slices and stacked results are indexed by the iteration's number.
void Interpreter::runLoop(LoopOp loop, Environment &environment) {
  std::vector<Tensor> carries, stacked;
  for (Value value : loop.getInit())
    carries.push_back(environment[value]);
  for (Value value : loop.getStacked())
    stacked.push_back(makeTensor(value.getType()));
  for (int64_t count = 0, iterations = loop.getIterations(); count < iterations; ++count) {
    int64_t iteration = loop.getReverse() ? iterations - 1 - count : count;
    std::vector<Tensor> arguments = std::move(carries);
    for (auto [slice, argument] : llvm::zip(loop.getSlices(), loop.getParts())) {
      Tensor part = makeTensor(argument.getType());
      std::memcpy(part.data(), environment[slice].data() + iteration * part.numBytes(), part.numBytes());
      arguments.push_back(std::move(part));
    }
    for (Value value : loop.getInvariants())
      arguments.push_back(environment[value]);
    carries = runBlock(loop.getIteration(), std::move(arguments));
    for (auto [whole, element] : llvm::zip(stacked, llvm::drop_begin(carries, loop.getNumCarries())))
      std::memcpy(whole.data() + iteration * element.numBytes(), element.data(), element.numBytes());
    carries.resize(loop.getNumCarries());
  }
  for (auto [value, tensor] : llvm::zip(loop.getResults(), llvm::concat<Tensor>(carries, stacked)))
    environment[value] = std::move(tensor);
}

// Accumulators are gradient sites, which persist between micro-batches.
void Interpreter::runCall(CallOp call, Environment &environment) {
  auto callee = symbols.lookup<FuncOp>(call.getCallee());
  std::vector<Tensor> arguments;
  for (Value value : call.getArgs())
    arguments.push_back(environment[value]);
  for (auto name : call.getParams().getAsRange<FlatSymbolRefAttr>()) {
    auto value = values.find(name.getValue());
    if (value == values.end())
      throw RunError(call.getLoc(), "parameter '" + name.getValue().str() + "' has no value");
    arguments.push_back(value->second);
  }
  int64_t instance = instances.lookup(call.getPath());
  std::vector<Tensor *> found;
  for (auto [position, name] : llvm::enumerate(call.getAccumulates().getAsRange<FlatSymbolRefAttr>())) {
    found.push_back(&sites[{group, instance, int64_t(position), name.getValue().str()}]);
    arguments.push_back(std::move(*found.back()));
  }
  std::vector<Tensor> results = runFunction(callee, std::move(arguments));
  for (auto [value, tensor] : llvm::zip(call.getResults(), results))
    environment[value] = std::move(tensor);
  for (auto [position, site] : llvm::enumerate(found))
    *site = std::move(results[call.getNumResults() + position]);
}

std::vector<Tensor> Interpreter::getSites(StringRef path) const {
  std::vector<Tensor> found;
  for (const auto &[location, site] : sites)
    if (std::get<std::string>(location) == path && !site.isVacant())
      found.push_back(site);
  return found;
}

} // namespace plc::reference
