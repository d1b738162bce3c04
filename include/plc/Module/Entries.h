//===- Entries.h - what a caller of a model gives and gets ------*- C++ -*-===//
#ifndef PLC_MODULE_ENTRIES_H
#define PLC_MODULE_ENTRIES_H

#include "plc/Module/Tensors.h"
#include "plc/Support/ShardName.h"
#include "plc/Support/ProgramKind.h"
#include "plc/Support/ResultName.h"

#include <algorithm>
#include <optional>

namespace plc::module {

/// The distribution of a parameter's initial values (InitialValues.h draws them).
struct Initializer {
  /// In the order of their names, see `Choice` below.
  enum class Kind { Constant, Normal, Uniform };
  Kind kind = Kind::Constant;
  double value = 0;         // Constant
  double scale = 1;         // Normal: standard deviation, mean 0
  double low = 0, high = 1; // Uniform
};

/// A parameter, or a shard of one (ShardName.h).
struct ParameterInfo {
  std::string path;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  Initializer init;
  bool frozen = false;
  bool replaced = false;            ///< by what a step accumulates for it, in place of an update; it is frozen
  std::optional<ShardName> shard{}; ///< if it is a shard of a whole parameter; `path` is then its text
  int64_t rows = 0; ///< of more than two axes: the first ones that count the rows of a matrix, the others its columns;
                    ///< 0: the last two axes are those of a matrix

  TensorInfo tensor() const { return {path, type, shape}; }
  TensorInfo gradient() const { return {.name = gradientName(path), .type = type, .shape = shape, .gradientOf = path}; }
};

/// The entry that is `train` without its update. Engines make it; no module stores it.
inline constexpr const char *gradientEntry = "gradient";

/// One way to run the model: `train`, `eval`, `infer`, `infer.OUTPUT+..`, or `gradient`. Outputs of the last two may
/// include gradients. Shapes are those of the whole batch.
struct EntryInfo {
  std::string name;
  int64_t batch = 1;        // samples of a run
  int64_t microBatches = 1; // at most batch; if it does not divide it, the first ones have one sample more
  int64_t groups = 1;       // accumulation groups: runs of equally many micro-batches, whose sums are added in order
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;

  bool trains() const { return name == nameOfChoice(ProgramKind::train); }
  bool isGradient() const { return name == gradientEntry; }
  /// The index of an output; the number of outputs if there is none of that name.
  size_t findOutput(std::string_view output) const {
    auto found = std::find_if(outputs.begin(), outputs.end(), [&](const auto &each) { return each.name == output; });
    return static_cast<size_t>(found - outputs.begin());
  }
  /// The index of the gradient for an input or a parameter; `outputs.size()` if there is none.
  size_t findGradient(std::string_view of) const {
    auto found = std::find_if(outputs.begin(), outputs.end(), [&](const auto &each) { return each.gradientOf == of; });
    return static_cast<size_t>(found - outputs.begin());
  }

  /// The first sample of a micro-batch; of the number behind the last one, the batch.
  int64_t firstSample(int64_t microBatch) const {
    return microBatch * (batch / microBatches) + std::min(microBatch, batch % microBatches);
  }

  /// The accumulation group of a micro-batch.
  int64_t groupOf(int64_t microBatch) const { return microBatch * groups / microBatches; }
  /// Whether a micro-batch is the first of its accumulation group: it stores the sum to which the others add.
  bool beginsGroup(int64_t microBatch) const { return microBatch % (microBatches / groups) == 0; }

  /// Whether a micro-batch has one sample less than the first one.
  bool isShort(int64_t microBatch) const {
    int64_t longer = batch % microBatches;
    return longer != 0 && microBatch >= longer;
  }
};

} // namespace plc::module

template <>
struct plc::Choice<plc::module::Initializer::Kind> {
  static constexpr const char *noun = "initializer";
  static constexpr NamedRow table[] = {{"constant"}, {"normal"}, {"uniform"}};
  static std::span<const NamedRow> rows() { return table; }
};

#endif
