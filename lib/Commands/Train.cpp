// `plc-run train`: steps, evaluations, checkpoints, and how a run ends.
#include "Log.h"
#include "Overwrites.h"
#include "Progress.h"
#include "RunMemory.h"
#include "Runs.h"
#include "StopSignals.h"
#include "plc/Runtime/Base/FlightRecorder.h"
#include "plc/Runtime/Base/NonFinite.h"
#include "plc/Runtime/Execute/Measurements.h"
#include "plc/Runtime/Tensors/Checkpoint.h"
#include "plc/Runtime/Tensors/CheckpointFolders.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace plc::runtime {

namespace {

using Clock = std::chrono::steady_clock;

/// Where a run starts: at initial values, at those of a file, or at a checkpoint, whose seed, order and held-out
/// fraction it then uses.
TrainingState beginTraining(const Options &options, Engine &engine, std::optional<KeyChange> &change) {
  const SettingTexts ofCommand = engine.runSettings().given();
  if (options.resume.empty()) {
    prepareParameters(options, engine, /*mayLack=*/true); // the file of a base model has no adapters
    return {0, options.seed.value_or(0), options.windows.value_or(WindowOrder::Random),
            options.holdout.value_or(options.evalData.empty() ? defaultHoldout : 0)};
  }
  if (!options.params.empty())
    throw usageError("'--resume' goes on with a run, '--params' starts one: give one of them");
  TrainingState state{};
  if (engine.leads()) // only its machine may have the folder
    state = resumeCheckpoint(options.resume, engine, &change);
  engine.share(&state, sizeof(state));
  engine.shareParameters();
  if (options.seed && *options.seed != state.seed)
    throw usageError("found '--seed " + std::to_string(*options.seed) + "', but the checkpoint goes on with seed " +
                     std::to_string(state.seed));
  if (options.windows && state.windows && *options.windows != *state.windows)
    throw usageError("found '--windows " + std::string(nameOfChoice(*options.windows)) +
                     "', but the checkpoint goes on with windows '" + nameOfChoice(*state.windows) + "'");
  state.windows = options.windows ? options.windows : state.windows.value_or(WindowOrder::Random);
  // With a smaller fraction, the run would train on data that it has evaluated with.
  if (options.holdout && state.holdout && *options.holdout != *state.holdout)
    throw usageError("found '--holdout " + shortestDigits(ElementType::F64, *options.holdout) +
                     "', but the checkpoint goes on with holdout " + shortestDigits(ElementType::F64, *state.holdout));
  state.holdout = options.holdout ? options.holdout : state.holdout.value_or(defaultHoldout);
  if (state.averages == ResumedAverages::Begin)
    warnUser("warning: the checkpoint has no averages: they begin with its parameters\n");
  if (state.averages == ResumedAverages::Dropped)
    warnUser("warning: the averages of the checkpoint are dropped: the model has 'optimizer.ema' = 0\n");
  for (const auto &[key, value] : engine.runSettings().given())
    if (!ofCommand.count(key))
      std::printf("%s = %s, as the run that goes on has set it\n", key.c_str(), value.c_str());
  if (state.step > options.steps)
    throw usageError("found '--steps " + std::to_string(options.steps) + "', but the checkpoint is at step " +
                     std::to_string(state.step) + ": '--steps' is the number of the last step");
  if (state.step == options.steps)
    std::printf("the checkpoint is at step %lld, the last: nothing to train\n", static_cast<long long>(state.step));
  return state;
}

/// "rows 43 to 47, held out so far, are trained on": the data that changes sides because there is more or less of it.
std::string describeMoved(const char *unit, int64_t before, int64_t found, double holdout) {
  int64_t border = numTrainedOn(before, holdout), now = numTrainedOn(found, holdout);
  int64_t first = std::min(border, now), end = std::min(std::max(border, now), std::min(before, found));
  if (first >= end)
    return "";
  return std::string(unit) + " " + std::to_string(first) + " to " + std::to_string(end - 1) +
         (now > border ? ", held out so far, are trained on" : ", trained on so far, are held out") + " from here on";
}

/// Warns if there is more or less data than the run had before: held-out data may then have been trained on.
void warnOfLength(const char *unit, int64_t before, int64_t found, double holdout) {
  if (found == before)
    return;
  std::string moved = describeMoved(unit, before, found, holdout);
  warnUser("warning: found " + std::to_string(found) + " " + unit + " of data, but the run that goes on had " +
           std::to_string(before) + (moved.empty() ? "" : ": " + moved + ", so held-out losses do not compare") +
           "\nnote: the order of the data is another one, too; with the same files it goes on as it was\n");
}

std::string describeWeights(const std::string &weights) {
  return weights.empty() ? "no blend of files" : "files by weights " + weights;
}

/// One training run. The constructor opens and checks everything, so that no run fails later for a reason that was
/// known at its start.
class Training {
public:
  Training(const Options &options, Engine &engine)
      : options(options), engine(engine), entry(needEntry(engine, "train")) {
    if (options.resume.empty() && engine.leads())
      refuseFormerLogs(options);
    memory.transforms = options.map.has_value();
    memory.holdsOut =
        !options.evalData.empty() || (options.resume.empty() ? options.holdout != 0 : options.holdout.value_or(0) > 0);
    // Twice: before parameters are written, and again when the size of the data is known.
    checkMemory(engine, memory);
    engine.keepParametersIn(entry);
    state = beginTraining(options, engine, change);
    begun = state.step;
    if (!options.resume.empty())
      saved = folderOfStep(options.resume, begun);
    if (options.evalEvery && !evaluates())
      throw usageError("option '--eval-every' needs held-out data, but the checkpoint goes on with holdout 0");
    int64_t before = allocatedBytes();
    data = openData(entry, options.data, *state.holdout, *state.windows, options.packs);
    data->checkTraining();
    if (evaluates())
      openHeldOut();
    memory.dataBytes = std::max<int64_t>(0, allocatedBytes() - before);
    memory.holdsOut = evaluates();
    checkMemory(engine, memory);
    if (!options.save.empty() && engine.leads())
      folder.emplace(options.save, formerRun(), [&](int64_t step) { return step > state.step && savesBehind(step); });
    goOnWithData();
    if (options.save.empty() && state.step < options.steps)
      warnUser("warning: nothing of this run is saved: '--save DIR' keeps its parameters\n");
  }

  void run() {
    Log log(options, begun, engine);
    log.resume(state.step, change, lengthsBefore, state.lengths);
    log.settings();
    if (std::vector<GroupRow> rows = groupRows(engine); engine.leads()) {
      log.groups(rows);
      printGroups(rows);
    }
    bool done = state.step == options.steps;
    if (module::ProcessMemory bytes = memoryOf(engine, memory); bytes.arenas && !done) {
      log.planBytes(bytes.total());
      std::printf("memory %s\n", bytes.text().c_str());
    }
    Progress progress(state.step, options.steps, entry.batch);
    std::optional<StopSignals> signals; // a run that saves nothing may end at once
    if (!options.save.empty())
      signals.emplace();
    while (!done) {
      step(log, progress);
      // Any of several processes may have the signal: all stop after the same step.
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
        log.summary(state.step, loss, std::nullopt, numSkipped());
        throw stoppedBy(stop);
      }
    }
    signals.reset();
    progress.clear();
    std::optional<HeldOutMeans> holdout;
    if (evaluates())
      printHeldOut(holdout.emplace(evaluate()));
    if (skipped)
      std::printf("%lld of %lld steps were not finite and are left out\n", static_cast<long long>(skipped),
                  static_cast<long long>(state.step - begun));
    log.summary(state.step, loss, holdout, numSkipped());
  }

private:
  HeldOutMeans evaluate() {
    HeldOutMeans holdout{heldOutMeans(heldOutData(), state.seed, engine), {}};
    if (engine.optimizer().keepsAverages()) {
      engine.useAverages(true);
      holdout.ofAverages = heldOutMeans(heldOutData(), state.seed, engine);
      engine.useAverages(false);
    }
    return holdout;
  }

  void printHeldOut(const HeldOutMeans &holdout) const {
    size_t loss = needEntry(engine, "eval").findOutput(lossName);
    std::printf("held-out loss %.3f", holdout.means[loss]);
    if (!holdout.ofAverages.empty())
      std::printf(", of the averages %.3f", holdout.ofAverages[loss]);
    std::printf("\n");
  }

  // Whether '--save' continues its own run, replaces another one, or refuses.
  SaveFolder::Former formerRun() const {
    if (!options.resume.empty() && isFolderOf(options.save, options.resume))
      return SaveFolder::Former::GoOn;
    return options.overwrites ? SaveFolder::Former::Replace : SaveFolder::Former::Refuse;
  }

  // Continues the order of data behind the samples used so far, and warns of what changed.
  void goOnWithData() {
    state.samples = state.samples.value_or(state.step * entry.batch);
    data->shiftSamples(*state.samples - state.step * entry.batch);
    lengthsBefore = std::exchange(state.lengths, data->lengths());
    std::optional<ShortText> weightsBefore = std::exchange(state.weights, ShortText(data->weights()));
    if (weightsBefore && *weightsBefore != *state.weights && engine.leads())
      warnUser("warning: found " + describeWeights(state.weights->text()) + ", but the run that goes on had " +
               describeWeights(weightsBefore->text()) + ": samples come in another order from here on\n");
    if (change)
      warnUser("warning: " + change->text + ": the bits differ from here on\nnote: data goes on behind the " +
               std::to_string(*state.samples) + " samples that were used, the learning rate behind step " +
               std::to_string(state.step) + "\n");
    if (!lengthsBefore)
      return;
    warnOfLength("rows", lengthsBefore->rows, state.lengths->rows, *state.holdout);
    warnOfLength("elements", lengthsBefore->elements, state.lengths->elements, *state.holdout);
  }

  bool evaluates() const { return *state.holdout > 0 || !options.evalData.empty(); }

  // Opens the data of eval if it is in other files, or if its batch or its inputs differ from those of train: a step
  // may be several batches, and eval may draw less.
  void openHeldOut() {
    const EntryInfo &eval = needEntry(engine, "eval");
    if (!options.evalData.empty()) {
      apart = openEvalData(eval, options.evalData, options.data, options.packs);
      apart->checkHeldOut();
      if (engine.leads())
        warnOfLeftOut(*apart, eval.batch);
      return;
    }
    auto sameName = [](const TensorInfo &a, const TensorInfo &b) { return a.name == b.name; };
    if (eval.batch != entry.batch ||
        !std::equal(eval.inputs.begin(), eval.inputs.end(), entry.inputs.begin(), entry.inputs.end(), sameName))
      apart = openData(eval, options.data, *state.holdout, WindowOrder::Random, options.packs);
    heldOutData().checkHeldOut();
  }

  const Data &heldOutData() const { return apart ? *apart : *data; }

  // Adds the last checkpoint to an error.
  void noteSaved(Error &error) const {
    if (!saved.empty())
      error.note("the last checkpoint is '" + saved + "'");
  }

  template <typename Do>
  auto tellingWhatIsSaved(Do run) {
    try {
      return run();
    } catch (Error &error) {
      noteSaved(error);
      throw;
    }
  }

  // Whether the run saves after this step, unless it ends earlier.
  bool savesBehind(int64_t step) const {
    return step <= options.steps && (step == options.steps || (options.saveEvery && step % options.saveEvery == 0));
  }

  // One step: batch, update, evaluation, log, progress.
  void step(Log &log, Progress &progress) {
    Clock::time_point start = Clock::now();
    std::vector<Bytes> inputs;
    StepResult result = tellingWhatIsSaved([&] {
      inputs = data->trainBatch(state.seed, state.step + 1);
      return engine.trainStep(state.step + 1, inputs);
    });
    auto nanoseconds = static_cast<double>(std::chrono::nanoseconds(Clock::now() - start).count());
    std::optional<int64_t> left = treatNonFinite(result, inputs, log, progress);
    ++state.step;
    *state.samples += entry.batch;
    loss = result.loss;
    double itemsPerSecond = std::round(static_cast<double>(entry.batch) * 1e10 / nanoseconds) / 10;
    std::optional<HeldOutMeans> holdout;
    if (options.evalEvery && state.step % options.evalEvery == 0)
      holdout = evaluate();
    log.step({state.step, *loss, result, nanoseconds / 1e6, itemsPerSecond, engine.optimizer().rate(state.step),
              holdout, left});
    // For people NaN and infinities by name; the log has null.
    progress.step(state.step, std::isfinite(*loss) ? shortestDigits(engine.realType(), *loss)
                              : std::isnan(*loss)  ? "nan"
                                                   : std::to_string(*loss));
    if (holdout) {
      progress.clear();
      std::printf("step %lld ", static_cast<long long>(state.step));
      printHeldOut(*holdout);
    }
  }

  // Treats a step that is not finite. Returns the number of steps left out so far if this one is. Throws if it ends the
  // run; the last finite state is then saved.
  std::optional<int64_t> treatNonFinite(const StepResult &result, const std::vector<Bytes> &inputs, Log &log,
                                        Progress &progress) {
    const NonFiniteStep treatment = engine.optimizer().nonFinite;
    if (result.finite || (treatment == NonFiniteStep::Ignore && !result.overflowed))
      return std::nullopt;
    const int64_t step = state.step + 1;
    progress.clear();
    if (result.overflowed) {
      std::printf("step %lld overflows with loss scale %s and is left out; the next one has %s\n",
                  static_cast<long long>(step), shortestDigits(ElementType::F64, result.lossScale).c_str(),
                  shortestDigits(ElementType::F64, engine.lossScale().value).c_str());
      return ++skipped;
    }
    if (treatment == NonFiniteStep::Skip) {
      if (skipped == 0)
        warnUser("warning: step " + std::to_string(step) +
                 " is not finite and is left out, as 'training.nonfinite' is \"skip\"\n");
      return ++skipped;
    }
    if (!options.save.empty() && state.step > begun && state.step != savedStep && holdsFinite(engine))
      save(progress);
    log.summary(state.step, loss, std::nullopt, numSkipped());
    Error error = explainNonFinite(engine, step, inputs, result, [&](size_t input, int64_t sample) {
      return data->describeTrainSample(state.seed, step, input, sample);
    });
    noteSaved(error);
    if (options.save.empty())
      error.note("nothing is saved: '--save DIR' keeps the last finite state");
    else if (saved.empty())
      error.note("no checkpoint of this run has finite values");
    throw error;
  }

  // For the log of a run that may leave steps out.
  std::optional<int64_t> numSkipped() const {
    bool mayLeaveOut = engine.optimizer().nonFinite == NonFiniteStep::Skip || engine.optimizer().scalesLoss;
    return mayLeaveOut ? std::optional(skipped) : std::nullopt;
  }

  void save(Progress &progress) {
    SavedCheckpoint made = tellingWhatIsSaved([&] { return saveCheckpoint(options.save, state, engine); });
    savedStep = state.step;
    if (made.finite)
      saved = made.folder;
    if (FlightRecorder *flight = FlightRecorder::here())
      flight->saveCheckpoint(made.folder);
    // Former checkpoints go only when a new one is whole.
    if (folder)
      folder->removeReplaced(made.folder);
    if (options.keep && engine.leads())
      keepCheckpoints(options.save, options.keep, state.step, made.finite);
    progress.clear();
    std::printf("saved %s\n", made.folder.c_str());
    if (!made.finite)
      warnUser(made.folder + ": warning: holds values that are not finite\n");
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
  TrainingMemory memory;
  std::optional<KeyChange> change;          // of the leader
  std::optional<DataLengths> lengthsBefore; // of the run that goes on
  std::optional<double> loss;               // of the last step
  std::optional<SaveFolder> folder;
  int64_t begun = 0, savedStep = -1; // the step where the run begins; that of its last checkpoint
  int64_t skipped = 0;
  std::string saved; // the last checkpoint with finite values
};

} // namespace

void runTrain(const Options &options, Engine &engine) { Training(options, engine).run(); }

} // namespace plc::runtime
