//===- plc-interpret.cpp - the reference, with plc-run's commands ---------===//
#include "InterpretedEngine.h"

#include "plc/Commands/Commands.h"

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
    bool differs = request.command == "check-gradients";
    if (differs) // differences of losses need its digits
      asked.sets.insert(asked.sets.begin(), "precision.compute=f64");
    interpret::Settings settings = interpret::readSettings(asked);
    if (differs && rowOf(settings.compute).isNarrowed()) {
      settings.compute = Precision::F64;
      settings.optimizer.scalesLoss = false;
    }
    return std::make_unique<interpret::InterpretedEngine>(asked, settings);
  };
  tool.readMap = runtime::readParameterMap;
  return runtime::runCommands(argc, argv, tool);
}
