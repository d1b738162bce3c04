// Names and values of columns.
#include "Logs/StepColumns.h"

#include "plc/Runtime/Base/MachineShare.h"
#include "plc/Runtime/Base/ShortestDigits.h"

#include <cmath>

namespace plc::runtime {

namespace {

LogCell real(double value) { return realCell(ElementType::F64, value); }

LogCell integer(int64_t value) { return {std::to_string(value), static_cast<double>(value)}; }

/// Tokens of a sample: the positions of the first integer input [B, S]. Nullopt if there is none.
std::optional<int64_t> tokensPerSample(const Engine &engine) {
  const EntryInfo *train = engine.findEntry("train");
  for (const TensorInfo &input : train ? train->inputs : std::vector<TensorInfo>())
    if (kindOf(input.type) == ElementKind::Integer && input.batchAxis == 0 && input.shape.size() == 2)
      return input.shape[1];
  return std::nullopt;
}

} // namespace

std::string LogCell::csv() const {
  if (number && !std::isfinite(*number))
    return std::isnan(*number) ? "nan" : *number > 0 ? "inf" : "-inf";
  return json.starts_with('"') ? json.substr(1, json.size() - 2) : json;
}

LogCell realCell(ElementType type, double value) {
  return {std::isfinite(value) ? shortestDigits(type, value) : "null", value};
}

/// The scalar outputs of an entry with their numbers, the loss first.
static std::vector<std::pair<std::string, size_t>> scalarOutputs(const EntryInfo *entry, const std::string &prefix) {
  std::vector<std::pair<std::string, size_t>> columns;
  for (size_t i = 0; entry && i < entry->outputs.size(); ++i) {
    bool isLoss = entry->outputs[i].name == lossName;
    if (isLoss || entry->outputs[i].shape.empty()) // IR may have outputs that are no scalars
      columns.insert(isLoss ? columns.begin() : columns.end(), {prefix + entry->outputs[i].name, i});
  }
  return columns;
}

std::vector<HoldoutColumn> holdoutColumns(const Engine &engine) {
  std::vector<HoldoutColumn> columns;
  for (const auto &[name, index] : scalarOutputs(engine.findEntry("eval"), "holdout_"))
    columns.push_back({name, &HeldOutMeans::means, index});
  for (size_t i = 0, count = engine.optimizer().keepsAverages() ? columns.size() : 0; i < count; ++i)
    columns.push_back({"ema_" + columns[i].name, &HeldOutMeans::ofAverages, columns[i].index});
  return columns;
}

std::vector<LogColumn> stepColumns(const Engine &engine) {
  const ElementType type = engine.realType();
  std::vector<LogColumn> columns;
  auto add = [&](std::string name, std::function<std::optional<LogCell>(const StepRecord &)> cell) -> LogColumn & {
    return columns.emplace_back(std::move(name), std::move(cell));
  };
  add("step", [](const StepRecord &record) { return integer(record.step); });
  add("loss", [type](const StepRecord &record) { return realCell(type, record.loss); });
  add("loss_bits",
      [type](const StepRecord &record) { return LogCell{"\"" + bitsText(type, record.loss) + "\"", std::nullopt}; });
  add("micro_batch_losses", [type](const StepRecord &record) {
    std::string list;
    for (double loss : record.result.microBatchLosses)
      list += (list.empty() ? "" : ", ") + realCell(type, loss).json;
    return LogCell{"[" + list + "]", std::nullopt};
  }).isList = true;
  for (const auto &[name, index] : scalarOutputs(engine.findEntry("train"), "train_"))
    if (name != std::string("train_") + std::string(lossName))
      add(name, [index = index](const StepRecord &record) { return real(record.result.scalars[index]); });
  add("grad_norm", [](const StepRecord &record) { return real(record.result.gradNorm); });
  // Named as the keys of the groups: `optimizer.group.0`.
  for (size_t group = 0, count = engine.optimizer().groups.size(); group <= count && count; ++group)
    add("grad_norm." + (group < count ? std::to_string(group) : "rest"),
        [group](const StepRecord &record) { return real(record.result.groupNorms[group]); });
  add("ms", [](const StepRecord &record) { return real(record.milliseconds); });
  add("items_per_s", [](const StepRecord &record) { return real(record.itemsPerSecond); });
  if (std::optional<int64_t> tokens = tokensPerSample(engine))
    add("tokens_per_s", [tokens](const StepRecord &record) {
      return real(std::round(record.itemsPerSecond * static_cast<double>(*tokens)));
    });
  add("lr", [](const StepRecord &record) { return real(record.learningRate); });
  add("memory_bytes", [](const StepRecord &) { return integer(residentBytes()); });
  for (const HoldoutColumn &column : holdoutColumns(engine))
    add(column.name, [column](const StepRecord &record) {
      return record.holdout ? std::optional(real(column.of(*record.holdout))) : std::nullopt;
    });
  if (engine.optimizer().scalesLoss)
    add("loss_scale", [](const StepRecord &record) { return real(record.result.lossScale); });
  add("skipped",
      [](const StepRecord &record) { return record.skipped ? std::optional(integer(*record.skipped)) : std::nullopt; });
  return columns;
}

} // namespace plc::runtime
