//===- PlanKernels.cpp - syntax and verification of kernels and calls -----===//
#include "plc/Dialect/Plan/Plan.h"

#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), buildType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type, KernelKind kind) {
  state.addAttribute(::mlir::SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addAttribute(getKindAttrName(state.name), KernelKindAttr::get(builder.getContext(), kind));
  state.addRegion();
}

KernelKind plc::plan::kindOf(Implementation by) {
  switch (by) {
#define IMPLEMENTATION(NAME, KIND, WRITER)                                                                             \
  case Implementation::NAME: return KernelKind::KIND;
#include "plc/Dialect/Plan/Implementations.def"
  }
  llvm_unreachable("a kernel is computed by somebody");
}

// (C1), and the equations of (C4).
static LogicalResult verifyEquations(KernelOp kernel) {
  Region &body = kernel.getBody();
  if (!llvm::hasSingleElement(body))
    return kernel.emitOpError("has ") << std::distance(body.begin(), body.end()) << " blocks but needs one";
  auto end = dyn_cast_or_null<YieldOp>(body.front().empty() ? nullptr : &body.front().back());
  if (!end)
    return kernel.emitOpError("does not end with 'plan.yield'");
  if (end.getNumOperands() != kernel.getResultTypes().size())
    return end.emitOpError("yields ") << end.getNumOperands() << " values but the kernel has "
                                      << kernel.getResultTypes().size() << " results";
  if (!llvm::equal(end.getOperandTypes(), kernel.getResultTypes()))
    return end.emitOpError("yields ") << end.getOperandTypes() << " but the kernel has results "
                                      << kernel.getResultTypes();
  bool iterations = kernel.getKind() == KernelKind::loop;
  for (Operation &op : body.front().without_terminator())
    if (!(iterations ? isa<KernelOp, ein::LoopOp, ein::IotaOp>(op)
                     : isa<ein::Equation, ein::IotaOp, ein::ConstantOp, ein::CastOp, ein::InsertSliceOp>(op)) &&
        !ein::isView(&op))
      return op.emitOpError("is no equation but stands in kernel '") << kernel.getSymName() << "'";
  return success();
}

// (C7)
LogicalResult KernelOp::verifyRegions() {
  if (getKind() != KernelKind::loop)
    return success();
  auto loops = getBody().getOps<ein::LoopOp>();
  if (!llvm::hasSingleElement(loops) || getNumAccumulators())
    return emitOpError("of kind 'loop' has ")
           << std::distance(loops.begin(), loops.end()) << " loops and " << getNumAccumulators()
           << " accumulators but needs one loop and no accumulator";
  ein::LoopOp loop = getLoop();
  for (Operation &op : loop.getIteration().without_terminator())
    if (!isa<CallOp>(op))
      return op.emitOpError("is no call but stands in an iteration of kernel '") << getSymName() << "'";
  for (OperandRange given : {loop.getNextCarries(), loop.getElements()}) {
    llvm::SmallPtrSet<Value, 8> seen;
    for (Value value : given)
      if (!value.getDefiningOp() || !seen.insert(value).second)
        return loop.getEnd()->emitOpError("gives a value twice, or one that no call of the iteration makes");
  }
  return success();
}

Value KernelOp::getScratch() {
  OperandRange results = getBody().front().getTerminator()->getOperands();
  return !results.empty() && results.back().getDefiningOp<ein::IotaOp>() ? results.back() : Value();
}

LogicalResult KernelOp::verify() {
  FunctionType type = getFunctionType();
  // (C4)
  for (Type each : llvm::concat<const Type>(type.getInputs(), type.getResults()))
    if (!ein::isSizedTensor(each))
      return emitOpError("has type ") << each << " in its signature but needs a tensor of 1 to 2^48 elements "
                                      << ein::listElementTypes(ein::Domain::Any, /*unchosen=*/false);
  if (failed(verifyEquations(*this)))
    return failure();
  // (C5)
  if (std::optional<Implementation> by = getBy(); by && kindOf(*by) != getKind())
    return emitOpError("is of kind '") << stringifyKernelKind(getKind()) << "' but '" << stringifyImplementation(*by)
                                       << "' computes kernels of kind '" << stringifyKernelKind(kindOf(*by)) << "'";
  int64_t inputs = type.getNumInputs(), results = type.getNumResults(), accumulators = getNumAccumulators();
  // (C3)
  if (accumulators > std::min(inputs, results))
    return emitOpError("has ") << inputs << " arguments and " << results << " results but says " << accumulators
                               << " accumulators";
  // (C6)
  if (getUpdates() && (accumulators != 1 || results != 1))
    return emitOpError("updates a state but has ") << accumulators << " accumulators and " << results << " results";
  // (C8)
  if (getInPlace() && getKind() != KernelKind::elementwise)
    return emitOpError("runs in place but is of kind '") << stringifyKernelKind(getKind()) << "'";
  // (C2)
  for (int64_t i = 1; i <= accumulators; ++i)
    if (type.getInput(inputs - i) != type.getResult(results - i))
      return emitOpError("accumulator ") << type.getInput(inputs - i) << " differs from its result "
                                         << type.getResult(results - i);
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (C1)
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel) // A stage or program is a symbol table of its own; kernels stand in the module.
    kernel = symbols.lookupSymbolIn<KernelOp>((*this)->getParentOfType<ModuleOp>(), getKernelAttr());
  if (!kernel)
    return emitOpError("calls '") << getKernel() << "', which is no 'plan.kernel'";
  auto check = [&](StringRef what, TypeRange found, ArrayRef<Type> expected) -> LogicalResult {
    if (llvm::equal(found, expected))
      return success();
    InFlightDiagnostic error = emitOpError("has ")
                               << what << " " << found << " but '" << getKernel() << "' has " << expected;
    error.attachNote(kernel.getLoc()) << "declared here";
    return error;
  };
  if (failed(check("arguments", getArgs().getTypes(), kernel.getArgumentTypes())))
    return failure();
  return check("results", getResultTypes(), kernel.getResultTypes());
}

LogicalResult CallOp::verify() {
  auto task = dyn_cast<TaskOp>((*this)->getParentOp());
  bool isBackward = task && (task.getRole() == Role::B || task.getRole() == Role::W);
  // (C2)
  if (getRecompute() && !isBackward)
    return emitOpError("computes something again but stands in no task B or W");
  // (C3)
  if (getDiscard() && (!task || task.getRole() != Role::F))
    return emitOpError("discards results but stands in no task F");
  // (C4)
  if (getAgain() && (!isBackward || getRecompute()))
    return emitOpError("has calls run again before it but is no call of B or W, or a clone");
  int64_t last = -1;
  for (int64_t result : getDiscard().value_or(ArrayRef<int64_t>())) {
    if (result <= last || result >= int64_t(getNumResults()))
      return emitOpError("discards result #")
             << result << " but has " << getNumResults() << " results, each discarded once and in order";
    last = result;
  }
  return success();
}
