//===- plc-interpret.cpp - the reference, with the commands of plc-run ----===//
#include "InterpretedEngine.h"

#include "plc/Runtime/Commands.h"

using namespace plc;

int main(int argc, char **argv) {
  runtime::Tool tool;
  tool.name = "plc-interpret";
  tool.commands = {"train", "eval", "infer", "check-gradients", "einsum"};
  tool.modelArgument = "MODEL.ein|IR.mlir";
  tool.exampleModel = "examples/gpt.ein";
  tool.summary = "runs a model as its ein program says, operation by operation: no plan, no compiled kernel";
  tool.open = [](const runtime::ModelRequest &request) -> std::unique_ptr<runtime::Engine> {
    runtime::ModelRequest asked = request;
    if (request.command == "check-gradients") // differences need its digits
      asked.sets.insert(asked.sets.begin(), "precision.compute=f64");
    return std::make_unique<interpret::InterpretedEngine>(asked, interpret::readSettings(asked));
  };
  tool.readMap = runtime::readParameterMap;
  return runtime::runCommands(argc, argv, tool);
}
