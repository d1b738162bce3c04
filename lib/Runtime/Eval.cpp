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

namespace {
/// Warns about tensors that no parameter uses. They may belong to a larger model under another `--entry`, or be a sign
/// that this model is not the one that was trained.
void tellUnused(const std::string &place, const std::vector<std::string> &names, const Engine &engine) {
  constexpr size_t shown = 5;
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), shown); ++i)
    list += (i ? ", '" : "'") + names[i] + "'";
  if (!names.empty())
    std::fprintf(stderr, "%s: warning: %zu tensors are of no parameter of model '%s' and are not used: %s%s\n",
                 place.c_str(), names.size(), engine.modelName().c_str(), list.c_str(),
                 names.size() > shown ? ", .." : "");
}
} // namespace

void prepareParameters(const Options &options, Engine &engine) {
  if (options.params.empty())
    initializeParameters(options.seed.value_or(0), engine);
  else
    tellUnused(options.params, loadParameters(options.params, engine), engine);
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
