//===- Contraction.cpp - what writers of contractions share ---------------===//
#include "Contraction.h"
#include "ScalarFunctions.h"

#include "plc/Analysis/GatheredFactors.h"
#include "plc/Analysis/Implementations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

Factor::Factor(KernelWriter &w, Value tensor)
    : memory(w.memoryOf(ein::readAs(tensor))), element(getElementTypeOrSelf(ein::readAs(tensor).getType())),
      read(getElementTypeOrSelf(tensor.getType())) {}

Value Factor::load(KernelWriter &w, Type to, Value offset, int64_t stride, Lanes lanes) const {
  return convert(w, to, w.load(memory, element, offset, stride, lanes));
}

Value Factor::convert(KernelWriter &w, Type to, Value loaded) const {
  return castElement(w.b, castElement(w.b, loaded, read, element), to, read);
}

Offsets codegen::firstOffsets(KernelWriter &w, const MatmulNest &x) {
  auto orNull = [&](int64_t offset) { return offset ? w.index(offset) : Value(); };
  return {orNull(x.firstOfA), orNull(x.firstOfB), {}};
}

// Loops that an operand does not depend on (step 0) emit nothing.
Offsets codegen::moved(KernelWriter &w, ArrayRef<LoopDim> runs, ArrayRef<Value> at, Offsets from) {
  for (auto [run, index] : llvm::zip(runs, at)) {
    if (run.a)
      from.a = w.plus(from.a, w.times(index, run.a));
    if (run.b)
      from.b = w.plus(from.b, w.times(index, run.b));
    if (run.c)
      from.c = w.plus(from.c, w.times(index, run.c));
  }
  return from;
}

SmallVector<int64_t> codegen::extentsOf(ArrayRef<LoopDim> runs) {
  return llvm::map_to_vector(runs, [](const LoopDim &run) { return run.extent; });
}

Value codegen::orNotFirst(KernelWriter &w, Value accumulate, Value at) {
  // At the first step the sum may still be vacant; all later steps find it begun.
  Value later = arith::CmpIOp::create(w.b, arith::CmpIPredicate::ne, at, w.index(0));
  return arith::OrIOp::create(w.b, accumulate, later);
}

// Elements of a block alternate between the chains: a chain is short if `count` does not reach its last element.
void codegen::endChains(KernelWriter &w, MutableArrayRef<Value> even, MutableArrayRef<Value> odd, int64_t count) {
  auto end = [&](MutableArrayRef<Value> chains, int64_t last) {
    // A chain that reaches the block's end needs nothing. A short one adds the zero product that the numerics give it.
    if (count > last)
      return;
    for (Value &chain : chains) {
      Value zero = arith::ConstantOp::create(w.b, w.b.getZeroAttr(chain.getType()));
      chain = arith::AddFOp::create(w.b, chain, zero);
    }
  };
  end(even, ein::pairBlock - 2);
  end(odd, ein::pairBlock - 1);
}

// Full blocks in a loop, a short one behind it.
void codegen::forEachPairBlock(KernelWriter &w, int64_t size, Value adds,
                               llvm::function_ref<void(Value, int64_t, Value)> block) {
  int64_t whole = size / ein::pairBlock * ein::pairBlock;
  if (whole)
    w.loop(w.index(0), w.index(whole), ein::pairBlock, {}, [&](Value first, ValueRange) -> SmallVector<Value> {
      block(first, ein::pairBlock, orNotFirst(w, adds, first));
      return {};
    });
  if (whole < size)
    // A short block behind full ones always adds.
    block(w.index(whole), size - whole, whole ? Value(arith::ConstantIntOp::create(w.b, 1, 1)) : adds);
}

// The blocks of one run of k. Only the first block of a sum may store; all later ones add.
static void blocksOfRun(KernelWriter &w, const MatmulNest &x, Offsets from, Value accumulate,
                        llvm::function_ref<void(const SumBlock &)> block, int64_t length) {
  int64_t whole = x.k.extent / length * length, tail = x.k.extent - whole;
  auto blockAt = [&](Value first, int64_t size, Value adds) {
    block({x.depth.empty() ? moved(w, {x.k}, {first}, from) : from, size, adds, first});
  };
  // A single full block needs no loop, and a tail behind full blocks always adds.
  if (whole > length)
    w.loop(w.index(0), w.index(whole), length, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
      blockAt(at, length, orNotFirst(w, accumulate, at));
      return {};
    });
  else if (whole)
    block({from, length, accumulate, w.index(0)});
  if (tail && whole)
    blockAt(w.index(whole), tail, arith::ConstantIntOp::create(w.b, 1, 1));
  else if (tail)
    block({from, tail, accumulate, w.index(0)});
}

// Slow summed loops are outermost: blocks begin anew at each of their steps.
void codegen::forEachBlock(KernelWriter &w, const MatmulNest &x, Offsets from,
                           llvm::function_ref<void(const SumBlock &)> block, int64_t length) {
  // Without an accumulator the first block stores.
  Value accumulate = x.accumulates ? w.accumulate : Value(arith::ConstantIntOp::create(w.b, 0, 1));
  if (x.slow.empty())
    return blocksOfRun(w, x, from, accumulate, block, length);
  w.loop(w.index(0), w.index(x.slowSteps()), 1, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
    Offsets here = moved(w, x.slow, w.delinearize(at, extentsOf(x.slow)), from);
    blocksOfRun(w, x, here, orNotFirst(w, accumulate, at), block, length);
    return {};
  });
}

namespace {

// Writes factors that the kernel itself makes to scratch. One row kernel writes a factor with the maps, gathers and
// `lanes` reductions that lead to it. A factor that another reads through a view is written first.
class FactorWriter {
public:
  FactorWriter(KernelWriter &writer, ArrayRef<Operation *> equations) : w(writer), equations(equations) {}

  // Writes one factor whole; does nothing for arguments and for factors that are written already.
  LogicalResult write(Value factor) {
    Operation *maker = ein::viewed(factor).getDefiningOp();
    if (!maker || written.contains(maker))
      return success();
    llvm::SetVector<Operation *> needed;
    if (failed(collect(maker, needed)) || failed(w.keepWhole(maker->getResult(0))))
      return failure();
    // In program order, as the row writer wants them.
    SmallVector<Operation *> ordered =
        llvm::filter_to_vector(equations, [&](Operation *each) { return needed.contains(each); });
    written.insert(maker);
    covered.insert(ordered.begin(), ordered.end());
    return writeRows(w, ordered);
  }

  /// Number of the kernel's equations that the written factors consist of.
  unsigned count() const { return covered.size(); }

private:
  // Collects the equations that one row kernel computes for a factor. Fails on equations that a row cannot hold.
  LogicalResult collect(Operation *op, llvm::SetVector<Operation *> &needed) {
    auto reduce = dyn_cast<ein::ReduceOp>(op);
    bool ofRows = isa<ein::MapOp, ein::CastOp, ein::GatherOp>(op) ||
                  (reduce && reduce.getOrder() == ein::Order::lanes && !reduce.getAccumulator());
    if (!ofRows)
      return op->emitOpError("makes a factor of a contraction in one kernel, which takes maps, casts, gathers and "
                             "reductions of order 'lanes'");
    if (!needed.insert(op))
      return success();
    for (Value operand : op->getOperands()) {
      Operation *maker = ein::viewed(operand).getDefiningOp();
      if (!maker || ein::isFree(operand) || written.contains(maker))
        continue;
      bool throughView = maker != operand.getDefiningOp();
      if (failed(throughView ? write(operand) : collect(maker, needed)))
        return failure();
    }
    return success();
  }

  KernelWriter &w;
  ArrayRef<Operation *> equations;
  llvm::SmallPtrSet<Operation *, 8> written, covered;
};

} // namespace

// Counts the equations that it accounts for: any other one makes the kernel unfit for kind 'contract'.
FailureOr<ein::ContractOp> codegen::beginContraction(KernelWriter &writer) {
  SmallVector<Operation *> equations = equationsOf(writer.kernel);
  ein::ContractOp op = plan::contractionOf(writer.kernel);
  auto refuse = [&] {
    return writer.kernel.emitOpError("has ")
           << equations.size() << " equations but kind 'contract' takes one 'ein.contract' and what makes its factors";
  };
  if (!op)
    return refuse();
  if (op.getInputs().size() != 2 || !op.getOrder())
    return op.emitOpError("has ") << op.getInputs().size() << " operands but code generation takes 2, and an order";
  if (const char *why = plan::misfit(*writer.kernel.getBy(), op))
    return op.emitOpError("is computed by '")
           << plan::stringifyImplementation(*writer.kernel.getBy()) << "' but " << why;
  FactorWriter factors(writer, equations);
  unsigned inPlace = 0;
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    // A table is read through its positions, in memory; neither gather nor casts compute anything here.
    if (ein::GatherOp gather = ein::readInPlace(op, index)) {
      for (Value read : gather->getOperands()) {
        if (!writer.memoryOf(ein::readAs(read)))
          return gather.emitOpError("reads a value that is no argument of its kernel");
        inPlace += ein::readAs(read) != read;
      }
      inPlace += ein::heldAs(input) == input ? 1 : 2;
      continue;
    }
    Value held = ein::heldAs(input);
    // A free value has no memory unless an argument or a result brings it.
    if (ein::isFree(ein::viewed(held)) && !writer.memoryOf(held))
      return op.emitOpError("reads a value that is neither an argument of its kernel nor made by an equation of it");
    if (ein::readAs(held) == held && failed(factors.write(held)))
      return failure();
    inPlace += (held != input) + (ein::readAs(held) != held);
  }
  // One for the contraction itself.
  if (factors.count() + inPlace + 1 != equations.size())
    return refuse();
  if (op.getPairs()) // only now: equations that make factors honour subnormals
    writer.flushSubnormals();
  return op;
}
