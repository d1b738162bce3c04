//===- ReferenceContraction.cpp - contractions as they are defined --------===//
#include "Contraction.h"
#include "ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

// Writes a contraction as the numerics define it, one chain after another. SIMD lanes run along a contiguous axis of c
// if there is one. It computes every contraction, and serves those that no matrix product covers.
class ChainWriter {
public:
  ChainWriter(KernelWriter &writer, ein::Contraction contraction) : w(writer), b(writer.b), x(std::move(contraction)) {}

  void run() {
    for (auto *runs : {&x.batch, &x.m, &x.n})
      llvm::append_range(outer, *runs);
    // Lanes need a contiguous dimension of c, so that vectors are stored whole. Each lane has its own chain, so the
    // bits are those of single elements. Rows that each choose a slice of a table are no neighbours in it.
    auto along = llvm::find_if(outer, [](const LoopDim &run) { return run.c == 1 && !run.positions; });
    if (along != outer.end()) {
      fast = *along;
      outer.erase(along);
    }
    // 64 columns keep four AVX-512 registers of f32 chains in flight, which hides part of the latency of an fma.
    width = fast.extent == 1 ? 0 : fast.extent % 64 == 0 ? 64 : 16;
    int64_t blocks = width ? llvm::divideCeil(fast.extent, width) : 1, units = blocks;
    SmallVector<int64_t> extents;
    for (const LoopDim &run : outer) {
      extents.push_back(run.extent);
      units *= run.extent;
    }
    extents.push_back(blocks);
    if (x.part)
      access = w.addAccess(x.part->gather, x.part->extent);
    auto [lower, upper] = w.cut(units);
    w.loop(lower, upper, 1, {}, [&](Value unit, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> at = w.delinearize(unit, extents);
      Value block = at.pop_back_val();
      writeUnit(at, block, blocks);
      return {};
    });
  }

private:
  // A block of lanes; a ragged last block has code of its own, so that the others need no mask.
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

  // Writes one element, or one vector, of c: its whole sum.
  void writeElements(ArrayRef<Value> at, Value first, Lanes lanes) {
    Value a = w.plus(offsetOf(outer, at, &LoopDim::a), w.index(x.firstOfA)),
          bb = w.plus(offsetOf(outer, at, &LoopDim::b), w.index(x.firstOfB)), c = offsetOf(outer, at, &LoopDim::c);
    if (first) {
      a = w.plus(a, w.times(first, fast.a));
      bb = w.plus(bb, w.times(first, fast.b));
      c = w.plus(c, first);
    }
    position = x.part ? w.plus(offsetOf(outer, at, &LoopDim::positions), w.index(x.part->firstPosition)) : Value();
    // Then the slice is chosen once for the element, else for each summed element.
    choosesOnce = llvm::none_of(x.k, ein::Contraction::isOfPositions);
    if (x.part && choosesOnce)
      bb = w.plus(bb, partAt(position));
    int64_t total = 1, groups = 1;
    for (const LoopDim &run : x.k)
      total *= run.extent;
    for (const LoopDim &run : x.anew)
      groups *= run.extent;
    Type element = cast<RankedTensorType>(x.c.getType()).getElementType();
    // The order of a sum is part of the numerics: the accumulator, then a chain from 0 for each block, blocks in order.
    Value target = w.memoryOf(x.c), adds = arith::ConstantIntOp::create(b, 0, 1);
    Type type = lanes.width ? Type(VectorType::get({lanes.width}, x.sum)) : x.sum;
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type)), sum = zero;
    if (x.accumulates) {
      adds = w.accumulate;
      sum = arith::SelectOp::create(b, adds, castElement(b, w.load(target, element, c, 1, lanes), x.sum), zero);
    }
    // Order `chains`: one chain over all summed elements, from the accumulator on.
    if (x.chains)
      sum = chainOf(a, bb, w.index(0), w.index(total), lanes, sum);
    else
      sum = w.loop(w.index(0), w.index(groups), 1, {sum}, [&](Value group, ValueRange carried) -> SmallVector<Value> {
               SmallVector<Value> at = w.delinearize(group, extentsOf(x.anew));
               Value firstA = w.plus(a, offsetOf(x.anew, at, &LoopDim::a));
               Value firstB = w.plus(bb, offsetOf(x.anew, at, &LoopDim::b));
               Value later = orNotFirst(w, adds, group);
               int64_t length = x.pairs ? ein::pairBlock : sumBlock;
               return w.loop(w.index(0), w.index(total), length, carried,
                             [&](Value from, ValueRange before) -> SmallVector<Value> {
                               Value to = arith::MinUIOp::create(b, w.plus(from, w.index(length)), w.index(total));
                               if (x.pairs) {
                                 Value block = pairsOf(firstA, firstB, from, to, lanes, zero);
                                 return {arith::AddFOp::create(b, before.front(), block)};
                               }
                               Value block = chainOf(firstA, firstB, from, to, lanes, zero);
                               Value both = arith::AddFOp::create(b, before.front(), block);
                               return {arith::SelectOp::create(b, orNotFirst(w, later, from), both, block)};
                             });
             }).front();
    w.store(castElement(b, sum, element), target, c, 1, lanes);
  }

  // One chain over the summed elements [from, to), from `start` on.
  Value chainOf(Value a, Value bb, Value from, Value to, Lanes lanes, Value start) {
    return w
        .loop(from, to, 1, {start},
              [&](Value k, ValueRange carried) -> SmallVector<Value> {
                return {addProduct(a, bb, k, lanes, carried.front())};
              })
        .front();
  }

  // Both chains of a block of pairs in one loop. They alternate: the first carried value belongs to the next element.
  Value pairsOf(Value a, Value bb, Value from, Value to, Lanes lanes, Value zero) {
    SmallVector<Value> chains = w.loop(from, to, 1, {zero, zero}, [&](Value k, ValueRange carried) {
      return SmallVector<Value>{carried[1], addProduct(a, bb, k, lanes, carried[0])};
    });
    // Products of zeros fill a short block; they turn -0 into 0.
    Value count = arith::SubIOp::create(b, to, from);
    for (auto [index, chain] : llvm::enumerate(chains)) {
      Value isShort = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, count, w.index(ein::pairBlock - index));
      chain = arith::SelectOp::create(b, isShort, arith::AddFOp::create(b, chain, zero), chain);
    }
    return arith::AddFOp::create(b, chains[0], chains[1]);
  }

  // The chain after the k-th summed element.
  Value addProduct(Value a, Value bb, Value k, Lanes lanes, Value chain) {
    SmallVector<Value> at = w.delinearize(k, extentsOf(x.k));
    Value left = factor(x.a, w.plus(a, offsetOf(x.k, at, &LoopDim::a)), fast.a, lanes);
    Value offset = w.plus(bb, offsetOf(x.k, at, &LoopDim::b));
    if (x.part && !choosesOnce)
      offset = w.plus(offset, partAt(w.plus(position, offsetOf(x.k, at, &LoopDim::positions))));
    Value right = factor(x.b, offset, fast.b, lanes);
    return math::FmaOp::create(b, w.broadcast(left, lanes), w.broadcast(right, lanes), chain);
  }

  // Offset of the table's slice that the position at `offset` chooses.
  Value partAt(Value offset) {
    Value found = memref::LoadOp::create(b, w.memoryOf(x.part->positions), ValueRange{offset});
    return w.times(w.checkedIndex(found, access, offset), x.part->stride);
  }

  Value factor(Value of, Value offset, int64_t stride, Lanes lanes) {
    return Factor(w, of).load(w, x.sum, offset, stride, lanes);
  }

  Value offsetOf(ArrayRef<LoopDim> runs, ArrayRef<Value> at, int64_t LoopDim::*step) {
    Value offset;
    for (auto [run, index] : llvm::zip(runs, at))
      if (run.*step)
        offset = w.plus(offset, w.times(index, run.*step));
    return offset ? offset : w.index(0);
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  ein::Contraction x;
  SmallVector<LoopDim> outer;
  LoopDim fast;
  int64_t width = 0;
  unsigned access = 0;     // number of the table's access
  Value position;          // offset of the element's position, without summed dimensions
  bool choosesOnce = true; // whether a whole sum reads one slice of the table
};

} // namespace

LogicalResult codegen::writeChains(KernelWriter &writer) {
  FailureOr<ein::ContractOp> op = beginContraction(writer);
  if (failed(op))
    return failure();
  return ChainWriter(writer, ein::analyse(*op)).run(), success();
}
