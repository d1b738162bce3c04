//===- SplitBody.cpp - forward, input gradients, parameter gradients ------===//
#include "SplitBody.h"
#include "Adjoint.h"
#include "Base/Bodies.h"
#include "Loops/LoopRewrites.h"
#include "Residuals.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

std::string Wanted::key() const {
  std::string key;
  for (Seed seed : results)
    key += std::to_string(int(seed));
  for (bool argument : arguments)
    key += argument ? 'g' : '-';
  for (bool param : params)
    key += param ? 't' : '-';
  return key;
}

namespace {

using Values = llvm::SetVector<Value>;

// Cuts one joint body into F, B and W. The joint body has the results of the body, then the gradients of its data
// arguments, then those of its parameters. Its arguments are the body's, then gradients of results. Each equation
// belongs to the first of F, B and W that needs it.
class Splitter {
public:
  Splitter(ein::FuncOp body, const Wanted &wanted, StringRef name) : body(body), wanted(wanted), name(name) {}

  // Differentiates first and cuts then: simplification and the choice of residuals see forward and backward equations
  // at once.
  FailureOr<Parts> split() {
    joint = body.clone();
    joint.setSymName(name + ".joint");
    OpBuilder(body).insert(joint);
    block = &joint.getBody().front();
    if (failed(appendGradients())) {
      joint.erase();
      return failure();
    }
    eraseAll<ein::StopOp, ein::NextOp>(joint);
    simplifyBody(joint);
    collect();
    chooseResiduals();
    buildForward();
    buildBackward();
    if (!parts.accumulated.empty())
      buildWeights();
    joint.erase();
    return parts;
  }

private:
  bool isGradientArgument(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getArgNumber() >= body.getNumArguments();
  }
  bool isParam(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && !isGradientArgument(value) && int64_t(argument.getArgNumber()) >= body.getNumData();
  }

  // Seeds the results of the body with their gradients, the last result first, as the adjoint collects contributions.
  void seedGradients(Adjoint &adjoint) {
    Operation *end = block->getTerminator();
    OpBuilder builder(end);
    unsigned numResults = end->getNumOperands();
    for (unsigned i = numResults; i-- > 0;) {
      Value result = end->getOperand(i);
      if (wanted.results[i] == Seed::One) {
        EquationBuilder build(builder, joint.getLoc(), dimensionsOf(result));
        Access one = build.constant(1, elementOf(result));
        Dims dims = axesOf(result.getType()); // one value for each sample, where the loss is their sum
        adjoint.seed(result, dims.empty() ? one.value : build.map(ein::Function::id, one, dims));
      } else if (wanted.results[i] == Seed::Given) {
        adjoint.seed(result, gradientArguments.lookup(i));
      }
    }
  }

  // Appends the gradients that are wanted to the results of the joint body.
  LogicalResult appendGradients() {
    Operation *end = block->getTerminator();
    numResults = end->getNumOperands();
    for (unsigned i = 0; i < numResults; ++i)
      if (wanted.results[i] == Seed::Given) {
        gradientOf.push_back(i);
        gradientArguments[i] = block->addArgument(ein::wideTypeOf(end->getOperand(i).getType()), end->getLoc());
      }
    llvm::DenseSet<Value> sources;
    int64_t numData = body.getNumData();
    for (auto [index, wants] : llvm::enumerate(wanted.arguments))
      if (wants)
        sources.insert(block->getArgument(index));
    for (auto [index, wants] : llvm::enumerate(wanted.params))
      if (wants)
        sources.insert(block->getArgument(numData + index));
    Adjoint adjoint(*block, sources);
    seedGradients(adjoint);
    if (failed(adjoint.run()))
      return failure();
    SmallVector<Value> gradients;
    auto append = [&](unsigned argument, SmallVectorImpl<unsigned> &numbers, unsigned number) {
      if (Value gradient = adjoint.gradientOf(block->getArgument(argument))) {
        gradients.push_back(gradient);
        numbers.push_back(number);
      }
    };
    for (auto [index, wants] : llvm::enumerate(wanted.arguments))
      if (wants)
        append(index, argumentsOfGradients, index);
    numGradients = gradients.size();
    for (auto [index, wants] : llvm::enumerate(wanted.params))
      if (wants)
        append(numData + index, parts.accumulated, index);
    end->insertOperands(numResults, gradients);
    joint.setFunctionType(FunctionType::get(joint.getContext(), block->getArgumentTypes(), end->getOperandTypes()));
    return success();
  }

  // Collects the equations that the values need and that no earlier part owns.
  void own(ValueRange values, llvm::DenseSet<Operation *> &owned) {
    SmallVector<Operation *> stack;
    auto push = [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (op && !forward.contains(op) && !backward.contains(op) && owned.insert(op).second)
        stack.push_back(op);
    };
    llvm::for_each(values, push);
    while (!stack.empty())
      llvm::for_each(stack.pop_back_val()->getOperands(), push);
  }

  // The value behind a copy that changes nothing.
  static Value copied(Value value) {
    auto copy = value.getDefiningOp<ein::MapOp>();
    if (!copy || copy.getFunction() != ein::Function::id || inputOf(copy, 0).dims != resultOf(copy).dims)
      return value;
    return copy.getInputs()[0];
  }

  // Assigns each equation to the first of F, B and W that needs it.
  void collect() {
    ValueRange all = block->getTerminator()->getOperands();
    results = SmallVector<Value>(all.take_front(numResults));
    argumentGradients = SmallVector<Value>(all.slice(numResults, numGradients));
    paramGradients = SmallVector<Value>(all.drop_front(numResults + numGradients));
    // Looks through plain copies, which would only be equations of their own.
    llvm::transform(argumentGradients, argumentGradients.begin(), copied);
    llvm::transform(paramGradients, paramGradients.begin(), copied);
    llvm::DenseSet<Operation *> owned;
    // F first: what F needs is computed there, whatever B and W need, too.
    own(results, owned);
    forward = owned;
    owned.clear();
    own(argumentGradients, owned);
    backward = owned;
    own(paramGradients, weights);
  }

  // The values, as `isOurs` selects them, that equations of `readers` and `outputs` read.
  Values neededBy(ArrayRef<const llvm::DenseSet<Operation *> *> readers, ValueRange outputs,
                  llvm::function_ref<bool(Value)> isOurs) {
    Values needed;
    for (Operation &op : *block)
      if (llvm::any_of(readers, [&](auto *set) { return set->contains(&op); }))
        for (Value operand : op.getOperands())
          if (isOurs(operand))
            needed.insert(operand);
    for (Value output : outputs)
      if (isOurs(output))
        needed.insert(output);
    return needed;
  }

  // Chooses the values that F saves for B and W, then those that B saves for W. Parameters and values saved by F are
  // given for B.
  void chooseResiduals() {
    auto fromForward = [&](Value value) {
      if (Operation *op = value.getDefiningOp())
        return forward.contains(op);
      return !isParam(value) && !isGradientArgument(value);
    };
    SmallVector<Value> outputs(argumentGradients);
    llvm::append_range(outputs, paramGradients);
    auto isParameter = [&](Value value) { return isParam(value); };
    // An argument counts half: it is a result of another body already.
    Residuals forForward(isParameter, fromForward, 0.5);
    savedForward = forForward.choose(neededBy({&backward, &weights}, outputs, fromForward));

    auto fromBackward = [&](Value value) {
      Operation *op = value.getDefiningOp();
      return op ? backward.contains(op) : isGradientArgument(value);
    };
    auto isThere = [&](Value value) {
      return isParam(value) || (fromForward(value) && forForward.canMake(value, savedForward));
    };
    savedBackward = Residuals(isThere, fromBackward, 1).choose(neededBy({&weights}, paramGradients, fromBackward));
    report("F", savedForward);
    report("B", savedBackward);
  }

  // Remarks: what a part saves for later ones. Everything else is recomputed.
  void report(StringRef part, const Values &saved) {
    for (Value value : saved)
      remark::analysis(value.getLoc(), remark::RemarkOpts::name("Saved").category("ein-differentiate").function(name))
          << remark::add("{0} saves {1} for the backward parts", part, typeText(value));
    remark::passed(body.getLoc(),
                   remark::RemarkOpts::name("Differentiated").category("ein-differentiate").function(name))
        << remark::add("{0} saves {1} values", part, saved.size());
  }

  static std::string typeText(Value value) {
    std::string text;
    llvm::raw_string_ostream(text) << value.getType();
    return text;
  }

  // One of F, B and W: clones of the equations that `outputs` need, down to the boundary, whose values become
  // arguments.
  struct Part {
    Part(ein::BodyRole role, ArrayRef<Value> outputs) : role(role), outputs(outputs) {}
    ein::BodyRole role;
    ArrayRef<Value> outputs;
    SmallVector<Value> data;            // boundary values read
    SmallVector<unsigned> params;       // parameters of the body read
    SmallVector<Operation *> equations; // in program order
  };

  // Fills a part: equations back from its outputs, ending at boundary values and arguments of the joint body.
  void slice(Part &part, llvm::function_ref<bool(Value)> isBoundary) {
    llvm::DenseSet<Operation *> needed;
    Values arguments;
    SmallVector<Value> stack(part.outputs);
    while (!stack.empty()) {
      Value value = stack.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (!op || isBoundary(value))
        arguments.insert(value);
      else if (needed.insert(op).second)
        llvm::append_range(stack, op->getOperands());
    }
    for (Operation &op : *block)
      if (needed.contains(&op))
        part.equations.push_back(&op);
    SmallVector<Value> sorted(arguments.begin(), arguments.end());
    sortByPosition(sorted);
    for (Value value : sorted) { // gradients first
      if (isGradientArgument(value))
        part.data.push_back(value);
    }
    for (Value value : sorted) {
      if (isParam(value))
        part.params.push_back(cast<BlockArgument>(value).getArgNumber() - body.getNumData());
      else if (!isGradientArgument(value))
        part.data.push_back(value);
    }
  }

  // Builds the function of a part. Its last outputs, as many as `accumulated`, are added to accumulators.
  ein::FuncOp create(const Part &part, ArrayRef<Value> accumulated) {
    OpBuilder builder(body);
    auto function = ein::FuncOp::create(builder, body.getLoc(), name + "." + ein::stringifyBodyRole(part.role).str(),
                                        builder.getFunctionType({}, {}));
    function.setRole(part.role);
    function.setKind(body.getKind());
    function.setNumParams(part.params.size());
    function.setNumAccumulators(accumulated.size());
    Block *target = builder.createBlock(&function.getBody());
    IRMapping mapping;
    auto add = [&](Value value) { mapping.map(value, target->addArgument(value.getType(), value.getLoc())); };
    llvm::for_each(part.data, add);
    for (unsigned param : part.params)
      add(block->getArgument(body.getNumData() + param));
    for (Operation *op : part.equations)
      builder.clone(*op, mapping);
    SmallVector<Value> returned;
    for (Value output : part.outputs.drop_back(accumulated.size()))
      returned.push_back(mapping.lookup(output));
    if (part.role == ein::BodyRole::B) // a gradient may be a parameter: no result is an argument
      for (Value &value : returned)
        value = isa<BlockArgument>(value) ? copyOf(builder, value) : value;
    for (Value gradient : accumulated)
      returned.push_back(accumulate(builder, gradient.getLoc(), mapping.lookup(gradient),
                                    target->addArgument(gradient.getType(), gradient.getLoc())));
    ein::ReturnOp::create(builder, body.getLoc(), returned);
    function.setFunctionType(builder.getFunctionType(target->getArgumentTypes(), ValueRange(returned).getTypes()));
    eraseDead(function.getBody());
    pruneLoops(function.getBody().front());
    eraseDead(function.getBody());
    return function;
  }

  // Adds a gradient to its accumulator. The equation that makes it does so if it can; otherwise a sum over nothing
  // does.
  Value accumulate(OpBuilder &builder, Location loc, Value gradient, Value accumulator) {
    gradient = regroupBefore(builder, gradient);
    auto equation = gradient.getDefiningOp<ein::Equation>();
    if (equation && equation.canAccumulate() && gradient.use_empty()) {
      auto into = cast<ein::Equation>(builder.clone(*equation));
      into.accumulateInto(accumulator);
      return into->getResult(0);
    }
    Dims dims = axesOf(gradient.getType());
    EquationBuilder build(builder, loc, dimensionsOf(gradient));
    return build.reduce(ein::Reduction::sum, {gradient, dims}, dims, accumulator);
  }

  // Turns split(sum(x)) into sum(split(x)), and merge likewise, so that the sum itself can accumulate. Possible where
  // each input has the regrouped axes side by side. Returns the gradient unchanged otherwise.
  Value regroupBefore(OpBuilder &builder, Value gradient) {
    Operation *view = gradient.getDefiningOp();
    if (!view || !ein::isRegrouping(view) || !gradient.use_empty())
      return gradient;
    auto equation = view->getOperand(0).getDefiningOp<ein::Equation>();
    auto reduce = view->getOperand(0).getDefiningOp<ein::ReduceOp>();
    bool isSum = reduce ? reduce.getReduction() == ein::Reduction::sum : isa_and_present<ein::ContractOp>(equation);
    if (!isSum)
      return gradient;
    auto merge = dyn_cast<ein::MergeOp>(view);
    int64_t axis = merge ? merge.getAxis() : cast<ein::SplitOp>(view).getAxis();
    int64_t more = std::abs(int64_t(shapeOf(gradient).size()) - int64_t(resultOf(equation).dims.size()));
    Dims before(ArrayRef(resultOf(equation).dims).slice(axis, merge ? more + 1 : 1)), after;
    EquationBuilder build(builder, view->getLoc(), domainOf(equation));
    ArrayRef<int64_t> extents = shapeOf(gradient).slice(axis, merge ? 1 : more + 1);
    for (int64_t extent : extents)
      after.push_back(build.addDim(extent));
    // Replaces `before` by `after`; returns the index, or nullopt if the dimensions are not there in this order.
    auto replace = [&](Dims &dims) -> std::optional<int64_t> { // where they were
      auto it = std::search(dims.begin(), dims.end(), before.begin(), before.end());
      if (it == dims.end())
        return std::nullopt;
      int64_t at = it - dims.begin();
      dims.erase(it, it + before.size());
      dims.insert(dims.begin() + at, after.begin(), after.end());
      return at;
    };
    SmallVector<Access> inputs = inputsOf(equation);
    SmallVector<std::optional<int64_t>> places;
    for (Access &input : inputs) {
      places.push_back(replace(input.dims));
      if (llvm::any_of(before, [&](int64_t dim) { return contains(input.dims, dim); }))
        return gradient;
    }
    for (auto [input, at] : llvm::zip(inputs, places))
      if (at)
        input.value = merge ? ein::merge(builder, view->getLoc(), input.value, *at, before.size())
                            : ein::split(builder, view->getLoc(), input.value, *at, extents);
    Dims result = resultOf(equation).dims;
    replace(result);
    return reduce ? build.reduce(ein::Reduction::sum, inputs.front(), result) : build.contract(inputs, result);
  }

  unsigned resultIndex(SmallVectorImpl<Value> &list, Value value) {
    auto it = llvm::find(list, value);
    return it - list.begin();
  }

  // F returns the body's results, then the saved values. It keeps all arguments and parameters, since the calls of a
  // body share one signature.
  void buildForward() {
    forwardResults = results;
    SmallVector<Value> saved(savedForward.begin(), savedForward.end());
    sortByPosition(saved);
    for (Value value : saved)
      if (value.getDefiningOp() && !llvm::is_contained(forwardResults, value))
        forwardResults.push_back(value);
    Part part(ein::BodyRole::F, forwardResults);
    part.data = SmallVector<Value>(block->getArguments().take_front(body.getNumData()));
    for (int64_t i = 0; i < body.getNumParams(); ++i)
      part.params.push_back(i);
    Part sliced(ein::BodyRole::F, forwardResults);
    slice(sliced, [](Value) { return false; });
    part.equations = sliced.equations;
    parts.forward = create(part, {});
  }

  // The origin of a value at a call of B or W.
  Source sourceOf(Value value) {
    if (isGradientArgument(value))
      return {Source::ResultGradient, gradientOf[cast<BlockArgument>(value).getArgNumber() - body.getNumArguments()]};
    if (auto argument = dyn_cast<BlockArgument>(value); argument && !isParam(value))
      return {Source::Argument, argument.getArgNumber()};
    if (llvm::is_contained(forwardResults, value))
      return {Source::Forward, resultIndex(forwardResults, value)};
    return {Source::Backward, resultIndex(backwardResults, value)};
  }

  // Whether a gradient exists before B, which then does not return it: that of x in x * y is y.
  bool isPresent(Value value) { return savedForward.contains(value) || (isa<BlockArgument>(value) && !isParam(value)); }

  // B returns the gradients of data arguments, then the values that W needs. There is no B if nothing is left to
  // return.
  void buildBackward() {
    for (Value gradient : argumentGradients)
      if (!isPresent(gradient) && !llvm::is_contained(backwardResults, gradient))
        backwardResults.push_back(gradient);
    SmallVector<Value> saved(savedBackward.begin(), savedBackward.end());
    sortByPosition(saved);
    for (Value value : saved)
      if (value.getDefiningOp() && !llvm::is_contained(backwardResults, value))
        backwardResults.push_back(value);
    for (auto [argument, gradient] : llvm::zip(argumentsOfGradients, argumentGradients))
      parts.gradients.push_back({argument, sourceOf(gradient)});
    if (backwardResults.empty())
      return;
    Part part(ein::BodyRole::B, backwardResults);
    slice(part, [&](Value value) { return savedForward.contains(value); });
    for (Value value : part.data)
      parts.backwardOperands.push_back(sourceOf(value));
    parts.backwardParams = part.params;
    parts.backward = create(part, {});
  }

  // W has no data results: each parameter's gradient is added to an accumulator.
  void buildWeights() {
    Part part(ein::BodyRole::W, paramGradients);
    slice(part, [&](Value value) { return savedForward.contains(value) || savedBackward.contains(value); });
    for (Value value : part.data)
      parts.weightOperands.push_back(sourceOf(value));
    parts.weightParams = part.params;
    parts.weights = create(part, paramGradients);
  }

  ein::FuncOp body;
  const Wanted &wanted;
  std::string name;
  Parts parts;
  ein::FuncOp joint;
  Block *block = nullptr;
  unsigned numResults = 0, numGradients = 0;
  SmallVector<unsigned> argumentsOfGradients;
  SmallVector<unsigned> gradientOf; // result of the body, of each gradient argument
  DenseMap<unsigned, Value> gradientArguments;
  SmallVector<Value> results, argumentGradients, paramGradients, forwardResults, backwardResults;
  llvm::DenseSet<Operation *> forward, backward, weights;
  Values savedForward, savedBackward;
};

} // namespace

FailureOr<Parts> algebra::splitBody(ein::FuncOp body, const Wanted &wanted, StringRef name) {
  return Splitter(body, wanted, name).split();
}
