#include "Overwrites.h"

#include "Files.h"

#include <algorithm>
#include <filesystem>

namespace plc::runtime {

namespace fs = std::filesystem;

namespace {

/// An option, or the model, with the file or folder that it names.
struct Named {
  std::string what, file;

  std::string text() const { return "'" + what + " " + file + "'"; }
};

/// A device or a pipe is no file that is lost, and the standard output none at all.
bool holdsBytes(const std::string &file) {
  std::error_code ignored;
  fs::file_status status = fs::status(file, ignored);
  return !file.empty() && file != "-" && (!fs::exists(status) || fs::is_regular_file(status));
}

/// One file by two names, or tensors in a folder, where a log may stand beside them.
bool isIn(const std::string &file, const std::string &place) {
  std::error_code ignored;
  if (fs::equivalent(file, place, ignored))
    return true;
  fs::path whole = fs::weakly_canonical(fs::absolute(file), ignored);
  fs::path root = fs::weakly_canonical(fs::absolute(place), ignored);
  if (whole == root)
    return true;
  bool isUnder = std::mismatch(root.begin(), root.end(), whole.begin(), whole.end()).first == root.end();
  return isUnder && whole.filename().string().find(".safetensors") != std::string::npos;
}

std::vector<Named> filesRead(const Options &options) {
  std::vector<Named> files = {{"--strategy", options.model.strategy}, {"--cluster", options.model.cluster},
                              {"--hostfile", options.model.hostfile}, {"--map", options.mapFile},
                              {"--tokenizer", options.tokenizer},     {"--prefill", options.prefill},
                              {"--params", options.params},           {"--resume", options.resume}};
  for (const DataOption &option : options.data)
    for (const std::string &name : option.names())
      files.push_back({"--data", name});
  for (const TensorOption &option : options.inputs)
    files.push_back({"--input", option.place.file});
  for (const TensorOption &option : options.expects)
    files.push_back({"--expect", option.place.file});
  return files;
}

} // namespace

void checkOverwrites(const Options &options) {
  std::vector<Named> written;
  for (const Named &each : {Named{"--log", options.log}, Named{"--trace", options.model.trace}})
    if (holdsBytes(each.file))
      written.push_back(each);
  if (written.empty())
    return;
  std::vector<Named> read = filesRead(options);
  for (const Named &each : written) {
    if (isIn(each.file, options.model.file))
      throw usageError(each.text() + " would overwrite the model");
    for (const Named &other : read)
      if (!other.file.empty() && isIn(each.file, other.file))
        throw usageError(each.text() + " would overwrite what " + other.text() + " reads");
  }
  for (const TensorOption &option : options.outputs)
    if (holdsBytes(option.place.file))
      written.push_back({"--output", option.place.file});
  for (size_t i = 1; i < written.size(); ++i)
    if (isIn(written[i].file, written[0].file))
      throw usageError(written[0].text() + " and " + written[i].text() + " would write one file");
}

} // namespace plc::runtime
