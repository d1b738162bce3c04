// `plc-run eval`, and held-out losses of training.
#include "Log.h"
#include "Runs.h"
#include "plc/Runtime/Tensors/Checkpoint.h"

#include <cstdio>

namespace plc::runtime {

std::vector<double> heldOutMeans(const Data &data, uint64_t seed, Engine &engine) {
  const EntryInfo &entry = needEntry(engine, "eval");
  size_t loss = entry.findOutput(lossName);
  if (loss == entry.outputs.size() || entry.outputs[loss].numElements() != 1)
    throw Error(BadInput, "", "entry 'eval' has no scalar output 'loss'");
  std::vector<double> means(entry.outputs.size());
  int64_t batches = data.numHeldOutBatches();
  for (int64_t i = 0; i < batches; ++i) {
    std::vector<Bytes> outputs = engine.run(entry, data.heldOutBatch(seed, i));
    for (size_t each = 0; each < outputs.size(); ++each)
      means[each] += elementAsDouble(entry.outputs[each].type, outputs[each].data(), 0);
  }
  for (double &mean : means)
    mean /= static_cast<double>(batches);
  return means;
}

void warnOfLeftOut(const Data &data, int64_t batch) {
  int64_t count = data.numHeldOut(), left = count % batch;
  if (left && count != Data::anySamples)
    warnUser("warning: the last " + std::to_string(left) + " of " + std::to_string(count) +
             " samples to evaluate do not fill a batch of " + std::to_string(batch) + " and are left out\n");
}

void runEval(const Options &options, Engine &engine) {
  const EntryInfo &entry = needEntry(engine, "eval");
  std::unique_ptr<Data> data =
      openData(entry, options.data, options.holdout.value_or(defaultHoldout), WindowOrder::Random, options.packs);
  if (options.holdout == 0)
    throw usageError("option '--holdout 0' leaves 'eval' nothing to read");
  data->checkHeldOut();
  if (options.holdout == 1 && engine.leads())
    warnOfLeftOut(*data, entry.batch);
  warnOfRandomParameters(options, engine);
  engine.keepParametersIn(entry);
  prepareParameters(options, engine);
  std::vector<double> means = heldOutMeans(*data, options.seed.value_or(engine.origin().seed), engine);
  auto print = [&](size_t i) {
    std::printf("held-out %s %s\n", entry.outputs[i].name.c_str(), shortestDigits(ElementType::F64, means[i]).c_str());
  };
  size_t loss = entry.findOutput(lossName);
  print(loss);
  for (size_t i = 0; i < means.size(); ++i)
    if (i != loss && entry.outputs[i].shape.empty()) // IR may have outputs that are no scalars
      print(i);
}

} // namespace plc::runtime
