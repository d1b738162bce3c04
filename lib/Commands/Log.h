// The log of a training run: one JSON object per line.
#ifndef PLC_LIB_COMMANDS_LOG_H
#define PLC_LIB_COMMANDS_LOG_H

#include "plc/Runtime/Base/Engine.h"
#include "plc/Runtime/Base/ShortestDigits.h"
#include "plc/Runtime/Tensors/Checkpoint.h"

#include <cstdio>
#include <optional>

namespace plc::runtime {

struct StepRecord {
  int64_t step;
  double loss;
  const StepResult &result;
  double milliseconds, itemsPerSecond;
  double learningRate;
  std::optional<double> holdoutLoss; // where it was asked for
  std::optional<int64_t> skipped;    // steps of this run so far, if it was left out
};

class Log {
public:
  /// An empty file name logs nothing, `-` to the standard output. `append` continues an earlier log, else the file starts anew with the plan.
  Log(const std::string &file, bool append, Engine &engine);
  ~Log();
  Log(const Log &) = delete;

  /// A run that goes on with another program, whose plan follows, or with other data.
  void resume(int64_t step, const std::optional<KeyChange> &change, const std::optional<DataLengths> &before,
              const std::optional<DataLengths> &now);
  /// Of this process, for the summary.
  void planBytes(int64_t bytes) { plannedBytes = bytes; }
  void step(const StepRecord &record);
  /// `skipped`: steps of this run that were left out, where some may be.
  void summary(int64_t steps, std::optional<double> loss, std::optional<double> holdoutLoss,
               std::optional<int64_t> skipped);

private:
  void writeLine(const std::string &line);

  Engine &engine;
  ElementType real;
  std::string file;
  std::FILE *out = nullptr;
  int64_t plannedBytes = 0; // of this process; 0: nothing is planned
};

} // namespace plc::runtime

#endif
