//===- KernelText.cpp - when two kernels are equal ------------------------===//
#include "plc/Dialect/Plan/KernelText.h"

#include "plc/Dialect/Plan/Plan.h"

using namespace mlir;

std::string plc::plan::kernelText(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << kernel.getFunctionType() << ' ' << kernel.getNumAccumulators();
  if (std::optional<Implementation> by = kernel.getBy())
    stream << ' ' << stringifyImplementation(*by);
  if (kernel.getInPlace())
    stream << " in place";
  stream << '\n';
  OpPrintingFlags flags;
  // Independent of a tool's printing options.
  flags.printGenericOpForm().useLocalScope().enableDebugInfo(false).skipRegions(false).printValueUsers(false);
  flags.printUniqueSSAIDs(false).printNameLocAsPrefix(false);
  for (Operation &op : kernel.getBody().front()) {
    op.print(stream, flags);
    stream << '\n';
  }
  return text;
}
