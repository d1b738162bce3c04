#include "Checkpoint.h"

#include "FileFormats.h"
#include "LoadParameters.h"
#include "Log.h"
#include "ProcessState.h"
#include "Safetensors.h"
#include "plc/Runtime/InitialValues.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sys/file.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace plc::runtime {

namespace {

constexpr std::string_view stepPrefix = "step-", partialPrefix = ".partial-";
constexpr const char *latestLink = "latest", *paramsFile = "params.safetensors", *stateFile = "state.safetensors";
constexpr const char *stepKey = "step"; // of both files
constexpr const char *windowsKey = "windows", *holdoutKey = "holdout", *roundingKey = "rounding";
constexpr const char *momentNames[] = {"moment1.", "moment2."};

/// Throws where that cannot be found out: for a folder that may not be read, say, or links in a circle.
bool isThere(const fs::path &path) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none)
    throw fileError(path, "cannot be read: " + error.message());
  return fs::exists(status);
}

/// DIR/latest or the folder itself, for one of its own files.
fs::path findStep(const std::string &directory, const char *file) {
  fs::path path(directory);
  if (isThere(path / file))
    return path;
  if (isThere(path / latestLink / file))
    return path / latestLink;
  if (!isThere(path))
    throw fileError(directory, std::string("cannot be read: ") + std::strerror(ENOENT));
  throw fileError(directory, std::string("holds neither '") + file + "' nor 'latest/" + file + "'");
}

void syncDirectory(const fs::path &directory) {
  int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  ::fsync(fd);
  ::close(fd);
}

/// Moves a folder to a place where an earlier run may have left one. There is a whole one at any time: the two change
/// places, and the old one is removed.
void replaceFolder(const fs::path &made, const fs::path &place) {
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) {
    syncDirectory(place.parent_path());
    std::error_code ignored;
    fs::remove_all(made, ignored);
    return;
  }
  if (errno != ENOENT) // a file system that cannot do this
    fs::remove_all(place);
  fs::rename(made, place);
}

/// The number behind a prefix, if the name is nothing else.
std::optional<int64_t> numberIn(const fs::path &path, std::string_view prefix) {
  std::string name = path.filename();
  int64_t number = 0;
  if (!name.starts_with(prefix))
    return std::nullopt;
  const char *end = name.data() + name.size();
  auto parsed = std::from_chars(name.data() + prefix.size(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

/// DIR's folders of steps, by their numbers.
std::vector<std::pair<int64_t, fs::path>> savedSteps(const fs::path &directory) {
  std::vector<std::pair<int64_t, fs::path>> saved;
  std::error_code ignored;
  for (const fs::directory_entry &entry : fs::directory_iterator(directory, ignored))
    if (auto step = numberIn(entry.path(), stepPrefix))
      saved.emplace_back(*step, entry.path());
  std::sort(saved.begin(), saved.end());
  return saved;
}

/// Removes what was left by processes that ended while they saved.
void removePartial(const fs::path &directory) {
  std::error_code ignored;
  for (const fs::directory_entry &entry : fs::directory_iterator(directory, ignored)) {
    auto process = numberIn(entry.path(), partialPrefix);
    if (process && !isAlive(*process))
      fs::remove_all(entry.path(), ignored);
  }
}

using Metadata = std::map<std::string, std::string>;

/// Both files of a checkpoint say of which step they are. An earlier program left that out of the parameters.
void checkSteps(const fs::path &step, const Metadata &params, const Metadata &state) {
  auto ofParams = params.find(stepKey), ofState = state.find(stepKey);
  if (ofParams != params.end() && ofState != state.end() && ofParams->second != ofState->second)
    throw fileError(step / paramsFile, "is of step " + ofParams->second + ", but '" + stateFile +
                                           "' beside it of step " + ofState->second + ": they are of two checkpoints");
}

bool isWhole(const fs::path &step) {
  try {
    checkSteps(step, SafetensorsFile(step / paramsFile).metadata, SafetensorsFile(step / stateFile).metadata);
    return true;
  } catch (const Error &) {
    return false;
  }
}

/// Adds to an error about a checkpoint that is not whole which of those beside it could be taken instead.
void offerNewest(const std::string &directory, Error &error) {
  fs::path given(directory);
  std::error_code none;
  if (!given.has_filename() || given.filename() == latestLink || fs::is_regular_file(given, none))
    given = given.parent_path();
  bool isStep = numberIn(given, stepPrefix).has_value();
  fs::path tried = isStep ? given : given / latestLink;
  if (isWhole(tried))
    return;
  // To read a checkpoint takes long where its hashes cover many bytes, so the one that is not whole is not read again.
  auto saved = savedSteps(isStep ? given.parent_path() : given);
  auto newest = std::find_if(saved.rbegin(), saved.rend(), [&](const auto &step) {
    return !fs::equivalent(step.second, tried, none) && isWhole(step.second);
  });
  if (newest != saved.rend())
    error.note("the newest whole checkpoint beside it is '" + newest->second.string() + "'");
}

/// The number that our own writer stored under `key` in the metadata.
template <class T>
T readNumber(const std::string &file, const SafetensorsFile &state, const std::string &key) {
  auto found = state.metadata.find(key);
  if (found == state.metadata.end())
    throw fileError(file, "metadata '" + key + "' is missing");
  const std::string &text = found->second;
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw fileError(file, "found '" + text + "' as metadata '" + key + "', expected a number");
  return value;
}

std::optional<WindowOrder> readWindows(const std::string &file, const SafetensorsFile &state) {
  auto found = state.metadata.find(windowsKey);
  if (found == state.metadata.end())
    return std::nullopt;
  if (auto order = parseChoice<WindowOrder>(found->second))
    return order;
  throw fileError(file, "found '" + found->second + "' as metadata '" + windowsKey + "', expected " +
                            listChoices<WindowOrder>("'", " or "));
}

/// What a strategy says of the numerics key, for those who find that two keys differ.
std::string describeRounding(const Engine &engine) {
  std::string text(nameOf(engine.realType()));
  if (const EntryInfo *train = engine.findEntry("train"))
    text += ", batch " + std::to_string(train->batch) + ", micro-batches " + std::to_string(train->microBatches) +
            ", lanes " + std::to_string(train->lanes);
  return text;
}

void checkKey(const std::string &file, const SafetensorsFile &state, const Engine &engine) {
  std::string key = state.metadata.count("numerics_key") ? state.metadata.at("numerics_key") : "";
  if (key == engine.numericsKey())
    return;
  Error error = fileError(file, "numerics key '" + key + "' differs from the model's '" + engine.numericsKey() + "'");
  std::string here = describeRounding(engine);
  auto saved = state.metadata.find(roundingKey);
  if (saved != state.metadata.end() && saved->second != here)
    error.note("saved by a run of " + saved->second + "; the model has " + here);
  else
    error.note("the model's rules, sizes, precision, micro-batches, lanes or parts of a shard differ");
  throw error;
}

std::optional<double> readHoldout(const std::string &file, const SafetensorsFile &state) {
  if (!state.metadata.count(holdoutKey))
    return std::nullopt;
  auto part = readNumber<double>(file, state, holdoutKey);
  if (!(part >= 0 && part < 1))
    throw fileError(file, "found '" + state.metadata.at(holdoutKey) + "' as metadata '" + holdoutKey +
                              "', expected a number from 0 to below 1");
  return part;
}

Safetensors collectParameters(const TrainingState &training, Engine &engine) {
  Safetensors params;
  params.metadata[stepKey] = std::to_string(training.step);
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    TensorInfo info = engine.parameters()[i].tensor();
    Tensor tensor{info, Bytes(info.numBytes())};
    engine.readParameter(i, tensor.data.data());
    params.tensors[info.name] = std::move(tensor);
  }
  return params;
}

Safetensors collectState(const TrainingState &training, Engine &engine) {
  Safetensors state;
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    if (engine.parameters()[i].frozen)
      continue;
    for (int which = 1; which <= engine.optimizer().numMoments(); ++which) {
      TensorInfo info = engine.parameters()[i].tensor();
      info.name = momentNames[which - 1] + info.name;
      Tensor tensor{info, Bytes(info.numBytes())};
      engine.readMoment(i, which, tensor.data.data());
      state.tensors[info.name] = std::move(tensor);
    }
  }
  state.metadata[stepKey] = std::to_string(training.step);
  state.metadata["seed"] = std::to_string(training.seed);
  if (training.windows)
    state.metadata[windowsKey] = nameOfChoice(*training.windows);
  if (training.holdout)
    state.metadata[holdoutKey] = shortestDigits(ElementType::F64, *training.holdout);
  state.metadata["numerics_key"] = engine.numericsKey();
  state.metadata[roundingKey] = describeRounding(engine);
  state.metadata["optimizer"] = nameOfChoice(engine.optimizer().kind);
  return state;
}

} // namespace

/// Where a system cannot lock, as on some network's disk, several runs may save. A lock ends with its process.
static int lockFolder(const std::string &directory) {
  int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(fd);
    throw fileError(directory, "another run saves here: name another folder with '--save', or wait for it");
  }
  return fd;
}

SaveFolder::SaveFolder(const std::string &directory, const std::function<bool(int64_t step)> &saves) {
  fs::path root(directory), link = root / latestLink;
  std::error_code error;
  fs::create_directories(root, error);
  if (!error && ::access(directory.c_str(), W_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error)
    throw fileError(directory, "checkpoint cannot be written: " + error.message());
  if (isThere(root / stateFile))
    throw usageError("found '--save " + directory +
                     "', which is a checkpoint: name the folder that holds it, or another one");
  if (fs::is_directory(fs::symlink_status(link, error)))
    throw fileError(link, "is a folder of its own, where the link to the newest checkpoint is to be");
  for (const auto &[step, path] : savedSteps(root))
    if (saves(step) && !fs::exists(path / stateFile, error))
      throw fileError(path, "is no checkpoint, and would be replaced by that of step " + std::to_string(step) +
                                ": move it, or name another folder with '--save'");
  descriptor = lockFolder(directory);
  removePartial(directory);
}

SaveFolder::~SaveFolder() {
  if (descriptor >= 0)
    ::close(descriptor);
}

std::string saveCheckpoint(const std::string &directory, const TrainingState &state, Engine &engine) {
  fs::path root(directory), step = root / (std::string(stepPrefix) + std::to_string(state.step));
  fs::path partial = root / (std::string(partialPrefix) + std::to_string(::getpid())), link = root / ".partial-latest";
  engine.gatherParameters();
  if (!engine.leads())
    return step;
  try {
    fs::create_directories(partial);
    collectParameters(state, engine).write(partial / paramsFile);
    collectState(state, engine).write(partial / stateFile);
    syncDirectory(partial);
    replaceFolder(partial, step);
    fs::remove(link);
    fs::create_directory_symlink(step.filename(), link);
    fs::rename(link, root / latestLink);
    syncDirectory(root);
  } catch (const fs::filesystem_error &error) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    throw fileError(directory, "checkpoint cannot be written: " + error.code().message());
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    throw;
  }
  return step;
}

void keepCheckpoints(const std::string &directory, int64_t count, int64_t step) {
  auto saved = savedSteps(directory);
  // A folder of that name may be somebody's own.
  std::error_code error;
  std::erase_if(saved,
                [&](const auto &each) { return each.first > step || !fs::exists(each.second / stateFile, error); });
  for (int64_t i = 0, surplus = static_cast<int64_t>(saved.size()) - count; i < surplus; ++i) {
    const fs::path &old = saved[static_cast<size_t>(i)].second;
    fs::remove_all(old, error);
    if (error)
      throw fileError(old, "cannot be removed: " + error.message());
  }
}

static TrainingState readCheckpoint(const fs::path &step, Engine &engine) {
  std::string file = step / stateFile;
  SafetensorsFile state(file);
  checkKey(file, state, engine);
  // Moments of one optimizer mean nothing to another, so the kind must be the same; all other settings may change.
  std::string optimizer = state.metadata.count("optimizer") ? state.metadata.at("optimizer") : "";
  if (optimizer != nameOfChoice(engine.optimizer().kind))
    throw fileError(file, "optimizer '" + optimizer + "' differs from the model's '" +
                              nameOfChoice(engine.optimizer().kind) + "'");
  auto at = readNumber<int64_t>(file, state, stepKey);
  if (at < 0 || at > mostSteps)
    throw fileError(file, "found '" + state.metadata.at(stepKey) + "' as metadata '" + stepKey + "', expected 0 to " +
                              std::to_string(mostSteps));
  TrainingState training{at, readNumber<uint64_t>(file, state, "seed"), readWindows(file, state),
                         readHoldout(file, state)};
  checkSteps(step, loadParameters(step / paramsFile, engine, /*mayLack=*/false).metadata, state.metadata);
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    if (engine.parameters()[i].frozen)
      continue;
    for (int which = 1; which <= engine.optimizer().numMoments(); ++which) {
      TensorInfo info = engine.parameters()[i].tensor();
      info.name = momentNames[which - 1] + info.name;
      engine.writeMoment(i, which, state.readAs(info).data.data());
    }
  }
  return training;
}

TrainingState resumeCheckpoint(const std::string &directory, Engine &engine) {
  try {
    return readCheckpoint(findStep(directory, stateFile), engine);
  } catch (Error &error) {
    offerNewest(directory, error);
    throw;
  }
}

/// A folder that has no file of parameters by a name that is looked for, but perhaps one of another.
static Error noParameters(const std::string &folder, const std::string &names) {
  Error error = fileError(folder, "holds none of " + names);
  std::error_code ignored;
  std::set<fs::path> files;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, ignored))
    files.insert(entry.path());
  for (const fs::path &file : files)
    if (file.extension() == ".safetensors")
      return error.note("name the file of them: '--params " + file.string() + "'");
  for (const fs::path &file : files)
    if (auto format = formatOfFile(file); format && !format->isText) {
      error.note("'" + file.string() + "' is " + format->name);
      addRemedy(file, *format, error);
      return error;
    }
  return error;
}

/// The file of parameters that `--params` names.
static std::string parameterFile(const std::string &path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    return path;
  // Our own checkpoints first, then what Hugging Face's are called.
  constexpr const char *names[] = {"params.safetensors", "latest/params.safetensors", "model.safetensors",
                                   "model.safetensors.index.json"};
  std::string all;
  for (const char *name : names) {
    if (isThere(fs::path(path) / name))
      return fs::path(path) / name;
    all += (all.empty() ? "'" : ", '") + std::string(name) + "'";
  }
  throw noParameters(path, all);
}

void readParameterFile(const std::string &path, const std::function<void(const std::string &file)> &read) {
  std::string file = parameterFile(path);
  try {
    read(file);
  } catch (Error &error) {
    if (fs::path(file).filename() == paramsFile)
      offerNewest(path, error);
    throw;
  }
}

void initializeParameters(uint64_t seed, Engine &engine) {
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    const ParameterInfo &parameter = engine.parameters()[i];
    Bytes values(parameter.tensor().numBytes());
    fillInitialValues(parameter, seed, values.data());
    engine.writeParameter(i, values.data());
    engine.clearMoments(i);
  }
}

} // namespace plc::runtime
