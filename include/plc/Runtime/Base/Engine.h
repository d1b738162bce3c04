// The interface between commands and whatever computes a model.
#ifndef PLC_RUNTIME_BASE_ENGINE_H
#define PLC_RUNTIME_BASE_ENGINE_H

#include "plc/Module/Entries.h"
#include "plc/Module/ProcessMemory.h"
#include "plc/Module/ParameterGroups.h"
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Optimizer.h"
#include "plc/Runtime/Base/RunSettings.h"
#include "plc/Runtime/Base/Tensor.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace plc::runtime {

using module::EntryInfo;
using module::Initializer;
using module::ParameterInfo;

/// The outcome of one training step.
struct StepResult {
  /// The loss of the step, and the contribution of each micro-batch, in order. Each is exactly a value of the model's
  /// real type.
  double loss = 0;
  std::vector<double> microBatchLosses;
  /// The values of the entry's outputs, as EntryInfo::outputs has them; of those that are no scalars 0.
  std::vector<double> scalars;
  /// The norm of the whole gradient (Optimizer.h: GradientNorm).
  double gradNorm = 0;
  /// That of each of the optimizer's groups, then of parameters without one; empty if there are no groups.
  std::vector<double> groupNorms;
  /// isFiniteStep (Optimizer.h). If false, parameters and moments are unchanged, unless the optimizer ignores it.
  bool finite = true;
  /// The factor of the loss, and whether that alone may have made the step not finite. Then the next step has a smaller
  /// scale.
  double lossScale = 1;
  bool overflowed = false;
};

/// Bytes of one rank: its arena as planned and as written, and memory outside of it, as bounded and as measured.
struct RankMemory {
  int64_t rank = 0;
  int64_t plannedBytes = 0, measuredBytes = 0;
  int64_t outsideBound = 0, outsideMeasured = 0;
};

/// All calls of one kernel in the training steps so far, on all ranks. The optimizer's updates appear as a kernel
/// "step" without a source line.
struct KernelProfile {
  std::string kernel, where; // FILE:LINE:COL of its main equation
  int64_t calls = 0, nanoseconds = 0;
  int64_t bytes = 0;       // read and written by one call
  int64_t medianNs = 0;    // of its calls; right within 1.6 %
  int64_t predictedNs = 0; // of one call on one thread
};

/// A state of an entry, with all samples, micro-batch after micro-batch.
struct StateInfo {
  std::string name;
  ElementType type;
  int64_t bytes, microBatches;

  bool operator==(const StateInfo &) const = default;
};

/// Nanoseconds of a run: as the simulator plays it, and as measured.
struct RunTimes {
  int64_t predictedNs = 0; // played with the times of the plan
  int64_t replayedNs = 0;  // played with the measured times of its tasks
  int64_t fastestNs = 0;   // played with the fastest time of each kernel so far: an undisturbed run
  int64_t executedNs = 0;  // from the first rank's first action to the last rank's last one
};

/// The origin of the parameters: the optimizer's step that made them, 0 if none did, and the seed of that run.
struct Origin {
  int64_t step = 0;
  uint64_t seed = 0;
};

/// One model, ready to run. Two classes implement it with the same bits: the runtime of compiled modules behind
/// plc-run, and the interpreter behind plc-interpret. Every member may throw Error. After an error of a step or run,
/// parameters are undefined unless the class says otherwise.
class Engine {
public:
  virtual ~Engine() = default;

  virtual std::string modelName() const = 0;
  /// F32 or F64: the type of parameters, gradients and loss.
  virtual ElementType realType() const = 0;
  /// 64 hex digits.
  virtual std::string numericsKey() const = 0;
  /// A JSON object, the first line of logs; "{}" if there is no plan.
  virtual std::string planJson() const = 0;

  virtual const std::vector<EntryInfo> &entries() const = 0;
  /// In program order. Values are undefined until written.
  virtual const std::vector<ParameterInfo> &parameters() const = 0;

  /// Keeps the parameters that are written from now on in the arenas of this entry alone, if all of its ranks are in
  /// this process. For a program that runs this entry and no other. To be called before parameters have values.
  virtual void keepParametersIn(const EntryInfo &) {}
  /// Whole parameters, `parameters()[index].tensor().numBytes()` bytes.
  virtual void readParameter(size_t index, void *out) = 0;
  /// Its average, too, begins anew with this value.
  virtual void writeParameter(size_t index, const void *data) = 0;
  virtual const OptimizerSettings &optimizer() const = 0;
  /// What this run sets of them.
  const RunSettings &runSettings() const {
    if (!settingsOfRun)
      settingsOfRun.emplace(optimizer());
    return *settingsOfRun;
  }
  /// Takes other settings for the steps from now on, in all processes alike. Throws usageError, and changes nothing, if
  /// they contradict each other.
  void setRun(const RunSettings &settings);
  /// What the optimizer keeps beside a parameter: its moments. Frozen parameters have none.
  const std::vector<module::OptimizerState> &statesOf(size_t index) const {
    if (!keptStates)
      keptStates = module::statesOf(optimizer(), parameters());
    return (*keptStates)[index];
  }
  /// Moments (which = 1 .. statesOf(index).size()), as `module::momentOf` has them. Each element begins as its state
  /// says.
  virtual void readMoment(size_t index, int which, void *out) = 0;
  virtual void writeMoment(size_t index, int which, const void *data) = 0;
  /// Lets them begin anew.
  virtual void clearMoments(size_t index) = 0;
  /// The moving average of a trained parameter's value (Average.h). Only if optimizer().keepsAverages().
  virtual void readAverage(size_t, void *) {}
  virtual void writeAverage(size_t, const void *) {}
  /// Whether entries other than `train` run with the averages in place of the values, from now on. Likewise.
  virtual void useAverages(bool) {}

  /// One optimizer step (1 is the first) on one batch: `inputs` are those of entry `train`, whole, in its order.
  virtual StepResult trainStep(int64_t step, const std::vector<Bytes> &inputs) = 0;

  /// Computes the gradients of such a batch, without a step. Returns an error that names the first kernel, or rule,
  /// that made a NaN, or an infinity that no rule of it speaks of; nullopt if none did.
  virtual std::optional<Error> findNonFinite(const std::vector<Bytes> &inputs) = 0;

  /// Runs an entry other than train on a whole batch with the present parameters: inputs and results in the entry's
  /// order. A result that is not batched is a sum (sumOfRows).
  virtual std::vector<Bytes> run(const EntryInfo &entry, const std::vector<Bytes> &inputs) = 0;

  /// A bound below which every integer is a valid position of each tensor that the model reads or writes at computed
  /// positions.
  virtual int64_t indexBound() { return 4; }
  /// Whether the model may use `training()` or `step()`, whose values differ between training and evaluation.
  virtual bool asksForTraining() { return true; }

  /// Begins a sequence: every state of the entry has its initial value again.
  virtual void restart(const EntryInfo &) {}
  /// Nullopt if the entry has no states. Else the least number of positions among those that are written position by
  /// position; INT64_MAX if there are none of these.
  virtual std::optional<int64_t> statePositions(const EntryInfo &) const { return std::nullopt; }

  /// The states of the entry, and their bytes in the same order.
  virtual std::vector<StateInfo> states(const EntryInfo &) const { return {}; }
  virtual std::vector<Bytes> readStates(const EntryInfo &) { return {}; }
  virtual void writeStates(const EntryInfo &, const std::vector<Bytes> &) {}

  /// The memory of each rank in the entry's runs so far; empty if there were none, or there is no plan.
  virtual std::vector<RankMemory> memory(const EntryInfo &) { return {}; }

  /// Bytes that this process takes if the entry's arenas have the parameters (keepParametersIn). Without arenas if
  /// nothing is planned.
  virtual module::ProcessMemory processMemory(const EntryInfo &) const { return {}; }
  /// Processes that share this machine's memory in this run.
  virtual int64_t processesHere() const { return 1; }

  /// Slowest kernel first; empty unless the model is compiled to be profiled.
  virtual std::vector<KernelProfile> profile() { return {}; }

  /// The last run of the entry. Only for engines opened with timed tasks, which execute all ranks.
  virtual std::optional<RunTimes> lastRun(const EntryInfo &) { return std::nullopt; }

  /// Writes the trace so far (Trace.h). Only for engines opened to trace.
  virtual void writeTrace(const std::string &) {}

  /// Several processes may run one model together, each with an engine of its own. All of them call the same members in
  /// the same order, and have the same results. The leader prints and writes them.
  virtual bool leads() const { return true; }
  virtual int64_t numProcesses() const { return 1; }
  /// The largest value among all processes.
  virtual int64_t agree(int64_t value) { return value; }
  /// Afterwards all processes have the leader's bytes; shareParameters: its parameters and moments.
  virtual void share(void *, size_t) {}
  virtual void shareParameters() {}
  /// Afterwards each process may read parameters and moments without the others, until the next run.
  virtual void gatherParameters() {}

  /// Floating-point operations of one run of the entry, 0 if unknown; numWorkers: the threads that share them.
  virtual int64_t flopsPerRun(const EntryInfo &) const { return 0; }
  virtual int64_t numWorkers(const EntryInfo &) const { return 1; }

  /// The least extent of the axes that kernels gather from: an integer input below it is a valid index everywhere.
  virtual int64_t smallestGather() const { return INT64_MAX; }

  const Origin &origin() const { return madeBy; }
  void setOrigin(const Origin &origin) { madeBy = origin; }
  /// The value of `step()` in a run of an entry other than train. `gradient` has that of the step that would follow.
  int64_t stepOf(const EntryInfo &entry) const { return madeBy.step + (entry.isGradient() ? 1 : 0); }

  /// The entry of that name, or nullptr.
  const EntryInfo *findEntry(std::string_view name) const;

  /// The factor of the next step's loss.
  const LossScale &lossScale() const {
    if (!scaleOfLoss)
      scaleOfLoss.emplace(optimizer());
    return *scaleOfLoss;
  }
  void setLossScale(const LossScale &scale) { scaleOfLoss = scale; }

protected:
  /// Makes optimizer() these settings, which keep the same tensors.
  virtual void changeOptimizer(const OptimizerSettings &settings) = 0;
  /// After a step whose loss and norm are known: finds whether it overflowed, and adapts the scale of the next one.
  void updateLossScale(StepResult &result);

private:
  Origin madeBy;
  mutable std::optional<LossScale> scaleOfLoss;
  mutable std::optional<RunSettings> settingsOfRun;
  mutable std::optional<module::StatesOfParameters> keptStates; // settings of a run do not change them
};

/// Bytes of all parameters, and with an optimizer of what it keeps beside those that it trains: moments and averages.
int64_t parameterBytes(const std::vector<ParameterInfo> &parameters, const OptimizerSettings *trained);

/// sum += term, element by element, rounded as the type's kernels do.
void addInOrder(ElementType type, int64_t count, void *sum, const void *term);

/// The value of an input that the engine gives: the step's number, or the factor of its loss.
Bytes ownInput(InputSource source, const TrainingStep &step);

/// A result of the batch from its rows, one for each sample or micro-batch. Reals are added in order in f64, and
/// rounded once.
Bytes sumOfRows(const TensorInfo &info, const std::vector<const void *> &rows);

/// The values of an entry's scalar outputs, 0 of others; `outputAt` returns the bytes of one.
std::vector<double> scalarsOf(const EntryInfo &entry, const std::function<Bytes(size_t index)> &outputAt);

/// Fills in the losses of a step from the rows of each micro-batch, by the same rule.
void setLosses(StepResult &result, ElementType real, const std::vector<std::vector<double>> &rows);

/// The entry of that name; throws an Error that lists the names there are.
const EntryInfo &needEntry(const Engine &engine, const std::string &name);

} // namespace plc::runtime

#endif
