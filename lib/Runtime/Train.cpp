#include "Checkpoint.h"
#include "FlightRecorder.h"
#include "Log.h"
#include "Progress.h"
#include "Runs.h"
#include "StopSignals.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace plc::runtime {

namespace {

using Clock = std::chrono::steady_clock;

/// Where the run starts: at initial values, at those of a file, or at a checkpoint, whose seed and order of windows it then uses.
TrainingState beginTraining(const Options &options, Engine &engine) {
  if (options.resume.empty()) {
    prepareParameters(options, engine, /*mayLack=*/true); // an adapter is not in the file of what it adapts
    return {0, options.seed.value_or(0), options.windows.value_or(WindowOrder::Random),
            options.holdout.value_or(defaultHoldout)};
  }
  if (!options.params.empty())
    throw usageError("'--resume' goes on with a run, '--params' starts one: give one of them");
  TrainingState state{};
  if (engine.leads()) // The folder may be on its machine alone.
    state = resumeCheckpoint(options.resume, engine);
  engine.share(&state, sizeof(state));
  engine.shareParameters();
  if (options.seed && *options.seed != state.seed)
    throw usageError("found '--seed " + std::to_string(*options.seed) + "', but the checkpoint goes on with seed " +
                     std::to_string(state.seed));
  if (options.windows && state.windows && *options.windows != *state.windows)
    throw usageError("found '--windows " + std::string(nameOfChoice(*options.windows)) +
                     "', but the checkpoint goes on with windows '" + nameOfChoice(*state.windows) + "'");
  state.windows = options.windows ? options.windows : state.windows.value_or(WindowOrder::Random);
  // With a smaller part, the run would train on data that it measured itself by.
  if (options.holdout && state.holdout && *options.holdout != *state.holdout)
    throw usageError("found '--holdout " + shortestDigits(ElementType::F64, *options.holdout) +
                     "', but the checkpoint goes on with holdout " + shortestDigits(ElementType::F64, *state.holdout));
  state.holdout = options.holdout ? options.holdout : state.holdout.value_or(defaultHoldout);
  if (state.step > options.steps)
    throw usageError("found '--steps " + std::to_string(options.steps) + "', but the checkpoint is at step " +
                     std::to_string(state.step) + ": '--steps' is the number of the last step");
  if (state.step == options.steps)
    std::printf("the checkpoint is at step %lld, the last: nothing to train\n", static_cast<long long>(state.step));
  return state;
}

class Training {
public:
  Training(const Options &options, Engine &engine)
      : options(options), engine(engine), entry(needEntry(engine, "train")) {
    state = beginTraining(options, engine);
    if (options.evalEvery && *state.holdout == 0)
      throw usageError("option '--eval-every' needs held-out data, but the checkpoint goes on with holdout 0");
    data = openData(entry, options.data, *state.holdout, *state.windows);
    data->checkTraining();
    if (*state.holdout > 0)
      openHeldOut();
    if (!options.save.empty() && engine.leads())
      folder.emplace(options.save, [&](int64_t step) { return step > state.step && savesBehind(step); });
  }

  void run() {
    Log log(options.log, !options.resume.empty(), engine);
    Progress progress(state.step, options.steps, entry.batch);
    std::optional<StopSignals> signals; // A run that saves nothing has nothing to lose.
    if (!options.save.empty())
      signals.emplace();
    bool done = state.step == options.steps;
    while (!done) {
      step(log, progress);
      // Any of several processes may have got the signal: they stop after the same step.
      auto stop = signals ? static_cast<int>(engine.agree(signals->seen())) : 0;
      if (stop)
        signals->settle();
      bool reached = options.untilLoss && *loss <= *options.untilLoss;
      done = reached || state.step == options.steps;
      if (reached || stop)
        progress.clear();
      if (reached)
        std::printf("loss %s after step %lld is at most %s\n", shortestDigits(engine.realType(), *loss).c_str(),
                    static_cast<long long>(state.step), shortestDigits(ElementType::F64, *options.untilLoss).c_str());
      if (!options.save.empty() && (done || stop || savesBehind(state.step)))
        save(progress);
      if (stop && !done) {
        log.summary(state.step, loss, std::nullopt);
        throw stoppedBy(stop);
      }
    }
    signals.reset();
    progress.clear();
    std::optional<double> holdoutLoss;
    if (*state.holdout > 0) {
      holdoutLoss = heldOutLoss(heldOutData(), engine);
      std::printf("held-out loss %.3f\n", *holdoutLoss);
    }
    log.summary(state.step, loss, holdoutLoss);
  }

private:
  /// The data of eval, whose batch may be smaller than that of a step, and which draws nothing.
  void openHeldOut() {
    const EntryInfo &eval = needEntry(engine, "eval");
    if (eval.batch != entry.batch || eval.inputs.size() != entry.inputs.size())
      apart = openData(eval, options.data, *state.holdout);
    heldOutData().checkHeldOut();
  }

  const Data &heldOutData() const { return apart ? *apart : *data; }

  void step(Log &log, Progress &progress) {
    ++state.step;
    Clock::time_point start = Clock::now();
    StepResult result = trainStep();
    auto nanoseconds = static_cast<double>(std::chrono::nanoseconds(Clock::now() - start).count());
    loss = sumOfMicroBatches(engine.realType(), entry.lanes, result.microBatchLosses);
    double itemsPerSecond = std::round(static_cast<double>(entry.batch) * 1e10 / nanoseconds) / 10;
    std::optional<double> holdoutLoss;
    if (options.evalEvery && state.step % options.evalEvery == 0)
      holdoutLoss = heldOutLoss(heldOutData(), engine);
    log.step({state.step, *loss, result, nanoseconds / 1e6, itemsPerSecond, engine.optimizer().rate(state.step),
              holdoutLoss});
    // The digits of a log say null where there is no number.
    progress.step(state.step, std::isfinite(*loss) ? shortestDigits(engine.realType(), *loss)
                              : std::isnan(*loss)  ? "nan"
                                                   : std::to_string(*loss));
    if (holdoutLoss) {
      progress.clear();
      std::printf("step %lld held-out loss %.3f\n", static_cast<long long>(state.step), *holdoutLoss);
    }
  }

  /// An error tells what of the run is not lost.
  template <typename Do>
  auto tellingWhatIsSaved(Do run) {
    try {
      return run();
    } catch (Error &error) {
      if (!saved.empty())
        error.note("the last checkpoint is '" + saved + "'");
      throw;
    }
  }

  // Unless it ends earlier, which nobody knows before.
  bool savesBehind(int64_t step) const {
    return step <= options.steps && (step == options.steps || (options.saveEvery && step % options.saveEvery == 0));
  }

  StepResult trainStep() {
    return tellingWhatIsSaved([&] { return engine.trainStep(state.step, data->trainBatch(state.seed, state.step)); });
  }

  void save(Progress &progress) {
    saved = tellingWhatIsSaved([&] { return saveCheckpoint(options.save, state, engine); });
    if (FlightRecorder *flight = FlightRecorder::here())
      flight->saveCheckpoint(saved);
    if (options.keep && engine.leads())
      keepCheckpoints(options.save, options.keep, state.step);
    progress.clear();
    std::printf("saved %s\n", saved.c_str());
  }

  Error stoppedBy(int signal) const {
    return Error(codeOfSignal(signal), "",
                 std::string("stopped by SIG") + ::sigabbrev_np(signal) + " after step " + std::to_string(state.step) +
                     " of " + std::to_string(options.steps) + ": go on with '--resume " + options.save + "'");
  }

  const Options &options;
  Engine &engine;
  const EntryInfo &entry;
  std::unique_ptr<Data> data, apart;
  TrainingState state;
  std::optional<double> loss; // of the last step
  std::optional<SaveFolder> folder;
  std::string saved; // the last checkpoint of this run
};

} // namespace

void runTrain(const Options &options, Engine &engine) { Training(options, engine).run(); }

} // namespace plc::runtime
