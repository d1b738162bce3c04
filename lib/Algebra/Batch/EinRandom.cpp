//===- EinRandom.cpp - draws and steps as functions of run inputs ---------===//
#include "Base/Bodies.h"
#include "Base/Equations.h"
#include "BatchAxes.h"
#include "Loops/LoopRewrites.h"
#include "plc/Algebra/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINRANDOM
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

namespace {

// A draw, and its axis along the batch, if it has one.
struct Draw {
  ein::RandomOp op;
  std::optional<int64_t> batch;
};

// The draws of a body or of the model: those with a key for each sample, and those with one key for all.
struct Draws {
  SmallVector<Draw> ofSamples, ofAll;
};

// Makes each draw a function of a key, which is an input, and of a counter. So draws do not depend on the order of
// execution (Ein/Rationale.md, "Draws are equations over keys").
struct EinRandom : algebra::impl::EinRandomBase<EinRandom> {
  using EinRandomBase::EinRandomBase;

  void runOnOperation() override {
    ein::ModelOp model = modelOf(getOperation());
    if (!model)
      return signalPassFailure();
    decideTraining();
    llvm::MapVector<Operation *, Draws> draws; // by function
    {
      // Its own scope: the axes refer to operations that are replaced below.
      BatchAxes axes(model);
      axes.addResults();
      getOperation().walk([&](ein::RandomOp op) {
        Draws &own = draws[op->getParentOp()];
        std::optional<int64_t> batch;
        for (int64_t axis = 0, rank = cast<RankedTensorType>(op.getType()).getRank(); axis < rank; ++axis)
          if (axes.isBatch(op, axis))
            batch = axis;
        (batch ? own.ofSamples : own.ofAll).push_back({op, batch});
      });
    }
    for (auto &[function, own] : draws)
      for (bool ofSamples : {true, false})
        if (ArrayRef<Draw> some = ofSamples ? own.ofSamples : own.ofAll; !some.empty())
          replace(model, function, some, ofSamples);
    replaceSteps(model);
  }

private:
  // Replaces `ein.training` by what it is in this entry, and selects by it by the branch taken.
  void decideTraining() {
    bool trains = entry == ProgramKind::train;
    SmallVector<ein::TrainingOp> questions;
    getOperation().walk([&](ein::TrainingOp op) { questions.push_back(op); });
    for (ein::TrainingOp op : questions) {
      for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
        auto select = dyn_cast<ein::MapOp>(user);
        if (!select || select.getFunction() != Function::select || select.getInputs()[0] != op.getResult())
          continue;
        ein::Equation equation = select;
        OpBuilder builder(select);
        EquationBuilder build(builder, select.getLoc(), domainOf(equation));
        Value taken = build.copy(inputOf(equation, trains ? 1 : 2), resultOf(equation).dims);
        select.replaceAllUsesWith(taken);
        select.erase();
      }
      OpBuilder builder(op);
      Value known = ein::ConstantOp::create(builder, op.getLoc(), op.getType(), APFloat(trains ? 1.0 : 0.0));
      op.replaceAllUsesWith(known);
      op.erase();
    }
    getOperation().walk([](FunctionOpInterface function) {
      pruneLoops(function.getFunctionBody().front()); // of draws that no iteration reads any more
      eraseDead(function.getFunctionBody());
    });
  }

  // Replaces draws by equations over a key. A body or the model has one key for draws of samples, and one for the
  // others.
  void replace(ein::ModelOp model, Operation *function, ArrayRef<Draw> draws, bool ofSamples) {
    Value key = keyOf(model, function, ofSamples);
    for (Draw draw : draws) {
      ein::RandomOp op = draw.op;
      OpBuilder builder(op);
      SmallVector<int64_t> shape(cast<RankedTensorType>(op.getType()).getShape());
      EquationBuilder build(builder, op.getLoc(), {shape, std::nullopt});
      Value drawn = uniform(draw, op.getSite(), key, build, builder);
      // A normal draw uses two uniform ones, so two sites.
      if (op.getNormal())
        drawn = normal(drawn, uniform(draw, op.getSite() + 1, key, build, builder), build);
      op.replaceAllUsesWith(drawn);
      op.erase();
    }
  }

  // All axes of a draw, as dimensions.
  static Dims allDims(Draw draw) {
    ein::RandomOp op = draw.op;
    Dims all;
    for (int64_t axis = 0, rank = cast<RankedTensorType>(op.getType()).getRank(); axis < rank; ++axis)
      all.push_back(axis);
    return all;
  }

  // A number in [0, 1) for each element, from the key, the site and the number of the element in its sample.
  static Value uniform(Draw draw, int64_t site, Value key, EquationBuilder &build, OpBuilder &builder) {
    ein::RandomOp op = draw.op;
    Type i64 = builder.getI64Type(), element = elementOf(op);
    // The site fills bits from 40 up, so that draws of up to 2^40 elements in a sample do not share counters.
    Access counter = build.constant(double(site) * 0x1p40, i64);
    std::optional<Access> position;
    for (int64_t axis : allDims(draw)) {
      // The number is that in the sample, so that it does not depend on the micro-batch; the key differs by sample.
      if (axis == draw.batch)
        continue;
      Access index = build.iota(axis, i64);
      if (position) {
        double extent = double(shapeOf(op)[axis]);
        Dims dims = position->dims, both = dims;
        both.push_back(axis);
        Access scaled{build.map(Function::mul, {*position, build.constant(extent, i64)}, dims), dims};
        index = {build.map(Function::add, {scaled, index}, both), both};
      }
      position = index;
    }
    if (position)
      counter = {build.map(Function::add, {*position, counter}, position->dims), position->dims};
    Dims all = allDims(draw);
    Access of{key, draw.batch ? Dims{*draw.batch} : Dims{}};
    Value bits = build.map(Function::random, {of, counter}, all);
    auto cast = [&](Value value, Type to) -> Value {
      return ein::CastOp::create(builder, op.getLoc(), typeLike(value, to), value);
    };
    // 24 bits: exact in f32 and f64. Through i32, which kernels convert in vectors.
    Value real = cast(cast(bits, builder.getI32Type()), element);
    return build.map(Function::mul, {Access{real, all}, build.constant(0x1p-24, element)}, all);
  }

  // Box and Muller, A Note on the Generation of Random Normal Deviates, 1958: sqrt(-2 log(1 - u)) cos(2 pi v). 1 - u is
  // exact and never 0, so no number is infinite.
  static Value normal(Value u, Value v, EquationBuilder &build) {
    Type element = elementOf(u);
    Dims all = axesOf(u.getType());
    auto apply = [&](Function function, ArrayRef<Value> values) {
      SmallVector<Access> inputs;
      for (Value value : values)
        inputs.push_back({value, axesOf(value.getType())});
      return build.map(function, inputs, all);
    };
    auto number = [&](double value) { return build.constant(value, element).value; };
    Value square = apply(Function::mul, {number(-2), apply(Function::log, {apply(Function::sub, {number(1), u})})});
    Value angle = apply(Function::mul, {number(6.283185307179586), v});
    return apply(Function::mul, {apply(Function::sqrt, {square}), apply(Function::cos, {angle})});
  }

  static Type typeLike(Value value, Type element) { return cast<RankedTensorType>(value.getType()).clone(element); }

  // The key of the draws of a function: an argument for each sample, or one for all.
  Value keyOf(ein::ModelOp model, Operation *function, bool ofSamples) {
    Type i64 = IntegerType::get(&getContext(), 64);
    auto type = ofSamples ? RankedTensorType::get({int64_t(model.getBatch())}, i64) : RankedTensorType::get({}, i64);
    return argumentOf(model, function, type, [&](StringRef path) {
      auto name = ein::RandomNameAttr::get(&getContext(), path, ofSamples ? ein::KeysPer::sample : ein::KeysPer::run);
      return runInput(model, type, name, ofSamples ? 0 : -1);
    });
  }

  // Replaces each `ein.step` by an input of the model.
  void replaceSteps(ein::ModelOp model) {
    llvm::MapVector<Operation *, SmallVector<ein::StepOp>> steps; // by function
    getOperation().walk([&](ein::StepOp op) { steps[op->getParentOp()].push_back(op); });
    for (auto &[function, own] : steps) {
      Type type = own.front().getType();
      Value step = argumentOf(model, function, type, [&](StringRef) {
        return runInput(model, type, ein::GivenNameAttr::get(&getContext(), ein::EngineValue::step),
                        /*batchAxis=*/-1);
      });
      for (ein::StepOp op : own) {
        op.replaceAllUsesWith(step);
        op.erase();
      }
    }
  }

  // An argument of the model, or a further argument of a body, to which each call passes the model's input for its
  // path.
  Value argumentOf(ein::ModelOp model, Operation *function, Type type, llvm::function_ref<Value(StringRef)> inputAt) {
    if (function == model)
      return inputAt(model.getSymName());
    auto body = cast<ein::FuncOp>(function);
    int64_t position = body.getNumData();
    Block &block = body.getBody().front();
    Value argument = block.insertArgument(position, type, body.getLoc());
    body.setFunctionType(
        FunctionType::get(&getContext(), block.getArgumentTypes(), body.getFunctionType().getResults()));
    SmallVector<ein::CallOp> calls;
    for (ein::CallOp call : model.getBody().getOps<ein::CallOp>())
      if (call.getCallee() == body.getSymName())
        calls.push_back(call);
    for (ein::CallOp call : calls) {
      SmallVector<Value> arguments(call.getArgs());
      arguments.push_back(inputAt(call.getPath()));
      OpBuilder builder(call);
      auto made =
          ein::CallOp::create(builder, call.getLoc(), call.getResultTypes(), call.getCallee(), arguments,
                              call.getParams(), call.getAccumulates(), call.getPathAttr(), call.getIterationAttr());
      call.replaceAllUsesWith(made);
      call.erase();
    }
    return argument;
  }
};

} // namespace

// The input of that name, or a further one.
Value algebra::runInput(ein::ModelOp model, Type type, Attribute name, int64_t batchAxis) {
  Block &block = model.getBody().front();
  SmallVector<Attribute> names(model.getArgNames().begin(), model.getArgNames().end());
  if (auto there = llvm::find(names, name); there != names.end())
    return block.getArgument(there - names.begin());
  Value input = block.addArgument(type, model.getLoc());
  names.push_back(name);
  SmallVector<int64_t> batch(model.getArgBatch());
  batch.push_back(batchAxis);
  model.setArgNamesAttr(ArrayAttr::get(model.getContext(), names));
  model.setArgBatch(batch);
  model.setFunctionType(
      FunctionType::get(model.getContext(), block.getArgumentTypes(), model.getFunctionType().getResults()));
  return input;
}
