//===- Lanes.cpp - loads and stores of elements and vectors ---------------===//
#include "IRValue.h"
#include "KernelWriter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc::codegen;

Value KernelWriter::mask(Lanes lanes) {
  SmallVector<bool> active(lanes.width, false);
  std::fill_n(active.begin(), lanes.active, true);
  auto type = VectorType::get({lanes.width}, b.getI1Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<bool>(active)));
}

// Unsigned, lanes before `begin` wrap around to large numbers, so that one comparison finds both ends.
Value KernelWriter::mask(int64_t width, Value begin, Value end) {
  auto type = VectorType::get({width}, b.getI32Type());
  auto all = [&](Value value) -> Value {
    return vector::BroadcastOp::create(b, type, arith::IndexCastOp::create(b, b.getI32Type(), value));
  };
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(width));
  Value at = arith::SubIOp::create(b, arith::ConstantOp::create(b, b.getI32VectorAttr(numbers)), all(begin));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, all(arith::SubIOp::create(b, end, begin)));
}

Value KernelWriter::broadcast(Value value, Lanes lanes) {
  if (!lanes.width || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, VectorType::get({lanes.width}, value.getType()), value);
}

// Four ways: one element, a whole vector, a masked vector, or single elements put together.
Value KernelWriter::load(Value from, Type element, Value offset, int64_t stride, Lanes lanes) {
  Type stored = storedType(element);
  Value value;
  // With stride 0 all lanes read one element, which broadcasts when it is used.
  if (!lanes.width || stride == 0) {
    value = memref::LoadOp::create(b, from, ValueRange{offset});
  } else {
    auto type = VectorType::get({lanes.width}, stored);
    if (stride == 1 && lanes.active == lanes.width) {
      value = vector::LoadOp::create(b, type, from, ValueRange{offset});
    } else if (stride == 1) {
      // Masked: the memory behind the tensor may not be mapped.
      Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
      value = vector::MaskedLoadOp::create(b, type, from, ValueRange{offset}, mask(lanes), zeros);
    } else {
      SmallVector<Value> read;
      for (int64_t lane = 0; lane < lanes.active; ++lane)
        read.push_back(
            memref::LoadOp::create(b, from, ValueRange{plus(offset, lane ? index(lane * stride) : Value())}));
      // Inactive lanes repeat an element that was read: nothing beyond the tensor is.
      read.append(lanes.width - lanes.active, read.front());
      value = vector::FromElementsOp::create(b, type, read);
    }
  }
  if (!element.isInteger(1))
    return value;
  // A truth value is one byte in memory, nonzero for true.
  Value zero = constantLike(b, value.getType(), b.getIntegerAttr(stored, 0));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
}

// The same four ways as `load`.
void KernelWriter::store(Value value, Value to, Value offset, int64_t stride, Lanes lanes) {
  Type element = getElementTypeOrSelf(value.getType());
  if (element.isInteger(1))
    value = arith::ExtUIOp::create(b, shapedLike(value.getType(), storedType(element)), value);
  if (!lanes.width || stride == 0) {
    memref::StoreOp::create(b, value, to, ValueRange{offset});
    return;
  }
  value = broadcast(value, lanes);
  // A whole vector needs no mask, which costs an instruction and a register.
  if (stride == 1 && lanes.active == lanes.width) {
    vector::StoreOp::create(b, value, to, ValueRange{offset});
  } else if (stride == 1) {
    vector::MaskedStoreOp::create(b, to, ValueRange{offset}, mask(lanes), value);
  } else {
    for (int64_t lane = 0; lane < lanes.active; ++lane) {
      Value one = vector::ExtractOp::create(b, value, ArrayRef<int64_t>{lane});
      memref::StoreOp::create(b, one, to, ValueRange{plus(offset, lane ? index(lane * stride) : Value())});
    }
  }
}
