//===- ProgramDigest.cpp - a hash of what a program computes --------------===//
#include "plc/Analysis/ProgramDigest.h"

#include "plc/Analysis/GradientSites.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Ein/Views.h"
#include "plc/Analysis/RouteTable.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <map>

using namespace mlir;
using namespace plc;

namespace {

// 128 bits of XXH3: programs are compared with themselves after passes, not with an adversary's.
using Digest = std::pair<uint64_t, uint64_t>;

Digest hashBytes(StringRef bytes) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(ArrayRef(bytes.bytes_begin(), bytes.size()));
  return {hash.low64, hash.high64};
}

/// The text that is hashed: parts of several kinds, each ended so that no two sequences have one text.
class Text {
public:
  template <typename Part>
  Text &operator<<(const Part &part) {
    stream << part << '\0';
    return *this;
  }
  Text &operator<<(Attribute attribute) {
    // The attribute's own text, independent of a tool's printing options.
    attribute.print(stream);
    stream << '\0';
    return *this;
  }
  Text &operator<<(Digest digest) {
    stream.write(reinterpret_cast<const char *>(&digest), sizeof(Digest));
    return *this;
  }
  Digest hash() const { return hashBytes(bytes); }

private:
  llvm::SmallString<256> bytes;
  llvm::raw_svector_ostream stream{bytes};
};

// Evaluates a program on hashes in place of tensors.
class Evaluation {
public:
  explicit Evaluation(ModuleOp module) : symbols(module) {
    // Thousands of parameters share types and initial values, so these texts are hashed once.
    DenseMap<Attribute, Digest> texts;
    for (auto param : module.getOps<ein::ParamOp>()) {
      Text text;
      text << "param";
      for (NamedAttribute each : param->getAttrDictionary()) {
        // The symbol is the text of a shard, and what an update needs is part of no equation.
        if (llvm::is_contained({param.getShardAttrName(), param.getMomentsAttrName(), param.getWorkspaceAttrName(),
                                param.getRowsAttrName()},
                               each.getName()))
          continue;
        auto [known, isNew] = texts.try_emplace(each.getValue());
        if (isNew)
          known->second = (Text() << each.getValue()).hash();
        text << each.getName().getValue() << known->second;
      }
      params[param.getSymNameAttr()] = text.hash();
    }
  }

  std::string run(ein::ModelOp model);
  std::string run(plan::ProgramOp program);

private:
  using Environment = DenseMap<Value, Digest>;

  /// Adds the signature, which a model and its program share.
  template <typename Program>
  void describe(Program op, ein::MicroBatches cut) {
    result << "program" << ein::textsOf(op.getArgNames()) << ein::textsOf(op.getResultNames()) << op.getArgBatchAttr()
           << op.getResultBatchAttr() << cut.batch << std::max<int64_t>(cut.count, 1) << cut.groups;
  }
  static Digest input(Attribute name, Type type) {
    return (Text() << "input" << ein::textOf(name) << TypeAttr::get(type)).hash();
  }
  static Digest site(StringRef param, int64_t index) { return (Text() << "site" << param << index).hash(); }
  void addOutput(Attribute name, Digest digest) { outputs.emplace_back(ein::textOf(name), digest); }
  void addSite(StringRef param, int64_t index, Digest digest) { sites.emplace_back(param.str(), index, digest); }
  std::string finish();

  /// The hashes of a loop's results. The values of an iteration are functions of its number, and of neighbouring
  /// iterations by carries. An element of another loop's stacked result is the value that the iteration of that number
  /// made.
  SmallVector<Digest> evaluateLoop(ein::LoopOp loop, ArrayRef<Digest> operands);
  /// The hashes of a callee's results for these arguments.
  SmallVector<Digest> enter(Block &callee, ArrayRef<Digest> arguments);
  /// The hashes of the results of an equation, or of a call of a kernel.
  SmallVector<Digest> evaluate(Operation *op, ArrayRef<Digest> operands);
  /// The hash of a view of a value, as if it had these types.
  Digest evaluateView(Operation *view, RankedTensorType from, RankedTensorType to, Digest operand);
  /// The hash of an operation without its operands, computed once.
  Digest ownDigest(Operation *op);

  /// The hash of a value that tasks use, if it is known yet.
  std::optional<Digest> find(Value value);
  bool evaluateTask(plan::TaskOp task);
  void evaluateTasks(plan::ProgramOp program);

  SymbolTable symbols;
  DenseMap<StringAttr, Digest> params;
  DenseMap<Operation *, Digest> own;
  DenseMap<StringAttr, Block *> kernels;
  /// The value of an iteration, by the depth of its loop and the hash of the stacked result.
  std::map<std::pair<int64_t, Digest>, Digest> stacks;
  int64_t depth = 0;
  /// The viewed value, axis and type, by the view's hash.
  std::map<Digest, std::tuple<Digest, int64_t, Type>> shown;
  /// The operand and operation of a cast, by the result's hash.
  std::map<Digest, std::pair<Digest, ein::CastOp>> casts;

  Environment values; // of a planned program, all of its tasks
  DenseMap<StringAttr, Value> stashed;
  std::optional<plan::RouteTable> routes;

  Text result;
  std::vector<std::pair<std::string, Digest>> outputs;
  std::vector<std::tuple<std::string, int64_t, Digest>> sites;
};

} // namespace

static Digest digestOf(Operation *op, TypeRange results) {
  Text text;
  text << op->getName().getStringRef() << op->getAttrDictionary();
  for (Type type : results)
    text << TypeAttr::get(type);
  return text.hash();
}

Digest Evaluation::ownDigest(Operation *op) {
  auto [it, inserted] = own.try_emplace(op);
  if (inserted)
    it->second = digestOf(op, op->getResultTypes());
  return it->second;
}

/// Whether an operation is a copy under the same indices.
static bool isIdentity(Operation *op) {
  auto map = dyn_cast<ein::MapOp>(op);
  return map && map.getFunction() == ein::Function::id && map.getMaps()[0] == map.getMaps()[1];
}

SmallVector<Digest> Evaluation::evaluate(Operation *op, ArrayRef<Digest> operands) {
  if (auto loop = dyn_cast<ein::LoopOp>(op))
    return evaluateLoop(loop, operands);
  if (auto call = dyn_cast<plan::CallOp>(op)) {
    if (auto own = call->getParentOfType<plan::KernelOp>()) // in an iteration
      return enter(cast<plan::KernelOp>(SymbolTable::lookupSymbolIn(own, call.getKernelAttr())).getBody().front(),
                   operands);
    auto [it, inserted] = kernels.try_emplace(call.getKernelAttr().getAttr());
    if (inserted)
      it->second = &symbols.lookup<plan::KernelOp>(call.getKernelAttr().getAttr()).getBody().front();
    return enter(*it->second, operands);
  }
  if (isIdentity(op))
    return {operands.front()};
  auto typeOf = [](Value value) { return cast<RankedTensorType>(value.getType()); };
  if (ein::isView(op))
    return {evaluateView(op, typeOf(op->getOperand(0)), typeOf(op->getResult(0)), operands.front())};
  Text text;
  text << ownDigest(op);
  for (Digest operand : operands)
    text << operand;
  if (auto cast = dyn_cast<ein::CastOp>(op))
    casts.try_emplace(text.hash(), operands.front(), cast);
  return {text.hash()};
}

Digest Evaluation::evaluateView(Operation *view, RankedTensorType from, RankedTensorType to, Digest operand) {
  // A view of a cast has the elements of the cast of a view: both get the hash of the latter.
  if (auto found = casts.find(operand); found != casts.end()) {
    auto [source, cast] = found->second;
    Type element = getElementTypeOrSelf(cast.getInput().getType());
    Digest uncast = evaluateView(view, from.clone(element), to.clone(element), source);
    Digest digest = (Text() << digestOf(cast, TypeRange(to)) << uncast).hash();
    casts.try_emplace(digest, uncast, cast);
    return digest;
  }
  Digest digest = (Text() << digestOf(view, TypeRange(to)) << operand).hash();
  if (!ein::isRegrouping(view))
    return digest;
  int64_t axis = isa<ein::SplitOp>(view) ? cast<ein::SplitOp>(view).getAxis() : cast<ein::MergeOp>(view).getAxis();
  // A split and a merge of the same axis undo each other if the type is the first one again.
  if (auto found = shown.find(operand); found != shown.end())
    if (auto &[source, otherAxis, sourceType] = found->second; otherAxis == axis && sourceType == to)
      return source;
  shown[digest] = {operand, axis, from};
  return digest;
}

SmallVector<Digest> Evaluation::evaluateLoop(ein::LoopOp loop, ArrayRef<Digest> operands) {
  ++depth;
  // First pass: carries are symbols, which gives the step function. Second pass: carries are functions of their initial
  // values, the step and the number of the iteration.
  const unsigned carries = loop.getNumCarries();
  const ArrayRef<Digest> slices = operands.slice(carries, loop.getSlices().size());
  SmallVector<Digest> arguments;
  for (unsigned i = 0; i < carries; ++i)
    arguments.push_back((Text() << "carry" << depth << i).hash());
  for (Digest slice : slices) {
    auto found = stacks.find({depth, slice});
    arguments.push_back(found == stacks.end() ? (Text() << "part" << depth << slice).hash() : found->second);
  }
  llvm::append_range(arguments, operands.drop_front(carries + slices.size()));
  // The hash of the carries: their initial values, and the step function.
  Text step;
  step << "loop" << loop.getIterations() << loop.getReverse();
  for (Digest digest : operands.take_front(carries))
    step << digest;
  SmallVector<Digest> next = enter(loop.getIteration(), arguments);
  for (Digest digest : ArrayRef(next).take_front(carries))
    step << digest;
  Digest carried = step.hash();
  for (unsigned i = 0; i < carries; ++i)
    arguments[i] = (Text() << "carried" << depth << i << carried).hash();
  SmallVector<Digest> results;
  for (auto [index, given] : llvm::enumerate(enter(loop.getIteration(), arguments))) {
    if (index < carries) {
      results.push_back((Text() << "last" << unsigned(index) << carried).hash());
      continue;
    }
    results.push_back((Text() << "stack" << depth << loop.getIterations() << given).hash());
    stacks[{depth, results.back()}] = given;
  }
  --depth;
  return results;
}

SmallVector<Digest> Evaluation::enter(Block &callee, ArrayRef<Digest> arguments) {
  Environment local;
  for (auto [argument, digest] : llvm::zip(callee.getArguments(), arguments))
    local[argument] = digest;
  auto read = [&](OperandRange operands) {
    return llvm::map_to_vector(operands, [&](Value operand) { return local.lookup(operand); });
  };
  for (Operation &op : callee.without_terminator())
    if (!isa<plan::KernelOp>(op)) // of a loop, which calls it
      for (auto [value, digest] : llvm::zip(op.getResults(), evaluate(&op, read(op.getOperands()))))
        local[value] = digest;
  return read(callee.getTerminator()->getOperands());
}

std::string Evaluation::run(ein::ModelOp model) {
  describe(model, ein::cutOf(model));
  auto siteOf = ein::numberSites(model);
  Environment local;
  for (auto [argument, name] : llvm::zip(model.getBody().getArguments(), model.getArgNames()))
    local[argument] = input(name, argument.getType());
  auto read = [&](ValueRange operands) {
    return llvm::map_to_vector(operands, [&](Value operand) { return local.lookup(operand); });
  };
  for (Operation &op : model.getBody().front().without_terminator()) {
    auto call = dyn_cast<ein::CallOp>(op);
    if (!call) {
      for (auto [value, digest] : llvm::zip(op.getResults(), evaluate(&op, read(op.getOperands()))))
        local[value] = digest;
      continue;
    }
    SmallVector<Digest> arguments = read(call.getArgs());
    for (auto name : call.getParams().getAsRange<FlatSymbolRefAttr>())
      arguments.push_back(params.lookup(name.getAttr()));
    auto accumulated = llvm::to_vector(call.getAccumulates().getAsRange<FlatSymbolRefAttr>());
    for (auto [index, name] : llvm::enumerate(accumulated))
      arguments.push_back(site(name.getValue(), siteOf.lookup({call, unsigned(index)})));
    SmallVector<Digest> returned = enter(symbols.lookup<ein::FuncOp>(call.getCallee()).getBody().front(), arguments);
    for (auto [value, digest] : llvm::zip(call.getResults(), returned))
      local[value] = digest;
    for (auto [index, name] : llvm::enumerate(accumulated))
      addSite(name.getValue(), siteOf.lookup({call, unsigned(index)}), returned[call.getNumResults() + index]);
  }
  for (auto [value, name] : llvm::zip(model.getBody().front().getTerminator()->getOperands(), model.getResultNames()))
    addOutput(name, local.lookup(value));
  return finish();
}

std::optional<Digest> Evaluation::find(Value value) {
  while (true) {
    if (auto it = values.find(value); it != values.end())
      return it->second;
    Operation *op = value.getDefiningOp();
    unsigned index = cast<OpResult>(value).getResultNumber();
    if (auto param = dyn_cast<plan::ParamOp>(op))
      return params.lookup(param.getParamAttr().getAttr());
    if (auto handle = dyn_cast<plan::SiteOp>(op))
      return site(handle.getParam(), handle.getIndex());
    if (auto handle = dyn_cast<plan::InputOp>(op))
      return input(handle.getInput(), value.getType());
    if (auto pop = dyn_cast<plan::PopOp>(op))
      value = pop.getInto() ? Value(pop.getInto()) : stashed.lookup(pop.getRouteAttr().getAttr());
    else if (isa<plan::TaskOp, plan::StageOp>(op))
      value = op->getRegion(0).front().getTerminator()->getOperand(index);
    else
      return std::nullopt;
    if (!value)
      return std::nullopt;
  }
}

// Evaluates a task. False if it reads a value that another task has yet to make.
bool Evaluation::evaluateTask(plan::TaskOp task) {
  Block &body = task.getBody().front();
  for (Operation &op : body)
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &body && !find(operand))
        return false;
  for (auto call : body.getOps<plan::CallOp>()) {
    auto operands = llvm::map_to_vector(call.getArgs(), [&](Value operand) { return *find(operand); });
    SmallVector<Digest> results = evaluate(call, operands);
    for (auto [value, digest] : llvm::zip(call.getResults(), results))
      values[value] = digest;
    // A call that adds to a site leaves the sum in the site's memory, where the next call finds it.
    int64_t accumulators = symbols.lookup<plan::KernelOp>(call.getKernelAttr().getAttr()).getNumAccumulators();
    for (int64_t i = 1; i <= accumulators; ++i)
      values[routes->resolve(call.getArgs()[call.getArgs().size() - i])] = results[results.size() - i];
  }
  return true;
}

// Evaluates all tasks. Stages depend on each other both ways, tasks do not. Forward through the stages, then backward,
// is their usual order, so one round mostly suffices.
void Evaluation::evaluateTasks(plan::ProgramOp program) {
  SmallVector<plan::TaskOp> waiting;
  auto stages = llvm::to_vector(program.getBody().getOps<plan::StageOp>());
  for (plan::StageOp stage : stages)
    for (plan::Role role : {plan::Role::P, plan::Role::F})
      if (plan::TaskOp task = stage.getTask(role))
        waiting.push_back(task);
  for (plan::StageOp stage : llvm::reverse(stages))
    for (plan::Role role : {plan::Role::B, plan::Role::W})
      if (plan::TaskOp backward = stage.getTask(role))
        waiting.push_back(backward);
  // A task that waits forever leaves its outputs without a hash, so the program has another digest than expected.
  for (size_t before = 0; before != waiting.size();) {
    before = waiting.size();
    llvm::erase_if(waiting, [&](plan::TaskOp task) { return evaluateTask(task); });
  }
}

std::string Evaluation::run(plan::ProgramOp program) {
  describe(program, program.getCut());
  program.walk([&](plan::StashOp stash) { stashed[stash.getRouteAttr().getAttr()] = stash.getValue(); });
  routes.emplace(program);
  evaluateTasks(program);
  using Found = std::pair<decltype(outputs), decltype(sites)>;
  std::map<int64_t, Found> replicas; // all replicas must compute the same
  for (auto stage : program.getBody().getOps<plan::StageOp>()) {
    for (auto output : stage.getBody().getOps<plan::OutputOp>())
      addOutput(output.getOutput(), find(output.getValue()).value_or(Digest()));
    // A site that only receives another rank's sum has no hash of its own.
    for (auto handle : stage.getBody().getOps<plan::SiteOp>())
      if (auto it = values.find(handle); it != values.end())
        addSite(handle.getParam(), handle.getIndex(), it->second);
    auto &[foundOutputs, foundSites] = replicas[stage.getReplica()];
    llvm::append_range(foundOutputs, std::exchange(outputs, {}));
    llvm::append_range(foundSites, std::exchange(sites, {}));
  }
  for (auto &[replica, found] : replicas) {
    llvm::sort(found.first);
    llvm::sort(found.second);
    if (found != replicas.begin()->second)
      result << "another replica" << replica;
  }
  if (!replicas.empty())
    std::tie(outputs, sites) = replicas.begin()->second;
  return finish();
}

std::string Evaluation::finish() {
  llvm::sort(outputs);
  llvm::sort(sites);
  for (auto &[name, digest] : outputs)
    result << "output" << name << digest;
  for (auto &[param, index, digest] : sites)
    result << "gradient" << param << index << digest;
  auto [low, high] = result.hash();
  return llvm::utohexstr(high, /*LowerCase=*/true, 16) + llvm::utohexstr(low, /*LowerCase=*/true, 16);
}

std::string plc::analysis::digestOf(Operation *program) {
  Evaluation evaluation(program->getParentOfType<ModuleOp>());
  if (auto model = dyn_cast<ein::ModelOp>(program))
    return evaluation.run(model);
  return evaluation.run(cast<plan::ProgramOp>(program));
}

LogicalResult plc::analysis::verifyDigest(plan::NumericsOp recorded) {
  Operation *program = SymbolTable::lookupNearestSymbolFrom(recorded, recorded.getProgramAttr());
  std::string found = digestOf(program);
  if (found == recorded.getDigest())
    return success();
  InFlightDiagnostic error = program->emitError("program '")
                             << recorded.getProgram() << "' has equations of digest '" << found << "' but expected '"
                             << recorded.getDigest() << "'";
  error.attachNote(recorded.getLoc()) << "recorded here, of the numerics program";
  return error;
}
