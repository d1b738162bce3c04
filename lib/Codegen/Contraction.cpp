//===- Contraction.cpp - a contraction as strided loops ---------------------===//
#include "Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

SmallVector<int64_t> steps(AffineMap map, Type tensor, unsigned dims) {
  SmallVector<int64_t> result(dims, 0);
  for (auto [axis, stride] : llvm::enumerate(stridesOf(tensor)))
    result[ein::dimOf(map, axis)] += stride;
  return result;
}

void append(SmallVector<LoopDim> &runs, LoopDim run) {
  if (run.extent == 1)
    return;
  if (!runs.empty()) {
    LoopDim &last = runs.back();
    if (last.a == run.a * run.extent && last.b == run.b * run.extent && last.c == run.c * run.extent) {
      run.extent *= last.extent;
      last = run;
      return;
    }
  }
  runs.push_back(run);
}

} // namespace

Contraction codegen::analyse(ein::ContractOp op) {
  Contraction result{
      {}, {}, {}, {}, op.getInputs()[0], op.getInputs()[1], op.getResult(), op.getSumType(), bool(op.getAccumulator())};
  ein::Iteration it = ein::iterationOf(op);
  unsigned dims = it.extents.size();
  auto a = steps(it.inputs[0], result.a.getType(), dims), b = steps(it.inputs[1], result.b.getType(), dims),
       c = steps(it.result, result.c.getType(), dims);
  auto runOf = [&](unsigned dim) { return LoopDim{it.extents[dim], a[dim], b[dim], c[dim]}; };
  // Kept dimensions in the order of the result's axes.
  for (unsigned axis = 0; axis < it.result.getNumResults(); ++axis) {
    unsigned dim = ein::dimOf(it.result, axis);
    append(a[dim] && b[dim] ? result.batch : a[dim] ? result.m : result.n, runOf(dim));
  }
  ArrayRef<int64_t> order = op.getOrder().value_or(ArrayRef<int64_t>());
  for (int64_t dim : order)
    append(result.k, runOf(dim));
  return result;
}

int64_t MatmulNest::units() const {
  int64_t count = 1;
  for (const LoopDim &run : outer)
    count *= run.extent;
  return count;
}

int64_t MatmulNest::slowSteps() const {
  int64_t count = 1;
  for (const LoopDim &run : slow)
    count *= run.extent;
  return count;
}

// Removes the run along which c is contiguous, else the longest.
static LoopDim take(SmallVector<LoopDim> &runs) {
  auto best = llvm::max_element(runs, [](const LoopDim &p, const LoopDim &q) {
    return std::pair(p.c == 1, p.extent) < std::pair(q.c == 1, q.extent);
  });
  LoopDim run = *best;
  runs.erase(best);
  return run;
}

std::optional<MatmulNest> codegen::asProduct(Contraction x) {
  if (x.k.empty() || x.m.empty() || x.n.empty())
    return std::nullopt;
  // Blocks are added to c in memory, which must hold a sum without rounding it.
  if (x.sum != getElementTypeOrSelf(x.c.getType()))
    return std::nullopt;
  MatmulNest product{take(x.m), take(x.n), x.k.pop_back_val(), {}, x.k, x.a, x.b, x.c, x.accumulates};
  if (!product.slow.empty() && product.k.extent % sumBlock != 0)
    return std::nullopt;
  if (product.k.a == 0 || product.k.b == 0)
    return std::nullopt;
  for (auto *runs : {&x.batch, &x.m, &x.n})
    llvm::append_range(product.outer, *runs);
  if (product.m.c != 1 || product.n.c == 1)
    return product;
  std::swap(product.m, product.n);
  std::swap(product.a, product.b);
  auto turn = [](LoopDim &run) { std::swap(run.a, run.b); };
  for (LoopDim *run : {&product.m, &product.n, &product.k})
    turn(*run);
  llvm::for_each(product.outer, turn);
  llvm::for_each(product.slow, turn);
  return product;
}

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

static Value orNotFirst(KernelWriter &w, Value accumulate, Value at) {
  Value later = arith::CmpIOp::create(w.b, arith::CmpIPredicate::ne, at, w.index(0));
  return arith::OrIOp::create(w.b, accumulate, later);
}

// Only the first block of a sum may store.
static void blocksOfRun(KernelWriter &w, const MatmulNest &x, Offsets from, Value accumulate,
                        llvm::function_ref<void(Offsets, int64_t, Value)> block) {
  int64_t whole = x.k.extent / sumBlock * sumBlock, tail = x.k.extent - whole;
  if (whole > sumBlock)
    w.loop(w.index(0), w.index(whole), sumBlock, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
      block(moved(w, {x.k}, {at}, from), sumBlock, orNotFirst(w, accumulate, at));
      return {};
    });
  else if (whole)
    block(from, sumBlock, accumulate);
  if (tail && whole)
    block(moved(w, {x.k}, {w.index(whole)}, from), tail, arith::ConstantIntOp::create(w.b, 1, 1));
  else if (tail)
    block(from, tail, accumulate);
}

void codegen::forEachBlock(KernelWriter &w, const MatmulNest &x, Offsets from,
                           llvm::function_ref<void(Offsets, int64_t, Value)> block) {
  Value accumulate = x.accumulates ? w.accumulate : Value(arith::ConstantIntOp::create(w.b, 0, 1));
  if (x.slow.empty())
    return blocksOfRun(w, x, from, accumulate, block);
  w.loop(w.index(0), w.index(x.slowSteps()), 1, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
    Offsets here = moved(w, x.slow, w.delinearize(at, extentsOf(x.slow)), from);
    blocksOfRun(w, x, here, orNotFirst(w, accumulate, at), block);
    return {};
  });
}

LogicalResult codegen::writeContraction(KernelWriter &writer) {
  SmallVector<Operation *> equations = equationsOf(writer.kernel);
  auto op = equations.size() == 1 ? dyn_cast<ein::ContractOp>(equations.front()) : ein::ContractOp();
  if (!op)
    return writer.kernel.emitOpError("has ")
           << equations.size() << " equations but kind 'contract' takes one 'ein.contract'";
  if (op.getInputs().size() != 2 || !op.getOrder())
    return op.emitOpError("has ") << op.getInputs().size() << " operands but code generation takes 2, and an order";
  for (Value input : op.getInputs())
    if (!writer.memoryOf(input))
      return op.emitOpError("reads a value that is no argument of its kernel");
  Contraction contraction = analyse(op);
  if (std::optional<MatmulNest> product = asProduct(contraction)) {
    bool own = writer.options.contractions == Contractions::own;
    if (own ? writeTiles(writer, *product) : writeLibraryCalls(writer, *product))
      return success();
  }
  return writeChains(writer, contraction), success();
}
