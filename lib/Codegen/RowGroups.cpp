//===- RowGroups.cpp - rows grouped by their slice of a table -------------===//
#include "RowGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

RowGroups::RowGroups(KernelWriter &writer, const ein::TablePart &part, ArrayRef<LoopDim> rows, unsigned access)
    : w(writer), part(part), rows(rows), access(access) {
  for (const LoopDim &loop : rows)
    count *= loop.extent;
  Type i32 = w.b.getI32Type();
  chosen = w.scratch(count, i32);
  order = w.scratch(count, i32);
  // Two more than slices: the counting sort works shifted by two, and ends shifted by one.
  ends = w.scratch(part.extent + 2, i32);
}

Value RowGroups::load(Value memory, Value at) {
  return arith::IndexCastOp::create(w.b, w.b.getIndexType(), memref::LoadOp::create(w.b, memory, ValueRange{at}));
}

void RowGroups::store(Value value, Value memory, Value at) {
  memref::StoreOp::create(w.b, arith::IndexCastOp::create(w.b, w.b.getI32Type(), value), memory, ValueRange{at});
}

void RowGroups::sort() {
  auto each = [&](int64_t times, llvm::function_ref<void(Value)> body) {
    w.loop(w.index(0), w.index(times), 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      body(i);
      return {};
    });
  };
  Value one = w.index(1), two = w.index(2);
  // Scratch holds anything at first.
  each(part.extent + 2, [&](Value i) { store(w.index(0), ends, i); });
  // Step 1: count the rows of position p in ends[p + 2].
  each(count, [&](Value row) {
    Value offset = w.index(part.firstPosition);
    for (auto [loop, at] : llvm::zip(rows, w.delinearize(row, extentsOf(rows))))
      if (loop.positions)
        offset = w.plus(offset, w.times(at, loop.positions));
    Value found = memref::LoadOp::create(w.b, w.memoryOf(part.positions), ValueRange{offset});
    Value position = w.checkedIndex(found, access, offset), place = w.plus(position, two);
    store(position, chosen, row);
    store(w.plus(load(ends, place), one), ends, place);
  });
  // Step 2: prefix sums make ends[p + 1] the first row of position p.
  each(part.extent, [&](Value i) {
    Value place = w.plus(i, one);
    store(w.plus(load(ends, place), load(ends, i)), ends, place);
  });
  // Step 3: place each row, and move ends[p + 1] behind it. In the end it is the first row of position p + 1.
  each(count, [&](Value row) {
    Value place = w.plus(load(chosen, row), one), at = load(ends, place);
    store(row, order, at);
    store(w.plus(at, one), ends, place);
  });
}

void RowGroups::forEachPart(llvm::function_ref<void(Value, Value, Value)> body) {
  w.loop(w.index(0), w.index(part.extent), 1, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
    body(at, load(ends, at), load(ends, w.plus(at, w.index(1))));
    return {};
  });
}

Offsets RowGroups::rowAt(Value i, Offsets from) {
  return moved(w, rows, w.delinearize(load(order, i), extentsOf(rows)), from);
}
