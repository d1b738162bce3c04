// Compares the files that a run reads with those that it writes.
#include "Overwrites.h"

#include "Logs/EventFile.h"
#include "plc/Runtime/Base/Files.h"

#include <algorithm>
#include <filesystem>

namespace plc::runtime {

namespace fs = std::filesystem;

namespace {

/// A file or folder, with its option for people.
struct Named {
  std::string what, file;
};

/// Whether bytes could be lost: not for a device, a pipe or stdout.
bool holdsBytes(const std::string &file) {
  std::error_code ignored;
  fs::file_status status = fs::status(file, ignored);
  return !file.empty() && file != "-" && (!fs::exists(status) || fs::is_regular_file(status));
}

/// Whether two names are one file, or the first is a tensor file in the folder `place`. A log may lie in that folder.
bool isIn(const std::string &file, const std::string &location) {
  std::error_code ignored;
  if (fs::equivalent(file, location, ignored))
    return true;
  fs::path whole = fs::weakly_canonical(fs::absolute(file, ignored), ignored);
  fs::path root = fs::weakly_canonical(fs::absolute(location, ignored), ignored);
  if (whole == root)
    return true;
  bool isUnder = std::mismatch(root.begin(), root.end(), whole.begin(), whole.end()).first == root.end();
  return isUnder && whole.filename().string().find(".safetensors") != std::string::npos;
}

std::string quotedOption(const char *flag, const std::string &file) {
  return "'" + std::string(flag) + " " + file + "'";
}

std::vector<Named> filesRead(const Options &options) {
  std::vector<Named> files;
  auto add = [&](const std::string &what, const std::string &file) {
    if (!file.empty())
      files.push_back({what, file});
  };
  auto addOption = [&](const char *flag, const std::string &file) {
    add("what " + quotedOption(flag, file) + " reads", file);
  };
  add("the model", options.model.file);
  addOption("--strategy", options.model.strategy);
  addOption("--cluster", options.model.cluster);
  addOption("--hostfile", options.model.hostfile);
  addOption("--map", options.mapFile);
  addOption("--config", options.model.config);
  addOption("--params-map", options.paramsMapFile);
  addOption("--tokenizer", options.tokenizer);
  addOption("--prefill", options.prefill);
  addOption("--prompts", options.promptsFile);
  addOption("--params", options.params);
  addOption("--resume", options.resume);
  for (const auto *list : {&options.data, &options.evalData})
    for (const DataOption &option : *list)
      for (const std::string &name : option.names())
        addOption(option.flag, name);
  for (const TensorOption &option : options.inputs)
    addOption("--input", option.location.file);
  for (const TensorOption &option : options.expects)
    addOption("--expect", option.location.file);
  return files;
}

} // namespace

void checkOverwrites(const Options &options) {
  std::vector<Named> written;
  auto add = [&](const char *flag, const std::string &file) {
    if (holdsBytes(file))
      written.push_back({quotedOption(flag, file), file});
  };
  add("--log", options.log);
  add("--log-csv", options.logCsv);
  add("--trace", options.model.trace);
  add("--export", options.exportFile);
  const size_t logs = written.size();
  if (written.empty())
    return;
  std::vector<Named> read = filesRead(options);
  for (const Named &each : written)
    for (const Named &other : read)
      if (isIn(each.file, other.file))
        throw usageError(each.what + " would overwrite " + other.what);
  for (const TensorOption &option : options.outputs)
    add("--output", option.location.file);
  for (size_t i = 1; i < written.size(); ++i)
    for (size_t j = 0; j < std::min(i, logs); ++j)
      if (isIn(written[i].file, written[j].file))
        throw usageError(written[j].what + " and " + written[i].what + " would write one file");
}

void refuseFormer(const char *flag, const std::string &file, const Options &options, const char *goesOn) {
  std::error_code ignored;
  if (options.overwrites || !holdsBytes(file) || !fs::exists(file, ignored) || fs::file_size(file, ignored) == 0)
    return;
  throw usageError("found " + quotedOption(flag, file) + ", which holds something already: " + goesOn +
                   "'--overwrite' replaces it");
}

void refuseFormerLogs(const Options &options) {
  constexpr const char *goesOn = "'--resume DIR' goes on with the log of a run, ";
  refuseFormer("--log", options.log, options, goesOn);
  refuseFormer("--log-csv", options.logCsv, options, goesOn);
  if (!options.overwrites && !options.logEvents.empty() && !EventFile::filesIn(options.logEvents).empty())
    throw usageError("found " + quotedOption("--log-tensorboard", options.logEvents) +
                     ", which has events already: " + goesOn + "'--overwrite' replaces them");
}

} // namespace plc::runtime
