//===- KernelText.cpp - when two kernels are one ----------------------------===//
#include "plc/Dialect/Plan/KernelText.h"

#include "plc/Dialect/Plan/Plan.h"

using namespace mlir;

std::string plc::plan::kernelText(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << kernel.getFunctionType() << ' ' << kernel.getNumAccumulators() << '\n';
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope().enableDebugInfo(false); // whatever a tool prints
  for (Operation &op : kernel.getBody().front()) {
    op.print(stream, flags);
    stream << '\n';
  }
  return text;
}
