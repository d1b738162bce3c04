//===- WriteKernels.cpp - writes kernels as functions of loops ------------===//
#include "KernelWriter.h"
#include "LoopSteps.h"
#include "plc/Codegen/Kernels.h"
#include "plc/Codegen/Passes.h"
#include "plc/Dialect/Blis/Blis.h"
#include "plc/Support/Locations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace plc::codegen {
#define GEN_PASS_DEF_CONVERTKERNELSTOLOOPS
#include "lib/Codegen/Passes.h.inc"
} // namespace plc::codegen

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

// Code generation obeys `by`: the planner's costs are those of this implementation.
static LogicalResult writeBody(KernelWriter &writer) {
  std::optional<plan::Implementation> by = writer.kernel.getBy();
  if (!by)
    return writer.kernel.emitOpError("has no implementation: run '--form-kernels' first");
  switch (*by) {
#define IMPLEMENTATION(NAME, KIND, WRITER)                                                                             \
  case plan::Implementation::NAME: return WRITER(writer);
#include "plc/Dialect/Plan/Implementations.def"
  }
  return failure();
}

/// Records the real operands, which the runtime can check for NaN and infinities.
static void describeOperands(plan::KernelOp kernel, KernelRecord &record) {
  int64_t operand = 0;
  auto describe = [&](ValueRange values, std::vector<KernelRecord::RealOperand> &operands) {
    for (Value value : values) {
      if (ElementType element = elementTypeOf(value.getType()); isComputeType(element))
        operands.push_back({operand, std::string(nameOf(element)), elementsOf(value.getType())});
      ++operand;
    }
  };
  Block &body = kernel.getBody().front();
  describe(body.getArguments().take_front(kernel.getNumInputs()), record.inputs);
  describe(body.getTerminator()->getOperands(), record.results);
  // A rule that contains `inf` may have infinite results: they are no fault.
  kernel.walk([&](ein::ConstantOp op) { record.infinite |= op.getValue().isInfinity(); });
}

// Writes a kernel's function, and records its chunks and gathers.
static LogicalResult writeCode(plan::KernelOp kernel, const CodeOptions &options, KernelRecord &record,
                               OpBuilder &builder) {
  KernelWriter writer(kernel, record.symbol, options, builder);
  if (failed(writeBody(writer)))
    return failure();
  writer.finish();
  record.chunks = writer.chunks;
  for (const IndexedAccess &access : writer.accesses)
    record.gathers.push_back({locationsOf(access.loc), access.extent});
  return success();
}

// A loop has no code of its own: the record lists its steps.
static LogicalResult writeSteps(plan::KernelOp kernel, const KernelSet &kernels, KernelRecord &record) {
  FailureOr<module::LoopInfo> steps = stepsOf(kernel, kernels);
  if (failed(steps))
    return failure();
  // Without a symbol the runtime runs the steps.
  record.loop = std::move(*steps);
  record.symbol.clear();
  record.chunks = chunksOf(kernel.getNs() / record.loop->iterations); // threads share the work of each iteration
  return success();
}

// The kernel's name; one that a loop calls has the loop's name before it.
static std::string fullName(plan::KernelOp kernel) {
  auto loop = kernel->getParentOfType<plan::KernelOp>();
  return (loop ? fullName(loop) + "." : "") + kernel.getSymName().str();
}

FailureOr<OwningOpRef<ModuleOp>> codegen::writeKernels(const KernelSet &kernels, const CodeOptions &options,
                                                       std::vector<KernelRecord> &records) {
  if (kernels.all().empty())
    return OwningOpRef<ModuleOp>();
  plan::KernelOp first = kernels.all().front();
  MLIRContext *context = first->getContext();
  context->loadDialect<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                       memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect, blis::BlisDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(first->getLoc());
  // Numbers are positions in the set: loops come after the kernels that they call.
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  for (auto [index, each] : llvm::enumerate(kernels.all())) {
    plan::KernelOp kernel = each;
    KernelRecord &record = records.emplace_back();
    // Numbered, not named: a name in the source does not change the object.
    record.symbol = "plc_kernel_" + std::to_string(index);
    bool iterations = kernel.getKind() == plan::KernelKind::loop;
    if (failed(iterations ? writeSteps(kernel, kernels, record) : writeCode(kernel, options, record, builder)))
      return failure();
    record.name = fullName(kernel);
    record.where = locationsOf(kernel.getLoc());
    record.flops = kernel.getFlops();
    record.bytes = kernel.getBytes();
    record.ns = kernel.getNs();
    describeOperands(kernel, record);
  }
  return module;
}

namespace {
struct ConvertKernelsToLoops : codegen::impl::ConvertKernelsToLoopsBase<ConvertKernelsToLoops> {
  using ConvertKernelsToLoopsBase::ConvertKernelsToLoopsBase;

  void runOnOperation() override {
    if (vectorBits != 256 && vectorBits != 512) {
      getOperation().emitError("option 'vector-bits' is ") << int64_t(vectorBits) << " but must be 256 or 512";
      return signalPassFailure();
    }
    CodeOptions options{vectorBits, amx};
    KernelSet kernels;
    for (auto kernel : getOperation().getOps<plan::KernelOp>())
      kernels.append(kernel);
    if (kernels.all().empty()) {
      getOperation().emitError("module has no 'plan.kernel': run '--form-kernels' first");
      return signalPassFailure();
    }
    std::vector<KernelRecord> records;
    FailureOr<OwningOpRef<ModuleOp>> written = writeKernels(kernels, options, records);
    if (failed(written))
      return signalPassFailure();
    Block *body = getOperation().getBody();
    body->clear();
    if (*written)
      body->getOperations().splice(body->end(), (*written)->getBody()->getOperations());
  }
};
} // namespace
