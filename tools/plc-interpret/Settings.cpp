//===- Settings.cpp - what `--set` says to the interpreter ----------------===//
#include "Settings.h"

#include <charconv>

namespace plc::interpret {
namespace {

using runtime::usageError;

template <typename T> T parseNumber(const std::string &key, const std::string &text, const char *expected) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0))
    throw usageError("found '" + text + "' for '" + key + "', expected " + expected);
  return value;
}

std::string unquoted(const std::string &text) {
  bool quoted = text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
  return quoted ? text.substr(1, text.size() - 2) : text;
}

void set(Settings &settings, const std::string &key, const std::string &text) {
  struct {
    const char *key;
    double &value;
  } numbers[] = {{"optimizer.lr", settings.optimizer.lr},
                 {"optimizer.weight_decay", settings.optimizer.weightDecay},
                 {"optimizer.beta1", settings.optimizer.beta1},
                 {"optimizer.beta2", settings.optimizer.beta2},
                 {"optimizer.eps", settings.optimizer.eps}};
  for (auto &number : numbers)
    if (key == number.key) {
      number.value = parseNumber<double>(key, text, "a number of at least 0");
      return;
    }
  if (key == "precision.compute") {
    settings.compute = unquoted(text);
    if (settings.compute != "f32" && settings.compute != "f64")
      throw usageError("found '" + settings.compute + "' for 'precision.compute', expected f32 or f64");
  } else if (key == "parallelism.micro_batches") {
    settings.microBatches = parseNumber<int64_t>(key, text, "an integer of at least 1");
    if (*settings.microBatches < 1)
      throw usageError("found '" + text + "' for '" + key + "', expected an integer of at least 1");
  } else {
    throw usageError("key '" + key + "' has no meaning here: the interpreter has no plan; it knows "
                     "precision.compute, parallelism.micro_batches and optimizer.lr, weight_decay, beta1, beta2, eps");
  }
}

} // namespace

Settings readSettings(const runtime::ModelRequest &request) {
  if (!request.strategy.empty())
    throw usageError("option '--strategy' has no meaning here: the interpreter has no plan; give single keys by --set");
  Settings settings;
  for (const std::string &text : request.sets) {
    size_t equal = text.find('=');
    set(settings, text.substr(0, equal), text.substr(equal + 1));
  }
  return settings;
}

} // namespace plc::interpret
