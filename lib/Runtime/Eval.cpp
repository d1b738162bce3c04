#include "Checkpoint.h"
#include "Log.h"
#include "Runs.h"

#include <cstdio>

namespace plc::runtime {

double heldOutLoss(const Data &data, Engine &engine) {
  const EntryInfo &entry = needEntry(engine, "eval");
  size_t loss = entry.findOutput(lossName);
  if (loss == entry.outputs.size() || entry.outputs[loss].numElements() != 1)
    throw Error(BadInput, "", "entry 'eval' has no scalar output 'loss'");
  double sum = 0;
  int64_t batches = data.numHeldOutBatches();
  for (int64_t i = 0; i < batches; ++i) {
    std::vector<Bytes> outputs = engine.run(entry, data.heldOutBatch(i));
    sum += elementAsDouble(entry.outputs[loss].type, outputs[loss].data(), 0);
  }
  return sum / static_cast<double>(batches);
}

void runEval(const Options &options, Engine &engine) {
  const EntryInfo &entry = needEntry(engine, "eval");
  std::unique_ptr<Data> data = openData(entry, options.data, options.holdout);
  if (options.holdout == 0)
    throw usageError("option '--holdout 0' leaves 'eval' nothing to read");
  data->checkHeldOut();
  prepareParameters(options, engine);
  std::printf("held-out loss %s\n", shortestDigits(ElementType::F64, heldOutLoss(*data, engine)).c_str());
}

} // namespace plc::runtime
