//===- FormKernels.cpp - groups the equations of bodies in kernels --------===//
#include "ArgumentParts.h"
#include "ChooseImplementation.h"
#include "CopyOperands.h"
#include "Grouping.h"
#include "KernelCost.h"
#include "SteadyEquations.h"
#include "plc/Analysis/GatheredFactors.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/Layout.h"
#include "plc/Analysis/IterationMemory.h"
#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Dialect/Ein/Views.h"
#include "plc/Dialect/Plan/KernelText.h"
#include "plc/Kernels/Passes.h"
#include "plc/Support/Errors.h"
#include "plc/Support/ExactDouble.h"
#include "plc/Support/Profile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace plc::kernels {
#define GEN_PASS_DEF_FORMKERNELS
#include "lib/Kernels/Passes.h.inc"
} // namespace plc::kernels

using namespace mlir;
using namespace plc;
using namespace plc::kernels;

namespace {

// Costs and bytes of larger equations could overflow sums in 64 bits: 2^48 points of 8 bytes, times 4096 kernels, are
// 2^63.
constexpr int64_t mostPoints = int64_t(1) << 48;

// Reports an equation beyond any machine, so that no sum of costs or bytes of a plan overflows.
bool isTooLarge(Operation *op) {
  int64_t points = 1;
  if (isa<ein::LoopOp>(op)) // its turns' kernels are counted when they are there
    return false;
  for (int64_t extent : ein::iterationOf(op).extents)
    if (llvm::MulOverflow(points, extent, points) || points > mostPoints)
      return op->emitError("runs over more than 2^48 points"), true;
  for (Value operand : op->getOperands())
    if (cast<RankedTensorType>(operand.getType()).getNumElements() > mostPoints)
      return op->emitError("reads a tensor of more than 2^48 elements"), true;
  return false;
}

// Operands and results of a group's kernel: inputs, then accumulators; results, then accumulated values. Views, and
// gathers and casts that are read in place, are cloned into the kernel, so it reads the operands behind them.
struct Signature {
  SmallVector<Value> inputs, accumulators, results, accumulated;

  explicit Signature(const Group &group) {
    llvm::SmallPtrSet<Operation *, 16> inside(group.equations.begin(), group.equations.end());
    llvm::SetVector<Value> read;
    for (Operation *op : group.equations) {
      Value accumulator = accumulatorOf(op);
      for (Value operand : op->getOperands())
        if (operand != accumulator && !inside.contains(operand.getDefiningOp()) &&
            (!ein::isFree(operand) || needsMemory(op)))
          read.insert_range(readBehind(operand));
      if (accumulator) {
        accumulators.push_back(accumulator);
        accumulated.push_back(op->getResult(0));
        continue;
      }
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); }))
          results.push_back(givenFor(result));
    }
    inputs.assign(read.begin(), read.end());
  }

  SmallVector<Value> arguments() const { return llvm::to_vector(llvm::concat<const Value>(inputs, accumulators)); }
  SmallVector<Value> outputs() const { return llvm::to_vector(llvm::concat<const Value>(results, accumulated)); }
};

SmallVector<Type> typesOf(ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [](Value value) { return value.getType(); });
}

// The equation that names a kernel in reports: the first contraction, reduction or the like, else the last one.
Operation *mainEquation(const Group &group) {
  for (Operation *op : group.equations)
    if (!isa<ein::MapOp, ein::CastOp>(op))
      return op;
  return group.equations.back();
}

// An option for each rate, named and preset as in the table of rates. Values print with all digits, so that a printed
// pipeline is the same pipeline.
class RateOptions {
public:
  explicit RateOptions(Pass &pass) {
    for (const RateRow &row : Choice<Rate>::rows())
      options.push_back(std::make_unique<Pass::Option<ExactDouble>>(pass, row.name, llvm::cl::desc(row.of),
                                                                    llvm::cl::init(ExactDouble(row.avx512))));
  }

  PerRate values() const {
    PerRate rates;
    for (auto [index, option] : llvm::enumerate(options))
      rates[Rate(index)] = option->getValue();
    return rates;
  }

private:
  std::vector<std::unique_ptr<Pass::Option<ExactDouble>>> options;
};

struct FormKernels : public kernels::impl::FormKernelsBase<FormKernels> {
  using FormKernelsBase::FormKernelsBase;
  // A copied pass has options of its own; the pass manager copies their values.
  FormKernels(const FormKernels &other) : FormKernelsBase(other) {}

  // Checks that the pass comes at the right position, then forms the kernels of each body.
  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::kernels);
    kernelCount = groupCount = measuredCount = 0;
    if (getOperation().getOps<ein::FuncOp>().empty() && getOperation().getOps<ein::ModelOp>().empty()) {
      getOperation().emitError(
          "module has no 'ein.func' whose equations kernels could hold: this pass comes before '--plan-partition'");
      return signalPassFailure();
    }
    if (auto kernels = getOperation().getOps<plan::KernelOp>(); !kernels.empty()) {
      (*kernels.begin()).emitError("module has kernels already, such as '") << (*kernels.begin()).getSymName() << "'";
      return signalPassFailure();
    }
    for (auto model : getOperation().getOps<ein::ModelOp>())
      if (ein::isUncut(model)) {
        model.emitError("model '") << model.getSymName() << "' is of the whole batch: run '--ein-cut-batch' first";
        return signalPassFailure();
      }
    rates = rateOptions.values();
    if (failed(checkRates()) || failed(readProfile()))
      return signalPassFailure();
    Kernels kernels{SymbolTable(getOperation())};
    argumentParts.emplace(getOperation());
    std::optional<SteadyArguments> steady;
    if (prepare)
      steady.emplace(getOperation());
    for (auto body : llvm::make_early_inc_range(getOperation().getOps<ein::FuncOp>()))
      if (failed(formBody(body, steady, kernels)))
        return signalPassFailure();
    if (measured && kernelCount && !measuredCount)
      getOperation().emitWarning("none of the ") << kernelCount << " kernels ran in the run of '" << profile
                                                 << "', or none with as many bytes: all times are by rates";
    remark::analysis(getOperation().getLoc(), remark::RemarkOpts::name("Formed").category(getArgument()))
        << remark::add("formed {0} different kernels for {1} groups of equations", kernelCount, groupCount);
  }

private:
  // Kernels of one symbol table (the module's, or that of a kernel of kind `loop`) by their text: equal kernels are
  // one.
  struct Kernels {
    SymbolTable symbols;
    llvm::StringMap<plan::KernelOp> known = {};
  };

  // Rejects rates outside their table's range, negative and NaN ones included.
  LogicalResult checkRates() {
    for (auto [i, row] : llvm::enumerate(Choice<Rate>::rows()))
      if (double rate = rates[Rate(i)]; !(rate >= row.least && rate <= row.most))
        return emitOptionError(getOperation(), row.name + Twine(" is "))
               << rate << " but must be from " << int64_t(row.least) << " to " << int64_t(row.most);
    return success();
  }

  // Reads the profile; a log of another shape is an error of the option.
  LogicalResult readProfile() {
    std::string why;
    if (!profile.empty() && !(measured = Profile::read(profile.getValue(), why)))
      return emitOptionError(getOperation(), why);
    return success();
  }

  // Forms the kernels of one body: erases dead equations, moves precomputed ones apart, groups the rest.
  LogicalResult formBody(ein::FuncOp body, const std::optional<SteadyArguments> &steady, Kernels &kernels) {
    Block &block = body.getBody().front();
    // Stops matter to differentiation only, which is done.
    body.walk([](ein::StopOp stop) {
      stop.getResult().replaceAllUsesWith(stop.getInput());
      stop.erase();
    });
    eraseDead(block);
    ApartEquations apart;
    if (steady)
      takeSteady(block, *steady, apart);
    if (failed(formCalls(block, body, body.getName() + ".", kernels)))
      return failure();
    return formApart(apart, block, body, body.getName() + ".P.", kernels);
  }

  // Forms the kernels of equations that were moved out of a block. Their calls come first, since the others read their
  // results.
  LogicalResult formApart(ApartEquations &apart, Block &block, Operation *place, const Twine &prefix,
                          Kernels &kernels) {
    if (apart.block.empty())
      return success();
    LogicalResult formed = formCalls(apart.block, place, prefix, kernels);
    Operation *returned = apart.block.getTerminator();
    for (auto [argument, value] : llvm::zip(apart.arguments, returned->getOperands())) {
      argument.replaceAllUsesWith(value);
      block.eraseArgument(cast<BlockArgument>(argument).getArgNumber());
    }
    block.getOperations().splice(block.begin(), apart.block.getOperations(), apart.block.begin(),
                                 returned->getIterator());
    return formed;
  }

  // The shards among the values of a body; none in an iteration of a loop.
  PartOfValue partsOf(Operation *place) const {
    auto body = dyn_cast<ein::FuncOp>(place);
    return body ? argumentParts->of(body) : PartOfValue();
  }

  // Replaces a block's equations by calls. New kernels are inserted before `place`, an operation of their symbol table.
  //
  // Order matters: tables leave first, views are made readable next, and grouping comes last, when no equation moves
  // any more.
  LogicalResult formCalls(Block &block, Operation *place, const Twine &prefix, Kernels &kernels) {
    std::string names = prefix.str();
    PartOfValue parts = partsOf(place);
    ApartEquations tables;
    if (parts.empty()) // in a sharded body a shared table would be sent between ranks
      takeTables(block, rates, tables);
    copyOperands(block);
    FailureOr<SmallVector<Group>> groups = groupEquations(block, fusion, parts);
    if (failed(groups))
      return failure();
    OpBuilder builder(block.getTerminator());
    groupCount += groups->size();
    for (auto [index, group] : llvm::enumerate(*groups)) {
      Signature signature(group);
      if (llvm::any_of(group.equations, isTooLarge))
        return failure();
      plan::KernelOp kernel = form(group, signature, names + std::to_string(index), place, kernels);
      if (!kernel)
        return failure();
      auto call = plan::CallOp::create(builder, kernel.getLoc(), kernel.getResultTypes(),
                                       FlatSymbolRefAttr::get(kernel.getSymNameAttr()), signature.arguments(),
                                       builder.getStringAttr(""), /*recompute=*/nullptr, /*discard=*/nullptr,
                                       /*again=*/nullptr);
      for (auto [value, result] : llvm::zip(signature.outputs(), call.getResults()))
        replaceOutside(group, value, result, builder);
    }
    // The equations live in kernels now. Their references go first, because they use each other.
    SmallVector<Operation *> formed;
    for (Operation &op : block)
      if (!isa<plan::CallOp, ein::ReturnOp>(op))
        formed.push_back(&op);
    for (Operation *op : formed)
      op->dropAllReferences();
    for (Operation *op : formed)
      op->erase();
    return formApart(tables, block, place, names + "T.", kernels);
  }

  // Lets readers outside the group read the call's result; through inverse views if the result is a view.
  void replaceOutside(const Group &group, Value given, Value result, OpBuilder &builder) {
    Value made = ein::regrouped(given), back = result;
    for (Value view = given; view != made; view = view.getDefiningOp()->getOperand(0))
      back = ein::unview(builder, view.getDefiningOp(), back);
    if (given != made)
      given.replaceAllUsesWith(result);
    // Kernels clone free values; only readers that need memory read the stored one.
    bool onlyStored = ein::isFree(made);
    made.replaceUsesWithIf(back, [&](OpOperand &use) {
      return onlyStored ? needsMemory(use.getOwner()) : !llvm::is_contained(group.equations, use.getOwner());
    });
  }

  // Erases values without readers; from the end, so that one pass suffices.
  void eraseDead(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (!isa<ein::ReturnOp>(op) && op.use_empty() && !accumulatorOf(&op))
        op.erase();
    for (auto loop : block.getOps<ein::LoopOp>())
      eraseDead(loop.getIteration());
  }

  // Returns the kernel of a group: an equal one formed before, or a new one. Null, with a diagnostic, if a loop's
  // iteration cannot be formed.
  plan::KernelOp form(const Group &group, const Signature &signature, const std::string &name, Operation *place,
                      Kernels &kernels) {
    OpBuilder builder(place);
    auto type = builder.getFunctionType(typesOf(signature.arguments()), typesOf(signature.outputs()));
    auto kernel = plan::KernelOp::create(builder, mainEquation(group)->getLoc(), name, type, group.kind);
    kernel.setNumAccumulators(signature.accumulators.size());
    kernel.setUpdates(isa<ein::PutOp>(group.equations.front()));
    fill(kernel, group, signature);
    // The implementation comes first: it decides the cost, and is part of the text.
    kernel.setBy(chooseImplementation(group, contractions, rates));
    if (failed(group.kind == plan::KernelKind::loop ? formIterations(kernel) : setCost(kernel))) {
      kernel.erase();
      return {};
    }
    // Equal text is equal code: layers of one kind share their kernels, which keeps the module small.
    std::string text = plan::kernelText(kernel);
    if (auto found = kernels.known.find(text); found != kernels.known.end()) {
      kernel.erase();
      return found->second;
    }
    ++kernelCount;
    kernel->remove();
    kernels.symbols.insert(kernel, place->getIterator());
    kernels.known[text] = kernel;
    return kernel;
  }

  // Forms the kernels of a loop's iteration, in the loop's own symbol table. The loop costs what their calls cost.
  LogicalResult formIterations(plan::KernelOp kernel) {
    ein::LoopOp loop = kernel.getLoop();
    Kernels kernels{SymbolTable(kernel)};
    copyTurnResults(loop);
    if (failed(formCalls(loop.getIteration(), loop, "iteration.", kernels)))
      return failure();
    plan::IterationMemory memory = plan::layOutIteration(kernel);
    // Values between the calls of an iteration are stored in a result of the loop that nothing reads, so the plan has
    // its bytes.
    if (memory.bytes)
      addScratch(kernel, memory);
    std::optional<IterationsWork> work = workOfIterations(kernel);
    if (!work)
      return loop.emitError("runs over more than 2^48 points");
    kernel.setFlops(work->flops);
    kernel.setBytes(work->bytes);
    setNs(kernel, work->bytes, work->ns);
    return success();
  }

  // Adds the scratch as a result of 32-bit words. Its `room` says how much of it shorter micro-batches use.
  static void addScratch(plan::KernelOp kernel, const plan::IterationMemory &memory) {
    Operation *end = kernel.getBody().front().getTerminator();
    OpBuilder builder(end);
    ein::RoomAttr room;
    if (memory.fewerBytes < memory.bytes)
      room = ein::RoomAttr::get(builder.getContext(), memory.fewerBytes / 4, memory.samples);
    auto type = RankedTensorType::get({memory.bytes / 4}, builder.getI32Type(), room);
    SmallVector<Value> results(end->getOperands());
    results.push_back(ein::IotaOp::create(builder, kernel.getLoc(), type));
    end->setOperands(results);
    kernel.setFunctionType(builder.getFunctionType(kernel.getArgumentTypes(), ValueRange(results).getTypes()));
  }

  // Clones the group's equations into the kernel's body, with the free values that they read.
  void fill(plan::KernelOp kernel, const Group &group, const Signature &signature) {
    Block *block = kernel.getBody().empty() ? &kernel.getBody().emplaceBlock() : &kernel.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(block);
    if (!block->empty())
      block->getTerminator()->erase();
    IRMapping mapping;
    for (auto [index, value] : llvm::enumerate(signature.arguments())) {
      if (block->getNumArguments() <= index)
        block->addArgument(value.getType(), value.getLoc());
      mapping.map(value, block->getArgument(index));
    }
    for (Operation *op : group.equations) {
      for (Value operand : op->getOperands())
        cloneIfFree(operand, builder, mapping);
      builder.clone(*op, mapping);
    }
    SmallVector<Value> results;
    for (Value value : signature.outputs()) {
      cloneIfFree(value, builder, mapping);
      results.push_back(mapping.lookup(value));
    }
    plan::YieldOp::create(builder, kernel.getLoc(), results);
  }

  // Clones a value that is free or read through, with its operands: none of them costs anything in the kernel that
  // reads it.
  void cloneIfFree(Value value, OpBuilder &builder, IRMapping &mapping) {
    if (mapping.contains(value) || !(ein::isFree(value) || isReadThrough(value.getDefiningOp())))
      return;
    for (Value operand : value.getDefiningOp()->getOperands())
      cloneIfFree(operand, builder, mapping);
    builder.clone(*value.getDefiningOp(), mapping);
  }

  // Work of an equation's kernel, and its time by the rates.
  LogicalResult setCost(plan::KernelOp kernel) {
    KernelWork work = workOf(kernel);
    kernel.setFlops(work.flops);
    kernel.setBytes(work.bytes);
    setNs(kernel, work.bytes, int64_t(nsOf(work.amounts, rates)));
    return success();
  }

  // Sets the predicted time: by the profile if it has the kernel with as many bytes, else by the rates.
  void setNs(plan::KernelOp kernel, int64_t bytes, int64_t byRates) {
    auto ns = measured ? measured->nsOf(kernel.getSymName(), bytes) : std::nullopt;
    measuredCount += ns.has_value();
    kernel.setNs(ns.value_or(byRates));
  }

  RateOptions rateOptions{*this};
  int64_t kernelCount = 0, groupCount = 0, measuredCount = 0;
  PerRate rates;
  std::optional<Profile> measured;
  std::optional<ArgumentParts> argumentParts;
};

} // namespace
