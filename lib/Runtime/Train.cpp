#include "Checkpoint.h"
#include "Log.h"
#include "Progress.h"
#include "Runs.h"

#include <chrono>
#include <cmath>
#include <cstdio>

namespace plc::runtime {

namespace {

using Clock = std::chrono::steady_clock;

/// Where the run starts: at initial values, at those of a file, or at a checkpoint, whose seed it then uses.
TrainingState beginTraining(const Options &options, Engine &engine) {
  if (options.resume.empty()) {
    prepareParameters(options, engine, /*mayLack=*/true); // an adapter is not in the file of what it adapts
    return {0, options.seed.value_or(0)};
  }
  if (!options.params.empty())
    throw usageError("'--resume' goes on with a run, '--params' starts one: give one of them");
  TrainingState state = resumeCheckpoint(options.resume, engine);
  if (options.seed && *options.seed != state.seed)
    throw usageError("found '--seed " + std::to_string(*options.seed) + "', but the checkpoint goes on with seed " +
                     std::to_string(state.seed));
  if (state.step > options.steps)
    throw usageError("found '--steps " + std::to_string(options.steps) + "', but the checkpoint is at step " +
                     std::to_string(state.step) + ": '--steps' is the number of the last step");
  if (state.step == options.steps)
    std::printf("the checkpoint is at step %lld, the last: nothing to train\n", static_cast<long long>(state.step));
  return state;
}

bool saveIsDue(const Options &options, int64_t step) {
  if (options.save.empty())
    return false;
  return step == options.steps || (options.saveEvery && step % options.saveEvery == 0);
}

} // namespace

void runTrain(const Options &options, Engine &engine) {
  const EntryInfo &entry = needEntry(engine, "train");
  std::unique_ptr<Data> data = openData(entry, options.data, options.holdout);
  data->checkTraining();
  std::unique_ptr<Data>
      apart; // held-out data for eval, whose batch may be smaller than that of a step, and which draws nothing
  if (options.holdout > 0) {
    const EntryInfo &eval = needEntry(engine, "eval");
    if (eval.batch != entry.batch || eval.inputs.size() != entry.inputs.size())
      apart = openData(eval, options.data, options.holdout);
    (apart ? apart : data)->checkHeldOut();
  }
  TrainingState state = beginTraining(options, engine);
  if (!options.save.empty())
    prepareCheckpoints(options.save);
  Log log(options.log, !options.resume.empty(), engine);
  Progress progress(state.step, options.steps, entry.batch);
  std::optional<double> loss, holdoutLoss;
  while (state.step < options.steps) {
    ++state.step;
    Clock::time_point start = Clock::now();
    StepResult result = engine.trainStep(state.step, data->trainBatch(state.seed, state.step));
    auto nanoseconds = static_cast<double>(std::chrono::nanoseconds(Clock::now() - start).count());
    loss = sumInOrder(engine.realType(), result.microBatchLosses);
    double itemsPerSecond = std::round(static_cast<double>(entry.batch) * 1e10 / nanoseconds) / 10;
    log.step({state.step, *loss, result, nanoseconds / 1e6, itemsPerSecond});
    progress.step(state.step, shortestDigits(engine.realType(), *loss));
    if (!saveIsDue(options, state.step))
      continue;
    std::string folder = saveCheckpoint(options.save, state, engine);
    progress.clear();
    std::printf("saved %s\n", folder.c_str());
  }
  progress.clear();
  if (options.holdout > 0) {
    holdoutLoss = heldOutLoss(apart ? *apart : *data, engine);
    std::printf("held-out loss %.3f\n", *holdoutLoss);
  }
  log.summary(state.step, loss, holdoutLoss);
}

} // namespace plc::runtime
