//===- Contraction.cpp - a contraction as strided loops ---------------------===//
#include "Contraction.h"

#include "plc/Dialect/Blis/Blis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

void append(SmallVector<Run> &runs, Run run) {
  if (run.extent == 1)
    return;
  if (!runs.empty()) {
    Run &last = runs.back();
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
  Contraction result{{}, {}, {}, {}, op.getInputs()[0], op.getInputs()[1], op.getResult(), bool(op.getAccumulator())};
  ein::Iteration it = ein::iterationOf(op);
  unsigned dims = it.extents.size();
  auto a = steps(it.inputs[0], result.a.getType(), dims), b = steps(it.inputs[1], result.b.getType(), dims),
       c = steps(it.result, result.c.getType(), dims);
  auto runOf = [&](unsigned dim) { return Run{it.extents[dim], a[dim], b[dim], c[dim]}; };
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

namespace {

constexpr int64_t smallest = 4;       // below this many rows or columns the library is slower than a loop
constexpr int64_t smallWork = 8192;   // products
constexpr int64_t partLength = 48;    // rows of a chunk are a multiple of this

// One call of blis.gemm per block of 256, in loops over what does not fit a matrix.
class GemmWriter {
public:
  GemmWriter(KernelWriter &writer, Contraction contraction) : w(writer), b(writer.b), x(std::move(contraction)) {}

  // Takes one run each of m, n and k; false if the library cannot keep the bits or is not worth calling.
  bool fits() {
    if (x.k.empty())
      return false;
    inner = x.k.pop_back_val();
    bool split = !x.k.empty();
    if (split && inner.extent % sumBlock != 0)
      return false;
    if (inner.a == 0 || inner.b == 0 || x.m.empty() || x.n.empty())
      return false;
    m = take(x.m);
    n = take(x.n);
    if (m.c == 1 && n.c != 1) {
      std::swap(m, n);
      std::swap(x.a, x.b);
      swapped = true;
    }
    return m.extent >= smallest && n.extent >= smallest && m.extent * n.extent * inner.extent >= smallWork;
  }

  void run() {
    SmallVector<Run> outer(x.batch);
    llvm::append_range(outer, x.m);
    llvm::append_range(outer, x.n);
    SmallVector<int64_t> extents;
    int64_t units = 1;
    for (const Run &run : outer) {
      extents.push_back(run.extent);
      units *= run.extent;
    }
    int64_t parts = chooseParts(units);
    extents.push_back(parts);
    auto [lower, upper] = w.cut(units * parts);
    w.loop(lower, upper, 1, {}, [&](Value unit, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> at = w.delinearize(unit, extents);
      Value part = at.pop_back_val();
      Offsets offsets = offsetsOf(outer, at);
      writeUnit(offsets, part);
      return {};
    });
  }

private:
  struct Offsets {
    Value a, b, c;
  };

  // The run along which c is contiguous, else the longest.
  static Run take(SmallVector<Run> &runs) {
    auto best = llvm::max_element(runs, [](const Run &p, const Run &q) {
      return std::pair(p.c == 1, p.extent) < std::pair(q.c == 1, q.extent);
    });
    Run run = *best;
    runs.erase(best);
    return run;
  }

  int64_t stepA(const Run &run) const { return swapped ? run.b : run.a; }
  int64_t stepB(const Run &run) const { return swapped ? run.a : run.b; }

  // Few units: the longer of m and n is cut too, for there is no other parallelism.
  int64_t chooseParts(int64_t units) {
    int64_t wanted = llvm::divideCeil(int64_t(w.kernel.getNs() / 100000) + 1, units);
    cutsM = m.extent >= n.extent;
    int64_t extent = cutsM ? m.extent : n.extent;
    length = llvm::alignTo(llvm::divideCeil(extent, wanted), partLength);
    return llvm::divideCeil(extent, length);
  }

  Offsets offsetsOf(ArrayRef<Run> runs, ArrayRef<Value> at, Offsets from = {}) {
    for (auto [run, index] : llvm::zip(runs, at)) {
      if (int64_t step = stepA(run))
        from.a = w.plus(from.a, w.times(index, step));
      if (int64_t step = stepB(run))
        from.b = w.plus(from.b, w.times(index, step));
      if (run.c)
        from.c = w.plus(from.c, w.times(index, run.c));
    }
    return from;
  }

  void writeUnit(Offsets offsets, Value part) {
    Value first = w.times(part, length), rest = arith::SubIOp::create(b, w.index(cutsM ? m.extent : n.extent), first);
    Value size = arith::MinUIOp::create(b, rest, w.index(length));
    offsets = offsetsOf({cutsM ? m : n}, {first}, offsets);
    Value rows = cutsM ? size : w.index(m.extent), columns = cutsM ? w.index(n.extent) : size;
    Value accumulate = x.accumulates ? w.accumulate : Value(arith::ConstantIntOp::create(b, 0, 1));
    SmallVector<int64_t> extents;
    int64_t slow = 1;
    for (const Run &run : x.k) {
      extents.push_back(run.extent);
      slow *= run.extent;
    }
    if (slow == 1)
      return writeBlocks(offsets, rows, columns, accumulate);
    w.loop(w.index(0), w.index(slow), 1, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
      writeBlocks(offsetsOf(x.k, w.delinearize(at, extents), offsets), rows, columns, orNotFirst(accumulate, at));
      return {};
    });
  }

  Value orNotFirst(Value accumulate, Value at) {
    Value later = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, at, w.index(0));
    return arith::OrIOp::create(b, accumulate, later);
  }

  void writeBlocks(Offsets offsets, Value rows, Value columns, Value accumulate) {
    int64_t whole = inner.extent / sumBlock * sumBlock, tail = inner.extent - whole;
    auto block = [&](Value at, int64_t size, Value add) {
      Offsets here = at ? offsetsOf({inner}, {at}, offsets) : offsets;
      auto orZero = [&](Value value) { return value ? value : w.index(0); };
      blis::GemmOp::create(b, b.getI64IntegerAttr(size), w.memoryOf(x.a), orZero(here.a),
                           b.getDenseI64ArrayAttr({stepA(m), stepA(inner)}), w.memoryOf(x.b), orZero(here.b),
                           b.getDenseI64ArrayAttr({stepB(inner), stepB(n)}), w.memoryOf(x.c), orZero(here.c),
                           b.getDenseI64ArrayAttr({m.c, n.c}), rows, columns, add, w.context);
    };
    if (whole > sumBlock)
      w.loop(w.index(0), w.index(whole), sumBlock, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
        block(at, sumBlock, orNotFirst(accumulate, at));
        return {};
      });
    else if (whole)
      block({}, sumBlock, accumulate);
    if (tail)
      block(whole ? w.index(whole) : Value(), tail,
            whole ? Value(arith::ConstantIntOp::create(b, 1, 1)) : accumulate);
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  Contraction x;
  Run m, n, inner;
  bool swapped = false, cutsM = true;
  int64_t length = 0;
};

// The definition itself, vectorised along the contiguous run of c if there is one.
class ChainWriter {
public:
  ChainWriter(KernelWriter &writer, Contraction contraction) : w(writer), b(writer.b), x(std::move(contraction)) {}

  void run() {
    for (auto *runs : {&x.batch, &x.m, &x.n})
      llvm::append_range(outer, *runs);
    auto along = llvm::find_if(outer, [](const Run &run) { return run.c == 1; });
    if (along != outer.end()) {
      fast = *along;
      outer.erase(along);
    }
    width = fast.extent == 1 ? 0 : fast.extent % 64 == 0 ? 64 : 16;
    int64_t blocks = width ? llvm::divideCeil(fast.extent, width) : 1, units = blocks;
    SmallVector<int64_t> extents;
    for (const Run &run : outer) {
      extents.push_back(run.extent);
      units *= run.extent;
    }
    extents.push_back(blocks);
    auto [lower, upper] = w.cut(units);
    w.loop(lower, upper, 1, {}, [&](Value unit, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> at = w.delinearize(unit, extents);
      Value block = at.pop_back_val();
      writeUnit(at, block, blocks);
      return {};
    });
  }

private:
  void writeUnit(ArrayRef<Value> at, Value block, int64_t blocks) {
    if (!width)
      return writeElements(at, {}, {});
    Value first = w.times(block, width);
    int64_t tail = fast.extent % width;
    if (!tail || blocks == 1)
      return writeElements(at, first, {width, tail ? tail : width});
    Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, block, w.index(blocks - 1));
    auto branch = scf::IfOp::create(b, isLast, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    writeElements(at, first, {width, tail});
    b.setInsertionPoint(branch.elseYield());
    writeElements(at, first, {width, width});
  }

  void writeElements(ArrayRef<Value> at, Value first, Lanes lanes) {
    Value a = offsetOf(outer, at, &Run::a), bb = offsetOf(outer, at, &Run::b), c = offsetOf(outer, at, &Run::c);
    if (first) {
      a = w.plus(a, w.times(first, fast.a));
      bb = w.plus(bb, w.times(first, fast.b));
      c = w.plus(c, first);
    }
    int64_t total = 1;
    for (const Run &run : x.k)
      total *= run.extent;
    Type element = cast<RankedTensorType>(x.c.getType()).getElementType();
    auto chain = [&](Value from, Value to) { return chainOf(a, bb, from, to, element, lanes); };
    Value sum = chain(w.index(0), w.index(std::min(total, sumBlock)));
    Value target = w.memoryOf(x.c);
    if (x.accumulates) {
      Value old = w.load(target, element, c, 1, lanes);
      sum = arith::SelectOp::create(b, w.accumulate, arith::AddFOp::create(b, old, sum), sum);
    }
    if (total > sumBlock)
      sum = w.loop(w.index(sumBlock), w.index(total), sumBlock, {sum},
                   [&](Value from, ValueRange carried) -> SmallVector<Value> {
                     Value to = arith::MinUIOp::create(b, w.plus(from, w.index(sumBlock)), w.index(total));
                     return {arith::AddFOp::create(b, carried.front(), chain(from, to))};
                   })
                .front();
    w.store(sum, target, c, 1, lanes);
  }

  Value chainOf(Value a, Value bb, Value from, Value to, Type element, Lanes lanes) {
    Type type = lanes.width ? Type(VectorType::get({lanes.width}, element)) : element;
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    SmallVector<int64_t> extents;
    for (const Run &run : x.k)
      extents.push_back(run.extent);
    return w
        .loop(from, to, 1, {zero},
              [&](Value k, ValueRange carried) -> SmallVector<Value> {
                SmallVector<Value> at = w.delinearize(k, extents);
                Value left = w.load(w.memoryOf(x.a), element, w.plus(a, offsetOf(x.k, at, &Run::a)), fast.a, lanes);
                Value right = w.load(w.memoryOf(x.b), element, w.plus(bb, offsetOf(x.k, at, &Run::b)), fast.b, lanes);
                return {math::FmaOp::create(b, w.broadcast(left, lanes), w.broadcast(right, lanes), carried.front())};
              })
        .front();
  }

  Value offsetOf(ArrayRef<Run> runs, ArrayRef<Value> at, int64_t Run::*step) {
    Value offset;
    for (auto [run, index] : llvm::zip(runs, at))
      if (run.*step)
        offset = w.plus(offset, w.times(index, run.*step));
    return offset ? offset : w.index(0);
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  Contraction x;
  SmallVector<Run> outer;
  Run fast;
  int64_t width = 0;
};

} // namespace

LogicalResult codegen::writeContraction(KernelWriter &writer) {
  SmallVector<Operation *> equations = equationsOf(writer.kernel);
  auto op = equations.size() == 1 ? dyn_cast<ein::ContractOp>(equations.front()) : ein::ContractOp();
  if (!op)
    return writer.kernel.emitOpError("has ") << equations.size()
                                             << " equations but kind 'contract' takes one 'ein.contract'";
  if (op.getInputs().size() != 2 || !op.getOrder())
    return op.emitOpError("has ") << op.getInputs().size() << " operands but code generation takes 2, and an order";
  for (Value input : op.getInputs())
    if (!writer.memoryOf(input))
      return op.emitOpError("reads a value that is no argument of its kernel");
  Contraction contraction = analyse(op);
  if (GemmWriter gemm(writer, contraction); gemm.fits())
    return gemm.run(), success();
  return ChainWriter(writer, contraction).run(), success();
}
