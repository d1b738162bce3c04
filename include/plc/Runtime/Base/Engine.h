// What the commands train, eval, infer, generate and bench ask of whatever computes a model: the runtime of compiled
// modules behind plc-run, the interpreter behind plc-interpret. Both give the same bits.
#ifndef PLC_RUNTIME_BASE_ENGINE_H
#define PLC_RUNTIME_BASE_ENGINE_H

#include "plc/Module/Entries.h"
#include "plc/Module/ProcessMemory.h"
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Optimizer.h"
#include "plc/Runtime/Base/Tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace plc::runtime {

using module::EntryInfo;
using module::Initializer;
using module::ParameterInfo;

struct StepResult {
  /// The loss of the step, and what each micro-batch adds to it, in order; each is exactly a value of the model's real type.
  double loss = 0;
  std::vector<double> microBatchLosses;
  /// Norm of the whole gradient (Optimizer.h: GradientNorm).
  double gradNorm = 0;
  /// isFiniteStep (Optimizer.h). If not, parameters and moments are as they were, unless the optimizer ignores it.
  bool finite = true;
  /// What its loss was multiplied by, and whether that alone may have made it not finite: then the next step has a smaller scale, or
  /// the strategy's again.
  double lossScale = 1;
  bool overflowed = false;
};

/// Bytes of one rank: the arena as planned and as written, and what lies outside it (bound and measured).
struct RankMemory {
  int64_t rank = 0;
  int64_t plannedBytes = 0, measuredBytes = 0;
  int64_t outsideBound = 0, outsideMeasured = 0;
};

/// All calls of one kernel in the training steps so far, on all ranks. A kernel of one equation is that equation. The
/// optimizer's updates are one, too: "step", which is nowhere.
struct KernelProfile {
  std::string kernel, where; // FILE:LINE:COL of its main equation
  int64_t calls = 0, nanoseconds = 0;
  int64_t bytes = 0;       // read and written by one call
  int64_t medianNs = 0;    // of its calls, within 1.6 %
  int64_t predictedNs = 0; // of one call on one thread
};

/// A state of an entry: all samples of it, micro-batch by micro-batch.
struct StateInfo {
  std::string name;
  ElementType type;
  int64_t bytes, microBatches;

  bool operator==(const StateInfo &) const = default;
};

/// How long a run takes as the simulator plays it, and took.
struct RunTimes {
  int64_t predictedNs = 0; // by the times that its kernels were planned with
  int64_t replayedNs = 0;  // by the times that its tasks took
  int64_t fastestNs = 0;   // by the fastest time that each kernel has taken so far: what nothing else disturbs
  int64_t executedNs = 0;  // from the first rank's first action to the last one's last
};

/// What made the parameters: the optimizer's step, 0 if none did, and the seed of its run.
struct Origin {
  int64_t step = 0;
  uint64_t seed = 0;
};

/// One model ready to run. Every member may throw Error. A step or run after an error is undefined.
class Engine {
public:
  virtual ~Engine() = default;

  virtual std::string modelName() const = 0;
  /// F32 or F64: the type of parameters, gradients and loss.
  virtual ElementType realType() const = 0;
  /// 64 hex digits.
  virtual std::string numericsKey() const = 0;
  /// A JSON object, the log's first line; "{}" if there is no plan.
  virtual std::string planJson() const = 0;

  virtual const std::vector<EntryInfo> &entries() const = 0;
  /// In program order. Values are undefined until written.
  virtual const std::vector<ParameterInfo> &parameters() const = 0;

  /// Before parameters have values: those that are written from now on lie in the arenas of this entry, where all of its ranks are in this
  /// process, and nowhere else. For a program that runs it and saves, or runs nothing else.
  virtual void keepParametersIn(const EntryInfo &) {}
  /// Whole parameters, `parameters()[index].tensor().numBytes()` bytes.
  virtual void readParameter(size_t index, void *out) = 0;
  virtual void writeParameter(size_t index, const void *data) = 0;
  virtual const OptimizerSettings &optimizer() const = 0;
  /// The optimizer's moments (which = 1 .. optimizer().numMoments()), same type and shape as the parameter; zero at
  /// first. Frozen ones have none.
  virtual void readMoment(size_t index, int which, void *out) = 0;
  virtual void writeMoment(size_t index, int which, const void *data) = 0;
  /// Makes them zero again.
  virtual void clearMoments(size_t index) = 0;

  /// One optimizer step (1 is the first) on one batch: `inputs` are those of entry `train`, whole, in its order.
  virtual StepResult trainStep(int64_t step, const std::vector<Bytes> &inputs) = 0;

  /// Computes the gradients of such a batch, without a step, and returns an error that names the first kernel, or rule, that gave a
  /// NaN, or an infinity which none of its rules speaks of; nullopt if none did.
  virtual std::optional<Error> findNonFinite(const std::vector<Bytes> &inputs) = 0;

  /// Runs an entry other than train on a whole batch with the present parameters: inputs and results in the entry's
  /// order. A result that is not batched is a sum (sumOfRows).
  virtual std::vector<Bytes> run(const EntryInfo &entry, const std::vector<Bytes> &inputs) = 0;

  /// Every integer below this is a position of each tensor that the model reads or writes at computed positions.
  virtual int64_t indexBound() { return 4; }
  /// Whether the model may ask for `training()` or `step()`, which training and evaluations answer differently.
  virtual bool asksForTraining() { return true; }

  /// Lets a sequence begin: every state of the entry has its initial value again, as before the first run.
  virtual void restart(const EntryInfo &) {}
  /// Whether the entry keeps states from run to run: of those that are written at positions the least number of these,
  /// INT64_MAX if there is none.
  virtual std::optional<int64_t> statePositions(const EntryInfo &) const { return std::nullopt; }

  /// What the entry keeps, and all that it holds of that now, in the same order.
  virtual std::vector<StateInfo> states(const EntryInfo &) const { return {}; }
  virtual std::vector<Bytes> readStates(const EntryInfo &) { return {}; }
  virtual void writeStates(const EntryInfo &, const std::vector<Bytes> &) {}

  /// Of the entry's runs so far; empty if there were none or the engine has no plan.
  virtual std::vector<RankMemory> memory(const EntryInfo &) { return {}; }

  /// Bytes that this process takes when it runs the entry, which has the parameters (keepParametersIn); without arenas if nothing is
  /// planned.
  virtual module::ProcessMemory processMemory(const EntryInfo &) const { return {}; }
  /// Processes that share this machine's memory in this run.
  virtual int64_t processesHere() const { return 1; }

  /// Slowest kernel first; empty unless the model is compiled to be profiled.
  virtual std::vector<KernelProfile> profile() { return {}; }

  /// Of the last run of the entry; only for engines opened to time tasks, which execute all of its ranks.
  virtual std::optional<RunTimes> lastRun(const EntryInfo &) { return std::nullopt; }

  /// Writes what was traced so far, as Chrome trace events (Trace.h). Only for engines opened to trace.
  virtual void writeTrace(const std::string &) {}

  /// Several processes may run one model together, each with an engine of its own, on which all of them call the same
  /// members in the same order. All have the same results; the one that leads tells and writes them.
  virtual bool leads() const { return true; }
  virtual int64_t numProcesses() const { return 1; }
  /// The largest of what the processes give.
  virtual int64_t agree(int64_t value) { return value; }
  /// The leader's bytes are everybody's afterwards; so are all of its parameters and moments.
  virtual void share(void *, size_t) {}
  virtual void shareParameters() {}
  /// Afterwards each process may read parameters and moments without the others, until the next run.
  virtual void gatherParameters() {}

  /// Floating-point operations of one run of the entry, 0 if unknown, and the threads that share them.
  virtual int64_t flopsPerRun(const EntryInfo &) const { return 0; }
  virtual int64_t numWorkers(const EntryInfo &) const { return 1; }

  /// Least extent of the axes that kernels gather from: an integer input below it is in range wherever it is a position.
  virtual int64_t smallestGather() const { return INT64_MAX; }

  const Origin &origin() const { return madeBy; }
  void setOrigin(const Origin &origin) { madeBy = origin; }
  /// What `step()` is in a run of an entry other than train. A gradient is that of the step that would follow.
  int64_t stepOf(const EntryInfo &entry) const { return madeBy.step + (entry.isGradient() ? 1 : 0); }

  /// The entry of that name, or nullptr.
  const EntryInfo *findEntry(std::string_view name) const;

  /// What the loss of the next step is multiplied by.
  const LossScale &lossScale() const {
    if (!scaleOfLoss)
      scaleOfLoss.emplace(optimizer());
    return *scaleOfLoss;
  }
  void setLossScale(const LossScale &scale) { scaleOfLoss = scale; }

protected:
  /// Behind a step whose loss and norm are known: whether it overflowed, and the scale of the next one.
  void updateLossScale(StepResult &result);

private:
  Origin madeBy;
  mutable std::optional<LossScale> scaleOfLoss;
};

/// Of all parameters, and of so many moments beside each trained one.
int64_t parameterBytes(const std::vector<ParameterInfo> &parameters, int numMoments);

/// sum += term, element by element, in the type's own arithmetic.
void addInOrder(ElementType type, int64_t count, void *sum, const void *term);

/// The value of an input that `isGivenByEngine`.
Bytes ownInput(std::string_view name, const TrainingStep &step);

/// A result of the batch from those of its samples, or of its micro-batches: the sum in order, of reals in f64, rounded once.
Bytes sumOfRows(const TensorInfo &info, const std::vector<const void *> &rows);

/// Likewise the losses of a step, from the rows of each micro-batch.
void setLosses(StepResult &result, ElementType real, const std::vector<std::vector<double>> &rows);

/// The entry, or an error that names it and those there are.
const EntryInfo &needEntry(const Engine &engine, const std::string &name);

} // namespace plc::runtime

#endif
