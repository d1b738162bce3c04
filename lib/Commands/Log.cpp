// Lines of JSON with numbers in their shortest digits.
#include "Log.h"

#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Base/MachineShare.h"

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plc::runtime {

namespace {

constexpr const char *logBegin = "{\"plan\": ";

using Json = nlohmann::ordered_json;

/// A number with the digits of shortestDigits, which read back as the same value of its type; null if it is not finite.
Json numberOf(ElementType type, double value) {
  // Through text: the double nearest to the digits of an f32 has the same shortest digits.
  return std::isfinite(value) ? Json(std::strtod(shortestDigits(type, value).c_str(), nullptr)) : Json();
}

Json numberOf(double value) { return numberOf(ElementType::F64, value); }

/// One line of JSON, with a space after each comma and colon, and every number in its shortest digits.
std::string lineOf(const Json &value) {
  if (value.is_number_float())
    return shortestDigits(ElementType::F64, value.get<double>());
  if (!value.is_structured())
    return value.dump();
  std::string text;
  for (const auto &[key, member] : value.items())
    text += (text.empty() ? "" : ", ") + (value.is_object() ? Json(key).dump() + ": " : "") + lineOf(member);
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

/// Throws unless a file is a log or empty: to continue another file would cut its last line.
void checkLog(const std::string &file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || std::filesystem::file_size(file, ignored) == 0)
    return;
  std::string begin(std::string_view(logBegin).size(), '\0');
  std::ifstream in(file);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(in.gcount())); // the first line may be cut
  if (!std::string_view(logBegin).starts_with(begin))
    throw fileError(file, "is no log, with which '--resume' could go on");
}

} // namespace

Log::Log(const std::string &file, bool append, Engine &engine) : engine(engine), real(engine.realType()), file(file) {
  if (file.empty() || !engine.leads())
    return;
  bool isFile = file != "-";
  if (append && isFile) {
    checkLog(file);
    dropCutLine(file);
  }
  out = isFile ? std::fopen(file.c_str(), append ? "a" : "w") : stdout;
  if (!out)
    throw fileError(file, std::string("cannot be written: ") + std::strerror(errno));
  if (!append || !isFile || std::ftell(out) == 0)
    writeLine(logBegin + engine.planJson() + "}");
}

Log::~Log() {
  if (out && out != stdout)
    std::fclose(out);
}

void Log::writeLine(const std::string &line) {
  if (!out)
    return;
  if (std::fprintf(out, "%s\n", line.c_str()) < 0 || std::fflush(out) != 0)
    throw fileError(file, std::string("cannot be written: ") + std::strerror(errno));
}

void Log::resume(int64_t step, const std::optional<KeyChange> &change, const std::optional<DataLengths> &before,
                 const std::optional<DataLengths> &now) {
  Json line{{"after_step", step}};
  if (change)
    line["numerics_key_before"] = change->keyBefore;
  if (before && before->rows != now->rows)
    line["rows_before"] = before->rows, line["rows"] = now->rows;
  if (before && before->elements != now->elements)
    line["elements_before"] = before->elements, line["elements"] = now->elements;
  if (line.size() == 1)
    return;
  writeLine(lineOf({{"resume", std::move(line)}}));
  if (change)
    writeLine(logBegin + engine.planJson() + "}");
}

void Log::step(const StepRecord &record) {
  if (!out)
    return;
  Json losses = Json::array();
  for (double loss : record.result.microBatchLosses)
    losses.push_back(numberOf(real, loss));
  Json line{{"step", record.step},
            {"loss", numberOf(real, record.loss)},
            {"loss_bits", bitsText(real, record.loss)},
            {"micro_batch_losses", std::move(losses)},
            {"grad_norm", numberOf(record.result.gradNorm)},
            {"ms", numberOf(record.milliseconds)},
            {"items_per_s", numberOf(record.itemsPerSecond)},
            {"lr", numberOf(record.learningRate)},
            {"memory_bytes", residentBytes()}};
  if (record.holdoutLoss)
    line["holdout_loss"] = numberOf(*record.holdoutLoss);
  if (engine.optimizer().scalesLoss)
    line["loss_scale"] = numberOf(record.result.lossScale);
  if (record.skipped)
    line["skipped"] = *record.skipped;
  writeLine(lineOf(line));
}

void Log::summary(int64_t steps, std::optional<double> loss, std::optional<double> holdoutLoss,
                  std::optional<int64_t> skipped) {
  if (file.empty()) // processes without `out` go on: they send the leader what they measured
    return;
  Json ranks = Json::array(), kernels = Json::array();
  for (const RankMemory &rank : engine.memory(*engine.findEntry("train")))
    ranks.push_back({{"rank", rank.rank},
                     {"planned_bytes", rank.plannedBytes},
                     {"measured_bytes", rank.measuredBytes},
                     {"outside_bound", rank.outsideBound},
                     {"outside_measured", rank.outsideMeasured}});
  for (const KernelProfile &kernel : engine.profile())
    kernels.push_back({{"kernel", kernel.kernel},
                       {"where", kernel.where},
                       {"calls", kernel.calls},
                       {"ms", numberOf(static_cast<double>(kernel.nanoseconds) / 1e6)},
                       {"bytes", kernel.bytes},
                       {"median_ns", kernel.medianNs},
                       {"predicted_ns", kernel.predictedNs}});
  Json summary{{"steps", steps},
               {"loss", loss ? numberOf(real, *loss) : Json()},
               {"holdout_loss", holdoutLoss ? numberOf(*holdoutLoss) : Json()},
               {"ranks", std::move(ranks)}};
  if (skipped)
    summary["skipped"] = *skipped;
  if (plannedBytes)
    summary["process"] = {{"planned_bytes", plannedBytes}, {"measured_bytes", peakResidentBytes()}};
  if (!kernels.empty())
    summary["kernels"] = std::move(kernels);
  writeLine(lineOf({{"summary", std::move(summary)}}));
}

} // namespace plc::runtime
