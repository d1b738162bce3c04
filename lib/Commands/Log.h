// The log of a training run: one JSON object per line.
#ifndef PLC_LIB_COMMANDS_LOG_H
#define PLC_LIB_COMMANDS_LOG_H

#include "plc/Runtime/Base/Engine.h"
#include "plc/Runtime/Base/ShortestDigits.h"
#include "plc/Runtime/Tensors/Checkpoint.h"

#include <cstdio>
#include <optional>

namespace plc::runtime {

/// A line about one step.
struct StepRecord {
  int64_t step;
  double loss;
  const StepResult &result;
  double milliseconds, itemsPerSecond;
  double learningRate;
  std::optional<double> holdoutLoss; // if it was computed at this step
  std::optional<int64_t> skipped;    // steps that this run has left out so far, if this one is
};

/// Writes the log (docs/running.md). Each line is flushed, so a killed run loses at most one. Only the leader writes.
class Log {
public:
  /// An empty name: no log; `-`: stdout. `append` continues an earlier log; else the file starts anew with the plan.
  /// Throws fileError.
  Log(const std::string &file, bool append, Engine &engine);
  ~Log();
  Log(const Log &) = delete;

  /// A line if the run continues with another program, whose plan follows, or with other data.
  void resume(int64_t step, const std::optional<KeyChange> &change, const std::optional<DataLengths> &before,
              const std::optional<DataLengths> &now);
  /// Planned bytes of this process, for the summary.
  void planBytes(int64_t bytes) { plannedBytes = bytes; }
  void step(const StepRecord &record);
  /// The last line. Collective. `skipped`: steps that this run has left out, if it may leave some out.
  void summary(int64_t steps, std::optional<double> loss, std::optional<double> holdoutLoss,
               std::optional<int64_t> skipped);

private:
  void writeLine(const std::string &line);

  Engine &engine;
  ElementType real;
  std::string file;
  std::FILE *out = nullptr;
  int64_t plannedBytes = 0; // of this process; 0: no plan
};

} // namespace plc::runtime

#endif
