//===- plc-interpret.cpp - the reference, with the commands of plc-run ----===//
#include "CheckGradients.h"
#include "InterpretedEngine.h"

#include "plc/Runtime/Commands.h"

#include <cstring>

using namespace plc;

int main(int argc, char **argv) {
  if (argc > 1 && !std::strcmp(argv[1], "check-gradients"))
    return interpret::checkGradients(argc, argv);
  runtime::Tool tool;
  tool.name = "plc-interpret";
  tool.commands = {"train", "eval", "infer", "einsum"};
  tool.modelArgument = "MODEL.ein|IR.mlir";
  tool.exampleModel = "examples/gpt.ein";
  tool.summary = "runs a model as its ein program says, operation by operation: no plan, no compiled kernel\n"
                 "(and check-gradients MODEL.ein: its gradients against differences of the loss)";
  tool.open = [](const runtime::ModelRequest &request) -> std::unique_ptr<runtime::Engine> {
    return std::make_unique<interpret::InterpretedEngine>(request, interpret::readSettings(request));
  };
  tool.readMap = runtime::readParameterMap;
  return runtime::runCommands(argc, argv, tool);
}
