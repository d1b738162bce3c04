//===- EinShard.cpp - divide sizes of a model among ranks -------------------===//
//
// From the parameters that have a divided size, parts go forward through each body. A dimension along which an input is in
// parts is divided in the equation, too: it becomes one equation for each part, and a result that has the dimension is in
// parts. Where the equation reduces the dimension away, the results of its parts are added pairwise (or take the larger,
// the smaller, ..), and the sum is whole. An input that is whole is read by parts; one that is in parts along another
// dimension is put together first. A parameter is never put together, because no rank shall hold the whole.
//
// So of `h[s, f] = gelu(x[s, d] w1[d, f])` and `y[s, d] = h[s, f] w2[f, d]` with F in parts, w1 is divided by columns and
// w2 by rows, and there is one sum behind each pair: the division of transformers by Shoeybi et al., Megatron-LM, 2019.
//
//===----------------------------------------------------------------------===//
#include "Bodies.h"
#include "Equations.h"
#include "plc/Algebra/Passes.h"
#include "plc/Support/Errors.h"
#include "plc/Support/PartName.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINSHARD
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

constexpr const char *shardKey = "parallelism.shard";

/// A tensor as equal parts along an axis, in order.
struct Divided {
  int64_t axis = 0;
  SmallVector<Value> parts;
};

RankedTensorType partType(Type whole, int64_t axis, int64_t parts) {
  auto type = cast<RankedTensorType>(whole);
  return RankedTensorType::Builder(type).setShape([&] {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] /= parts;
    return shape;
  }());
}

/// The equations of one body.
class BodyDivider {
public:
  /// `call` is one of its calls, whose parameters errors name.
  BodyDivider(ein::FuncOp body, ein::CallOp call, int64_t parts) : body(body), call(call), parts(parts) {}

  /// `axes`: of each parameter the one that is divided, if one is.
  LogicalResult run(ArrayRef<std::optional<int64_t>> axes) {
    divideParameters(axes);
    Block &block = body.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (llvm::any_of(op.getOperands(), [&](Value operand) { return divided.contains(operand); }))
        if (failed(divide(&op)))
          return failure();
    if (failed(makeWhole(block.getTerminator())))
      return failure();
    eraseDead(body.getBody());
    eraseParameters();
    return success();
  }

private:
  void divideParameters(ArrayRef<std::optional<int64_t>> axes) {
    Block &block = body.getBody().front();
    unsigned at = body.getNumData();
    for (const std::optional<int64_t> &axis : axes) {
      BlockArgument whole = block.getArgument(at++);
      if (!axis)
        continue;
      Divided &made = divided[whole];
      made.axis = *axis;
      for (int64_t part = 0; part < parts; ++part)
        made.parts.push_back(block.insertArgument(at++, partType(whole.getType(), *axis, parts), whole.getLoc()));
      parameters[whole] = cast<FlatSymbolRefAttr>(call.getParams()[&axis - axes.begin()]).getValue();
    }
  }

  void eraseParameters() {
    Block &block = body.getBody().front();
    block.eraseArguments([&](BlockArgument argument) { return parameters.contains(argument); });
    body.setNumParams(body.getNumParams() + parameters.size() * (parts - 1));
    body.setFunctionType(FunctionType::get(body.getContext(), block.getArgumentTypes(), body.getResultTypes()));
  }

  LogicalResult divide(Operation *op) {
    if (auto equation = dyn_cast<ein::Equation>(op); equation && !isa<ein::PutOp>(op))
      return divideEquation(equation);
    if (op->getNumOperands() == 1 && op->getNumResults() == 1)
      if (std::optional<int64_t> axis = axisBehind(op, divided.lookup(op->getOperand(0)).axis))
        return divideAlong(op, *axis), success();
    return makeWhole(op);
  }

  // Where an operation of one operand shows an axis of it in the same parts; none if it mixes them.
  std::optional<int64_t> axisBehind(Operation *op, int64_t axis) {
    auto before = cast<RankedTensorType>(op->getOperand(0).getType());
    auto behind = cast<RankedTensorType>(op->getResult(0).getType());
    int64_t more = behind.getRank() - before.getRank();
    return TypeSwitch<Operation *, std::optional<int64_t>>(op)
        .Case<ein::CastOp, ein::StopOp>([&](auto) { return axis; })
        .Case([&](ein::SplitOp split) -> std::optional<int64_t> {
          int64_t at = split.getAxis();
          // The slowest of the new axes counts the parts.
          if (axis == at && behind.getDimSize(at) % parts)
            return std::nullopt;
          return axis <= at ? axis : axis + more;
        })
        .Case([&](ein::MergeOp merge) -> std::optional<int64_t> {
          int64_t at = merge.getAxis();
          if (axis > at && axis <= at - more)
            return std::nullopt;
          return axis <= at ? axis : axis + more;
        })
        .Case([&](ein::WindowOp window) { return window.shownWhole(axis); })
        .Case([&](ein::PlaceOp place) { return place.keepsWhole(axis) ? std::optional(axis) : std::nullopt; })
        .Default([](Operation *) { return std::nullopt; });
  }

  void divideAlong(Operation *op, int64_t axis) {
    OpBuilder builder(op);
    Divided made{axis, {}};
    for (Value part : divided.lookup(op->getOperand(0)).parts) {
      Operation *clone = builder.clone(*op);
      clone->setOperand(0, part);
      clone->getResult(0).setType(partType(op->getResult(0).getType(), axis, parts));
      made.parts.push_back(clone->getResult(0));
    }
    divided[op->getResult(0)] = std::move(made);
  }

  LogicalResult divideEquation(ein::Equation op) {
    std::optional<int64_t> dim = dimensionOf(op);
    for (OpOperand &operand : op->getOpOperands())
      if (divided.contains(operand.get()) && (!dim || dimensionOf(op, operand.getOperandNumber()) != dim))
        if (failed(makeWhole(operand)))
          return failure();
    if (!dim)
      return success();
    Access result = resultOf(op);
    const auto *at = llvm::find(result.dims, *dim);
    Divided made{at - result.dims.begin(), {}};
    for (int64_t part = 0; part < parts; ++part)
      made.parts.push_back(partOf(op, *dim, part, at != result.dims.end() ? std::optional(made.axis) : std::nullopt));
    if (at != result.dims.end())
      divided[op->getResult(0)] = std::move(made);
    else
      op->getResult(0).replaceAllUsesWith(combine(op, made.parts));
    return success();
  }

  // The dimension along which an input is in parts; none of one that is whole, or in parts along positions or a diagonal.
  std::optional<int64_t> dimensionOf(ein::Equation op, unsigned index) {
    auto found = divided.find(op->getOperand(index));
    if (found == divided.end() || index >= op.getInputs().size())
      return std::nullopt;
    Access input = inputOf(op, index);
    int64_t dim = input.dims[found->second.axis];
    return dim < 0 || llvm::count(input.dims, dim) > 1 ? std::nullopt : std::optional(dim);
  }

  // The dimension that is divided: a parameter's before another's.
  std::optional<int64_t> dimensionOf(ein::Equation op) {
    std::optional<int64_t> found;
    for (unsigned index = 0; index < op.getInputs().size(); ++index) {
      std::optional<int64_t> dim = dimensionOf(op, index);
      if (dim && (!found || parameters.contains(op->getOperand(index))))
        found = dim;
      if (dim && parameters.contains(op->getOperand(index)))
        break;
    }
    // A part of a diagonal is none of the tensor.
    bool isDiagonal =
        found && llvm::any_of(inputsOf(op), [&](const Access &input) { return llvm::count(input.dims, *found) > 1; });
    return isDiagonal ? std::nullopt : found;
  }

  Value partOf(ein::Equation op, int64_t dim, int64_t part, std::optional<int64_t> resultAxis) {
    OpBuilder builder(op);
    SmallVector<Value> operands(op->getOperands());
    for (auto [index, input] : llvm::enumerate(inputsOf(op)))
      if (const auto *at = llvm::find(input.dims, dim); at != input.dims.end()) {
        auto found = divided.find(input.value);
        operands[index] = found != divided.end() ? found->second.parts[part]
                                                 : sliceOf(builder, input.value, at - input.dims.begin(), part);
      }
    SmallVector<int64_t> extents(op.getExtents());
    extents[dim] /= parts;
    auto clone = cast<ein::Equation>(builder.clone(*op));
    clone->setOperands(operands);
    clone.setExtents(extents);
    if (resultAxis)
      clone->getResult(0).setType(partType(op->getResult(0).getType(), *resultAxis, parts));
    return clone->getResult(0);
  }

  // A part of what is whole.
  Value sliceOf(OpBuilder &builder, Value value, int64_t axis, int64_t part) {
    RankedTensorType type = partType(value.getType(), axis, parts);
    SmallVector<AffineExpr> at;
    for (int64_t i = 0; i < type.getRank(); ++i)
      at.push_back(builder.getAffineDimExpr(i) + (i == axis ? part * type.getDimSize(axis) : 0));
    return ein::WindowOp::create(builder, value.getLoc(), type, value,
                                 AffineMap::get(type.getRank(), 0, at, builder.getContext()));
  }

  static ein::Function combinerOf(ein::Equation op) {
    auto reduce = dyn_cast<ein::ReduceOp>(op.getOperation());
    switch (reduce ? reduce.getReduction() : ein::Reduction::sum) {
    case ein::Reduction::sum: return ein::Function::add;
    case ein::Reduction::prod: return ein::Function::mul;
    case ein::Reduction::max: return ein::Function::max;
    case ein::Reduction::min: return ein::Function::min;
    case ein::Reduction::any: return ein::Function::logical_or;
    case ein::Reduction::all: return ein::Function::logical_and;
    }
    llvm_unreachable("unknown reduction");
  }

  // Pairwise, the first half with the second, so that no rank waits for a chain of all others.
  Value combine(ein::Equation op, ArrayRef<Value> made) {
    if (made.size() == 1)
      return made.front();
    size_t half = (made.size() + 1) / 2;
    Value first = combine(op, made.take_front(half)), second = combine(op, made.drop_front(half));
    OpBuilder builder(op);
    EquationBuilder build(builder, op.getLoc(), dimensionsOf(op->getResult(0)));
    Dims dims = axesOf(op->getResult(0).getType());
    return build.map(combinerOf(op), {{first, dims}, {second, dims}}, dims);
  }

  LogicalResult makeWhole(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (divided.contains(operand.get()) && failed(makeWhole(operand)))
        return failure();
    return success();
  }

  LogicalResult makeWhole(OpOperand &operand) {
    Value value = operand.get();
    if (parameters.contains(value))
      return emitKeyError(operand.getOwner(), shardKey, "parameter '")
             << parameters[value] << "' is divided in " << parts << " parts but needed as a whole";
    Value &whole = wholes[value];
    if (!whole)
      whole = join(operand.getOwner(), value);
    operand.set(whole);
    return success();
  }

  // Each part in its place, and elsewhere what the others' elements are joined with.
  Value join(Operation *before, Value value) {
    OpBuilder builder(before);
    auto type = cast<RankedTensorType>(value.getType());
    const Divided &from = divided[value];
    EquationBuilder build(builder, value.getLoc(), dimensionsOf(value));
    Dims dims = axesOf(type);
    bool isTruth = type.getElementType().isInteger(1);
    Value joined;
    for (auto [part, piece] : llvm::enumerate(from.parts)) {
      SmallVector<AffineExpr> at;
      for (int64_t i = 0; i < type.getRank(); ++i)
        at.push_back(builder.getAffineDimExpr(i) + (i == from.axis ? int64_t(part) * type.getDimSize(i) / parts : 0));
      Value placed = ein::PlaceOp::create(builder, value.getLoc(), type, piece,
                                          AffineMap::get(type.getRank(), 0, at, builder.getContext()));
      joined = joined ? build.map(isTruth ? ein::Function::logical_or : ein::Function::add,
                                  {{joined, dims}, {placed, dims}}, dims)
                      : placed;
    }
    return joined;
  }

  ein::FuncOp body;
  ein::CallOp call;
  int64_t parts;
  DenseMap<Value, Divided> divided;
  DenseMap<Value, Value> wholes;
  DenseMap<Value, StringRef> parameters; // that are divided
};

struct EinShard : algebra::impl::EinShardBase<EinShard> {
  using EinShardBase::EinShardBase;

  void runOnOperation() override {
    ein::ModelOp model = modelOf(getOperation());
    if (!model || failed(readSizes(model)) || failed(findParameters(model)) || failed(divideBodies(model)))
      return signalPassFailure();
    for (auto param : llvm::make_early_inc_range(getOperation().getOps<ein::ParamOp>())) {
      param.removeSizesAttr();
      if (axes.contains(param.getSymNameAttr()))
        divide(param);
    }
  }

private:
  // "F=2"
  LogicalResult readSizes(ein::ModelOp model) {
    for (const std::string &text : sizes) {
      auto [name, count] = StringRef(text).split('=');
      int64_t number = 0;
      if (name.empty() || count.getAsInteger(10, number) || number < 2)
        return emitKeyError(model, shardKey, "found '") << text << "', expected a size and its parts, as in 'F=2'";
      if (parts && parts != number)
        return emitKeyError(model, shardKey, "size '")
               << name << "' is divided in " << number << " parts and another one in " << parts
               << "; all that are divided need as many";
      parts = number;
      names.insert(name);
    }
    return success();
  }

  // The axis of each parameter that is divided: the first of those that may be.
  LogicalResult findParameters(ein::ModelOp model) {
    llvm::SetVector<StringRef> known, used;
    for (auto param : getOperation().getOps<ein::ParamOp>()) {
      if (!param.getSizes())
        continue;
      for (auto [axis, size] : llvm::enumerate(param.getSizes()->getAsValueRange<StringAttr>())) {
        if (!size.empty())
          known.insert(size);
        if (!names.contains(size))
          continue;
        used.insert(size);
        int64_t extent = cast<RankedTensorType>(param.getType()).getDimSize(axis);
        if (extent % parts)
          return emitKeyError(param, shardKey, "size '")
                 << size << "' is " << extent << " but is divided in " << parts << " parts";
        axes.try_emplace(param.getSymNameAttr(), axis);
      }
    }
    for (StringRef name : names)
      if (!used.contains(name))
        return emitKeyError(model, shardKey, "no parameter has an axis of size '")
               << name << "'; they have " << (known.empty() ? "no named sizes" : llvm::join(known, ", "));
    return success();
  }

  LogicalResult divideBodies(ein::ModelOp model) {
    if (axes.empty())
      return success();
    SymbolTable symbols(getOperation());
    DenseMap<Operation *, SmallVector<std::optional<int64_t>>> done;
    for (auto call : model.getBody().getOps<ein::CallOp>()) {
      SmallVector<std::optional<int64_t>> divided;
      SmallVector<Attribute> params;
      for (auto param : call.getParams().getAsRange<FlatSymbolRefAttr>()) {
        auto axis = axes.find(param.getAttr());
        divided.push_back(axis == axes.end() ? std::nullopt : std::optional(axis->second));
        for (int64_t part = 0; part < (divided.back() ? parts : 1); ++part)
          params.push_back(divided.back() ? FlatSymbolRefAttr::get(nameOf(param.getAttr(), axis->second, part))
                                          : param);
      }
      if (llvm::none_of(divided, [](auto axis) { return axis.has_value(); }))
        continue;
      auto body = symbols.lookup<ein::FuncOp>(call.getCallee());
      auto [known, isNew] = done.try_emplace(body, divided);
      if (known->second != divided)
        return emitKeyError(call, shardKey, "body '")
               << call.getCallee() << "' is called with parameters that are divided, and with others";
      if (isNew && failed(BodyDivider(body, call, parts).run(divided)))
        return failure();
      call.setParamsAttr(ArrayAttr::get(&getContext(), params));
    }
    for (auto call : model.getBody().getOps<ein::CallOp>())
      if (auto known = done.find(symbols.lookup<ein::FuncOp>(call.getCallee()));
          known != done.end() && call.getParams().size() == known->second.size())
        return emitKeyError(call, shardKey, "body '")
               << call.getCallee() << "' is called with parameters that are divided, and with others";
    return success();
  }

  StringAttr nameOf(StringAttr whole, int64_t axis, int64_t part) {
    return StringAttr::get(&getContext(), partName({whole.getValue(), axis, part, parts}));
  }

  void divide(ein::ParamOp param) {
    int64_t axis = axes.lookup(param.getSymNameAttr());
    OpBuilder builder(param);
    for (int64_t part = 0; part < parts; ++part) {
      auto made = cast<ein::ParamOp>(builder.clone(*param));
      made.setSymNameAttr(nameOf(param.getSymNameAttr(), axis, part));
      made.setType(partType(param.getType(), axis, parts));
    }
    param.erase();
  }

  int64_t parts = 0;
  llvm::SetVector<StringRef> names;
  DenseMap<StringAttr, int64_t> axes;
};

} // namespace
