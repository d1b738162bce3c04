#include "Log.h"

#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace plc::runtime {

std::string shortestDigits(ElementType type, double value) {
  if (!std::isfinite(value))
    return "null";
  char text[64];
  std::to_chars_result result = type == ElementType::F32
                                    ? std::to_chars(text, text + sizeof(text), static_cast<float>(value))
                                    : std::to_chars(text, text + sizeof(text), value);
  return std::string(text, result.ptr);
}

std::string bitsText(ElementType type, double value) {
  char text[17];
  if (type == ElementType::F32)
    std::snprintf(text, sizeof(text), "%08x", std::bit_cast<uint32_t>(static_cast<float>(value)));
  else
    std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(std::bit_cast<uint64_t>(value)));
  return text;
}

Log::Log(const std::string &file, bool append, Engine &engine) : engine(engine), real(engine.realType()), file(file) {
  if (file.empty())
    return;
  out = std::fopen(file.c_str(), append ? "a" : "w");
  if (!out)
    throw fileError(file, std::string("cannot be written: ") + std::strerror(errno));
  if (!append || std::ftell(out) == 0)
    writeLine("{\"plan\": " + engine.planJson() + "}");
}

Log::~Log() {
  if (out)
    std::fclose(out);
}

void Log::writeLine(const std::string &line) {
  if (!out)
    return;
  if (std::fprintf(out, "%s\n", line.c_str()) < 0 || std::fflush(out) != 0)
    throw fileError(file, std::string("cannot be written: ") + std::strerror(errno));
}

void Log::step(const StepRecord &record) {
  if (!out)
    return;
  auto digits = [](double value) { return shortestDigits(ElementType::F64, value); };
  std::string losses;
  for (double loss : record.result.microBatchLosses)
    losses += (losses.empty() ? "" : ", ") + shortestDigits(real, loss);
  writeLine("{\"step\": " + std::to_string(record.step) + ", \"loss\": " + shortestDigits(real, record.loss) +
            ", \"loss_bits\": \"" + bitsText(real, record.loss) + "\", \"micro_batch_losses\": [" + losses +
            "], \"grad_norm\": " + digits(record.result.gradNorm) + ", \"ms\": " + digits(record.milliseconds) +
            ", \"items_per_s\": " + digits(record.itemsPerSecond) + "}");
}

void Log::summary(int64_t steps, std::optional<double> loss, std::optional<double> holdoutLoss) {
  if (!out)
    return;
  std::string ranks;
  for (const RankMemory &rank : engine.memory(*engine.findEntry("train")))
    ranks += std::string(ranks.empty() ? "" : ", ") + "{\"rank\": " + std::to_string(rank.rank) +
             ", \"planned_bytes\": " + std::to_string(rank.plannedBytes) +
             ", \"measured_bytes\": " + std::to_string(rank.measuredBytes) +
             ", \"outside_bound\": " + std::to_string(rank.outsideBound) +
             ", \"outside_measured\": " + std::to_string(rank.outsideMeasured) + "}";
  std::string kernels;
  for (const KernelProfile &kernel : engine.profile())
    kernels += std::string(kernels.empty() ? "" : ", ") + "{\"kernel\": " + nlohmann::json(kernel.kernel).dump() +
               ", \"where\": " + nlohmann::json(kernel.where).dump() + ", \"calls\": " + std::to_string(kernel.calls) +
               ", \"ms\": " + shortestDigits(ElementType::F64, static_cast<double>(kernel.nanoseconds) / 1e6) +
               ", \"bytes\": " + std::to_string(kernel.bytes) + "}";
  writeLine("{\"summary\": {\"steps\": " + std::to_string(steps) +
            ", \"loss\": " + (loss ? shortestDigits(real, *loss) : "null") +
            ", \"holdout_loss\": " + (holdoutLoss ? shortestDigits(ElementType::F64, *holdoutLoss) : "null") +
            ", \"ranks\": [" + ranks + "]" + (kernels.empty() ? "" : ", \"kernels\": [" + kernels + "]") + "}}");
}

} // namespace plc::runtime
