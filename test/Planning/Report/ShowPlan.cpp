//===- ShowPlan.cpp - what people are shown of a plan -----------------------===//
// show-plan summary|log|explain: reads a planned program from the standard input, and prints of it what plc-compile
// prints, what a module's log holds, or what `--explain` prints behind the cuts, in 60 columns under a budget of 2 KiB.
// Costs of kernels are those of the text, so the figures are the same on every machine.
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planning/Report/Explain.h"
#include "plc/Planning/Report/Summary.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace plc;

int main(int argc, char **argv) {
  MLIRContext context;
  context.loadDialect<ein::EinDialect, plan::PlanDialect>();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>("-", &context);
  if (!module || argc != 2)
    return 2;
  auto program = *module->getOps<plan::ProgramOp>().begin();
  StringRef what = argv[1];
  if (what == "summary")
    plan::print(plan::summarize(program), llvm::outs());
  else if (what == "log")
    llvm::outs() << module::writePlan(plan::summarize(program)) << "\n";
  else if (what == "explain")
    plan::print(plan::explain(program, /*limitBytes=*/2048), /*columns=*/60, llvm::outs());
  else
    return 2;
  return 0;
}
