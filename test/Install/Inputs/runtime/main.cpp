// Tells what a module trains, and makes one step.
#include <cstdio>
#include <plc/Runtime/Tensors/InitialValues.h>
#include <plc/Runtime/Execute/ModuleEngine.h>

int main(int, char **argv) {
  using namespace plc::runtime;
  try {
    std::unique_ptr<Engine> engine = openModule(argv[1]);
    for (size_t i = 0; i < engine->parameters().size(); ++i) {
      Bytes values(engine->parameters()[i].tensor().numBytes());
      fillInitialValues(engine->parameters()[i], 1, values.data());
      engine->writeParameter(i, values.data());
    }
    std::vector<Bytes> inputs;
    for (const TensorInfo &input : engine->findEntry("train")->inputs)
      inputs.emplace_back(input.numBytes());
    StepResult result = engine->trainStep(1, inputs);
    std::printf("model %s, %zu parameters, %zu micro-batches, loss %.6f\n", engine->modelName().c_str(),
                engine->parameters().size(), result.microBatchLosses.size(), result.loss);
  } catch (const Error &error) {
    std::fprintf(stderr, "%s: %s\n", error.location.c_str(), error.what());
    return error.exitCode;
  }
}
