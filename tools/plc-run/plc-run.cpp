// Runs compiled modules: train, eval, infer, generate, bench, inspect. Maps no LLVM.
#include "plc/Runtime/Commands.h"
#include "plc/Runtime/ModelFile.h"

int main(int argc, char **argv) {
  plc::runtime::Tool tool{"plc-run",
                          {"train", "eval", "infer", "generate", "bench", "inspect"},
                          "M.plcm|MODEL.ein",
                          "runs a compiled model, or compiles one first",
                          plc::runtime::openModelFile,
                          plc::runtime::inspectModelFile};
  return plc::runtime::runCommands(argc, argv, tool);
}
