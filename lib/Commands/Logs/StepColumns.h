// The columns of a training log: one table for all formats.
#ifndef PLC_LIB_COMMANDS_LOGS_STEPCOLUMNS_H
#define PLC_LIB_COMMANDS_LOGS_STEPCOLUMNS_H

#include "plc/Runtime/Base/Engine.h"

#include <functional>
#include <optional>

namespace plc::runtime {

/// Means of eval's outputs over held-out data: with the parameters, and with their averages if the optimizer keeps
/// them.
struct HeldOutMeans {
  std::vector<double> means, ofAverages;
};

/// What a run knows about one step.
struct StepRecord {
  int64_t step;
  double loss;
  const StepResult &result;
  double milliseconds, itemsPerSecond;
  double learningRate;
  std::optional<HeldOutMeans> holdout; // if they were computed at this step
  std::optional<int64_t> skipped;      // steps that this run has left out so far, if this one is
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

/// A column of held-out means, for steps and for the summary.
struct HoldoutColumn {
  std::string name;
  std::vector<double> HeldOutMeans::*means;
  size_t index; // among the outputs of eval

  double of(const HeldOutMeans &holdout) const { return (holdout.*means)[index]; }
};
/// `holdout_loss`, then one for each other scalar output of eval; then `ema_holdout_loss` and so on, of the averages.
std::vector<HoldoutColumn> holdoutColumns(const Engine &engine);

} // namespace plc::runtime

#endif
