//===- KernelWriter.cpp - writes the function of one kernel ---------------===//
#include "KernelWriter.h"

#include "plc/Runtime/KernelABI.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cstddef>

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

int64_t codegen::elementsOf(Type type) { return cast<RankedTensorType>(type).getNumElements(); }

Type codegen::storedType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  return (isa<FloatType>(element) && ein::isNarrow(element)) || element.isUnsignedInteger()
             ? IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth())
             : element;
}

SmallVector<Operation *> codegen::equationsOf(plan::KernelOp kernel) {
  SmallVector<Operation *> equations;
  Block &body = kernel.getBody().front();
  auto results = llvm::map_range(body.getTerminator()->getOperands(), ein::viewed);
  for (Operation &op : body.without_terminator())
    // Free values are computed at their readers; only one that is a result needs code of its own.
    if (!ein::isView(&op) && (!ein::isFree(op.getResult(0)) || llvm::is_contained(results, op.getResult(0))))
      equations.push_back(&op);
  return equations;
}

static MemRefType memoryType(Type tensor) {
  return MemRefType::get({elementsOf(tensor)}, storedType(cast<RankedTensorType>(tensor).getElementType()));
}

// Declares the function: operands as flat memrefs, then the range of chunks, the accumulate flag and the context.
KernelWriter::KernelWriter(plan::KernelOp kernel, StringRef name, const CodeOptions &options, OpBuilder &module)
    : kernel(kernel), options(options), b(kernel.getLoc(), kernel.getContext()) {
  Block &body = kernel.getBody().front();
  SmallVector<Value> operands(body.getArguments().take_front(kernel.getNumInputs()));
  // Results are operands, too: the caller gives their memory.
  llvm::append_range(operands, llvm::map_range(body.getTerminator()->getOperands(), ein::viewed));
  SmallVector<Type> types;
  for (Value operand : operands)
    types.push_back(memoryType(operand.getType()));
  types.append({b.getIndexType(), b.getIndexType(), b.getI1Type(), LLVM::LLVMPointerType::get(b.getContext())});
  function = func::FuncOp::create(module, kernel.getLoc(), name, b.getFunctionType(types, {b.getI32Type()}));
  // The planner never overlaps operands of one call, so loads may move across stores. Only those of a kernel that runs
  // in place may share memory, all but its scalars.
  for (unsigned i = 0; i < operands.size(); ++i)
    if (!kernel.getInPlace() || elementsOf(operands[i].getType()) == 1)
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  for (auto [index, operand] : llvm::enumerate(operands)) {
    memory[operand] = {entry->getArgument(index)};
    if (int64_t(index) >= kernel.getNumInputs())
      stored.insert(operand);
  }
  // An accumulator's buffer is that of its result.
  unsigned accumulators = kernel.getNumAccumulators();
  for (unsigned i = 1; i <= accumulators; ++i)
    memory[body.getArgument(body.getNumArguments() - i)] = {entry->getArgument(operands.size() - i)};
  begin = entry->getArgument(operands.size());
  end = entry->getArgument(operands.size() + 1);
  accumulate = entry->getArgument(operands.size() + 2);
  context = entry->getArgument(operands.size() + 3);
}

LogicalResult KernelWriter::keepWhole(Value value) {
  keepsWhole = true;
  if (memoryOf(value))
    return success();
  // Rounded up to 16 elements, so that whole vectors may be stored at the end.
  memory[value] = {scratch(llvm::alignTo(elementsOf(value.getType()), 16),
                           storedType(cast<RankedTensorType>(value.getType()).getElementType())),
                   Memory::Place::scratch};
  stored.insert(value);
  if (stackBytes > stackLimit)
    return kernel.emitError("a kernel needs ")
           << stackBytes << " bytes to keep a factor but the stack has room for " << stackLimit;
  return success();
}

Value KernelWriter::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value KernelWriter::plus(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AddIOp::create(b, x, y);
}

Value KernelWriter::times(Value x, int64_t factor) {
  return factor == 1 ? x : Value(arith::MulIOp::create(b, x, index(factor)));
}

Value KernelWriter::scratch(int64_t elements, Type element) {
  // In the entry block: in a loop each iteration would grow the stack.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  stackBytes += elements * std::max(1u, element.getIntOrFloatBitWidth() / 8);
  return memref::AllocaOp::create(b, MemRefType::get({elements}, element), b.getI64IntegerAttr(64));
}

std::pair<Value, Value> KernelWriter::cut(int64_t units) {
  // All of the kernel reads the factor that it keeps, so the kernel is one chunk.
  if (keepsWhole)
    return {index(0), index(units)};
  // A call of an update runs the chunks that its parameter fills.
  int64_t wanted = kernel.getInPlace() ? units : chunksOf(kernel.getNs());
  // Never more chunks than units: an empty one would only wake a thread.
  chunks = std::max<int64_t>(1, std::min(units, wanted));
  // Both ends round down, so that chunks meet and differ by one unit at most.
  auto bound = [&](Value chunk) -> Value { return arith::DivUIOp::create(b, times(chunk, units), index(chunks)); };
  return {bound(begin), bound(end)};
}

unsigned KernelWriter::addAccess(Operation *op, int64_t extent) {
  accesses.push_back({op->getLoc(), extent});
  // The first gather makes the flag, cleared once at the entry.
  if (!fault) {
    fault = scratch(1, b.getI32Type());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(fault);
    Value none = arith::ConstantIntOp::create(b, 0, 32), first = index(0);
    memref::StoreOp::create(b, none, fault, ValueRange{first});
  }
  return accesses.size() - 1;
}

Value KernelWriter::checkedIndex(Value found, unsigned access, Value position) {
  Value wide = found.getType().isInteger(64) ? found : Value(arith::ExtSIOp::create(b, b.getI64Type(), found));
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, value, 64); };
  // Compared unsigned, so that one comparison rejects negative indices too.
  Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, wide, constant(accesses[access].extent));
  Value outside = arith::XOrIOp::create(b, inside, arith::ConstantIntOp::create(b, 1, 1));
  auto branch = scf::IfOp::create(b, outside, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    // Only the first fault is recorded. A wrong index becomes 0, which every table has, so that no loop needs an exit.
    Value none = memref::LoadOp::create(b, fault, ValueRange{index(0)});
    Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, none, arith::ConstantIntOp::create(b, 0, 32));
    auto record = scf::IfOp::create(b, first, false);
    b.setInsertionPoint(record.thenYield());
    memref::StoreOp::create(b, arith::ConstantIntOp::create(b, 1, 32), fault, ValueRange{index(0)});
    // The context's fields behind the pointer, 8 bytes each.
    static_assert(offsetof(plc_kernel_context, rntm) == 0 && offsetof(plc_kernel_context, fault_gather) == 8 &&
                  offsetof(plc_kernel_context, fault_position) == 16 &&
                  offsetof(plc_kernel_context, fault_value) == 24);
    Value fields[] = {constant(access), arith::IndexCastOp::create(b, b.getI64Type(), position), wide};
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    for (auto [field, value] : llvm::enumerate(fields)) {
      Value address = LLVM::GEPOp::create(b, pointer, b.getI64Type(), context,
                                          ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(field + 1))});
      LLVM::StoreOp::create(b, value, address);
    }
  }
  Value safe = arith::SelectOp::create(b, inside, wide, constant(0));
  return arith::IndexCastOp::create(b, b.getIndexType(), safe);
}

// The numerics define sums of pairs with subnormals as zeros, as AMX computes them.
void KernelWriter::flushSubnormals() {
  constexpr int64_t bothZero = 0x8040; // FTZ and DAZ of MXCSR
  // Without this attribute LLVM folds x + 0 for x that it knows to be no -0; a flushed x may be -0.
  function->setAttr("passthrough", b.getArrayAttr(b.getStrArrayAttr({"denormal-fp-math", "dynamic,dynamic"})));
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  // Allocas belong to the entry block here too.
  auto slot = [&]() -> Value {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    return LLVM::AllocaOp::create(b, pointer, b.getI32Type(), LLVM::ConstantOp::create(b, b.getI32IntegerAttr(1)));
  };
  environment = slot();
  Value changed = slot();
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86.sse.stmxcsr"), ValueRange{environment});
  Value found = LLVM::LoadOp::create(b, b.getI32Type(), environment);
  Value flags = arith::ConstantIntOp::create(b, bothZero, 32);
  LLVM::StoreOp::create(b, arith::OrIOp::create(b, found, flags), changed);
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86.sse.ldmxcsr"), ValueRange{changed});
}

void KernelWriter::finish() {
  if (environment)
    LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86.sse.ldmxcsr"), ValueRange{environment});
  Value status = fault ? Value(memref::LoadOp::create(b, fault, ValueRange{index(0)}))
                       : Value(arith::ConstantIntOp::create(b, 0, 32));
  func::ReturnOp::create(b, status);
}

SmallVector<Value> KernelWriter::loop(Value lower, Value upper, int64_t step, ValueRange carried, LoopBody body) {
  auto loop = scf::ForOp::create(b, lower, upper, index(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  if (carried.empty()) // MLIR has ended such a loop itself
    b.setInsertionPoint(loop.getBody()->getTerminator());
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop.getResults());
}

// Symbols of the map are positions that were read; dimensions at 0 emit nothing.
Value KernelWriter::offsetOf(Value tensor, AffineMap map, ArrayRef<Value> index, ArrayRef<Value> symbols) {
  ein::Layout layout = ein::layoutOf(tensor);
  Value offset = layout.offset ? this->index(layout.offset) : Value();
  for (auto [axis, stride] : llvm::enumerate(layout.strides)) {
    int dim = ein::dimOf(map, axis);
    if (Value at = dim >= 0 ? index[dim] : symbols[cast<AffineSymbolExpr>(map.getResult(axis)).getPosition()])
      offset = plus(offset, times(at, stride));
  }
  return offset ? offset : this->index(0);
}

// The slowest index needs no remainder: the flat index is in range.
SmallVector<Value> KernelWriter::delinearize(Value flat, ArrayRef<int64_t> extents) {
  SmallVector<Value> indices(extents.size());
  for (int64_t i = int64_t(extents.size()) - 1; i > 0; --i) {
    indices[i] = arith::RemUIOp::create(b, flat, index(extents[i]));
    flat = arith::DivUIOp::create(b, flat, index(extents[i]));
  }
  if (!extents.empty())
    indices[0] = flat;
  return indices;
}
