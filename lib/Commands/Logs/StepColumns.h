// The columns of a training log: one table for all formats.
#ifndef PLC_LIB_COMMANDS_LOGS_STEPCOLUMNS_H
#define PLC_LIB_COMMANDS_LOGS_STEPCOLUMNS_H

#include "plc/Runtime/Base/Engine.h"

#include <functional>
#include <optional>

namespace plc::runtime {

/// What a run knows about one step.
struct StepRecord {
  int64_t step;
  double loss;
  const StepResult &result;
  double milliseconds, itemsPerSecond;
  double learningRate;
  std::optional<std::vector<double>> holdout; // means of eval's outputs, if they were computed at this step
  std::optional<int64_t> skipped;             // steps that this run has left out so far, if this one is
};

/// The value of a column.
struct LogCell {
  std::string json;             // null for a number that is not finite
  std::optional<double> number; // if it is one

  /// As CSV has it: text without quotes, and names for what is not finite.
  std::string csv() const;
};

/// A cell of a real of that type: its shortest digits.
LogCell realCell(ElementType type, double value);

/// A column, by the name that it has in every format.
struct LogColumn {
  std::string name;
  std::function<std::optional<LogCell>(const StepRecord &)> cell; // nullopt if the step has none
  bool isList = false;                                            // JSON alone has it
};

/// The columns of a run, in their order.
std::vector<LogColumn> stepColumns(const Engine &engine);

/// Columns of held-out means, for steps and for the summary: `holdout_loss`, then one for each other scalar output of
/// eval. Each with its index among the outputs.
std::vector<std::pair<std::string, size_t>> holdoutColumns(const Engine &engine);

} // namespace plc::runtime

#endif
