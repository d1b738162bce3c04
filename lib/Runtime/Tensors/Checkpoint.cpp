// Writes and reads the files of a checkpoint.
#include "plc/Runtime/Tensors/Checkpoint.h"

#include "FileFormats.h"
#include "plc/Runtime/Base/NonFinite.h"
#include "plc/Runtime/Base/ShortestDigits.h"
#include "plc/Runtime/Tensors/CheckpointFolders.h"
#include "plc/Runtime/Tensors/InitialValues.h"
#include "plc/Runtime/Tensors/LoadParameters.h"
#include "plc/Runtime/Tensors/Safetensors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <unistd.h>

namespace fs = std::filesystem;

namespace plc::runtime {

namespace {

constexpr const char *stepKey = "step", *seedKey = "seed"; // in both files
constexpr const char *numericsKey = "numerics_key";
constexpr const char *windowsKey = "windows", *holdoutKey = "holdout", *samplesKey = "samples", *rowsKey = "rows",
                     *elementsKey = "elements", *weightsKey = "weights", *roundingKey = "rounding",
                     *lossScaleKey = "loss_scale",
                     *finiteStepsKey = "loss_scale_steps",        // only if the loss is scaled
                         *finiteKey = "finite",                   // "false", or absent
                             *averagesKey = "averages",           // the file of averages, or absent
                                 *statesKey = "optimizer_states"; // older versions did not write it
constexpr std::string_view settingPrefix = "setting.",            // of a key: its value in effect
    setPrefix = "set.";                                           // of a key that the run hands on

/// The name of a moment in the file; `which` counts from 1.
std::string momentName(int which, const std::string &parameter) {
  return "moment" + std::to_string(which) + "." + parameter;
}

/// The names of the optimizer's states, in order, in one line; of each form, if there are several.
std::string namesOfStates(const OptimizerSettings &optimizer) {
  std::string names;
  for (const module::OptimizerForm &form : optimizer.forms) {
    names += &form == &optimizer.forms.front() ? "" : "; ";
    for (const module::OptimizerState &state : form.states)
      names += (&state == &form.states.front() ? "" : ", ") + state.name;
  }
  return names;
}

/// A moment as a tensor of the file.
TensorInfo momentInfo(const Engine &engine, size_t index, size_t which) {
  TensorInfo info = module::momentOf(engine.parameters()[index], engine.statesOf(index)[which - 1]);
  info.name = momentName(static_cast<int>(which), info.name);
  return info;
}

using Metadata = std::map<std::string, std::string>;

/// Throws if `file` and the state of a checkpoint are of different steps. Older versions did not write the step of the
/// parameters.
void checkSteps(const fs::path &file, const Metadata &params, const Metadata &state) {
  auto ofParams = params.find(stepKey), ofState = state.find(stepKey);
  if (ofParams != params.end() && ofState != state.end() && ofParams->second != ofState->second)
    throw fileError(file, "is of step " + ofParams->second + ", but '" + stateFile + "' beside it of step " +
                              ofState->second + ": they are of two checkpoints");
}

/// The averages of a checkpoint with this state; nullopt if it has none.
std::optional<SafetensorsFile> openAverages(const fs::path &step, const Metadata &state) {
  if (!state.count(averagesKey))
    return std::nullopt;
  std::optional<SafetensorsFile> averages(std::in_place, step / averagesFile);
  checkSteps(step / averagesFile, averages->metadata, state);
  return averages;
}

/// Whether all files of a checkpoint can be read and belong together. Reads all data, because of the hashes.
bool isWhole(const fs::path &step) {
  try {
    Metadata state = SafetensorsFile(step / stateFile).metadata;
    checkSteps(step / paramsFile, SafetensorsFile(step / paramsFile).metadata, state);
    openAverages(step, state);
    return true;
  } catch (const Error &) {
    return false;
  }
}

/// Adds the newest whole checkpoint beside a damaged one to its error.
void offerNewest(const std::string &directory, Error &error) {
  fs::path given(directory);
  std::error_code none;
  if (!given.has_filename() || given.filename() == latestLink || fs::is_regular_file(given, none))
    given = given.parent_path();
  bool isStep = numberIn(given, stepPrefix).has_value();
  fs::path tried = isStep ? given : given / latestLink;
  if (isWhole(tried))
    return;
  // Checking hashes reads a whole checkpoint. So the damaged one is not read again.
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

/// A number from 0 to 2^56 in the metadata: so large that no count reaches it, so small that sums cannot overflow.
int64_t readCount(const std::string &file, const SafetensorsFile &state, const std::string &key) {
  constexpr int64_t most = int64_t(1) << 56;
  auto count = readNumber<int64_t>(file, state, key);
  if (count < 0 || count > most)
    throw fileError(file, "found '" + state.metadata.at(key) + "' as metadata '" + key + "', expected 0 to 2^56");
  return count;
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

/// The settings that most often make numerics keys differ, as text, for an error about two keys.
std::string describeRounding(const Engine &engine) {
  std::string text(nameOf(engine.realType()));
  if (const EntryInfo *train = engine.findEntry("train"))
    text += ", batch " + std::to_string(train->batch) + ", micro-batches " + std::to_string(train->microBatches) +
            ", accumulation groups " + std::to_string(train->groups);
  return text;
}

/// The error about a numerics key that differs from the model's; nullopt if they are equal.
std::optional<Error> findKeyError(const std::string &file, const SafetensorsFile &state, const Engine &engine) {
  std::string key = state.metadata.count(numericsKey) ? state.metadata.at(numericsKey) : "";
  if (key == engine.numericsKey())
    return std::nullopt;
  Error error = fileError(file, "numerics key '" + key + "' differs from the model's '" + engine.numericsKey() + "'");
  std::string here = describeRounding(engine);
  auto saved = state.metadata.find(roundingKey);
  if (saved != state.metadata.end() && saved->second != here)
    return error.note("saved by a run of " + saved->second + "; the model has " + here);
  return error.note(
      "the model's rules, sizes, precision, micro-batches, accumulation groups or parts of a shard differ");
}

/// Loads the parameters of a checkpoint, which must be exactly the model's if the key differs: then the error about the
/// key is the better one.
Metadata readParameters(const std::string &file, const std::optional<Error> &keyError, Engine &engine) {
  try {
    ParameterMatches matches = loadParameters(file, engine, /*mayLack=*/false);
    if (keyError && !matches.unused.empty())
      throw fileError(file, "tensor '" + matches.unused.front().name + "' is of no parameter of the model");
    return matches.metadata;
  } catch (const Error &error) {
    if (!keyError)
      throw;
    Error both = *keyError;
    both.note(std::string(error.what()));
    both.notes.insert(both.notes.end(), error.notes.begin(), error.notes.end());
    throw both;
  }
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

LossScale readLossScale(const std::string &file, const SafetensorsFile &state) {
  LossScale scale;
  scale.value = readNumber<double>(file, state, lossScaleKey);
  scale.finiteSteps = readCount(file, state, finiteStepsKey);
  if (!(scale.value > 0 && std::isfinite(scale.value)))
    throw fileError(file, "found '" + state.metadata.at(lossScaleKey) + "' as metadata '" + lossScaleKey +
                              "', expected a finite number above 0");
  return scale;
}

/// All collect readers, not bytes: a tensor is in memory only while it is written.
Safetensors collectParameters(const TrainingState &training, Engine &engine, bool averages = false) {
  Safetensors params;
  params.metadata[stepKey] = std::to_string(training.step);
  params.metadata[seedKey] = std::to_string(training.seed);
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    bool hasAverage = averages && !engine.parameters()[i].frozen;
    params.add(engine.parameters()[i].tensor(), [&engine, i, hasAverage](std::byte *out) {
      hasAverage ? engine.readAverage(i, out) : engine.readParameter(i, out);
    });
  }
  return params;
}

Safetensors collectState(const TrainingState &training, bool finite, Engine &engine) {
  Safetensors state;
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    if (engine.parameters()[i].frozen)
      continue;
    for (size_t which = 1; which <= engine.statesOf(i).size(); ++which)
      state.add(momentInfo(engine, i, which),
                [&engine, i, which](std::byte *out) { engine.readMoment(i, static_cast<int>(which), out); });
  }
  state.metadata[stepKey] = std::to_string(training.step);
  state.metadata[seedKey] = std::to_string(training.seed);
  if (training.windows)
    state.metadata[windowsKey] = nameOfChoice(*training.windows);
  if (training.holdout)
    state.metadata[holdoutKey] = shortestDigits(ElementType::F64, *training.holdout);
  if (training.samples)
    state.metadata[samplesKey] = std::to_string(*training.samples);
  if (training.lengths) {
    state.metadata[rowsKey] = std::to_string(training.lengths->rows);
    state.metadata[elementsKey] = std::to_string(training.lengths->elements);
  }
  if (training.weights && *training.weights->text())
    state.metadata[weightsKey] = training.weights->text();
  if (engine.optimizer().scalesLoss) {
    state.metadata[lossScaleKey] = shortestDigits(ElementType::F64, engine.lossScale().value);
    state.metadata[finiteStepsKey] = std::to_string(engine.lossScale().finiteSteps);
  }
  state.metadata[numericsKey] = engine.numericsKey();
  state.metadata[roundingKey] = describeRounding(engine);
  state.metadata["optimizer"] = engine.optimizer().kind;
  state.metadata[statesKey] = namesOfStates(engine.optimizer());
  if (engine.optimizer().keepsAverages())
    state.metadata[averagesKey] = averagesFile;
  for (const auto &[key, value] : describeSettings(engine.optimizer()))
    state.metadata[std::string(settingPrefix) + key] = value;
  for (const auto &[key, value] : engine.runSettings().handedOn())
    state.metadata[std::string(setPrefix) + key] = value;
  if (!finite)
    state.metadata[finiteKey] = "false";
  return state;
}

} // namespace

SavedCheckpoint saveCheckpoint(const std::string &directory, const TrainingState &state, Engine &engine) {
  fs::path root(directory), step = root / (std::string(stepPrefix) + std::to_string(state.step));
  fs::path partial = root / (std::string(partialPrefix) + std::to_string(::getpid())), link = root / ".partial-latest";
  // Collective, so before all processes but the first leave.
  engine.gatherParameters();
  const bool finite = holdsFinite(engine);
  if (!engine.leads())
    return {step, finite};
  try {
    // 1. All files in a folder of another name, synced.
    fs::create_directories(partial);
    collectParameters(state, engine).write(partial / paramsFile);
    if (engine.optimizer().keepsAverages())
      collectParameters(state, engine, /*averages=*/true).write(partial / averagesFile);
    collectState(state, finite, engine).write(partial / stateFile);
    syncDirectory(partial);
    // 2. One rename makes it the checkpoint.
    replaceFolder(partial, step);
    // 3. A new link, renamed over the old one: `latest` is valid at any time.
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
  return {step, finite};
}

/// Whether a saved checkpoint has only finite values; false if it cannot be read.
static bool isFinite(const fs::path &step) {
  try {
    return !SafetensorsFile(step / stateFile).metadata.count(finiteKey);
  } catch (const Error &) { // unreadable: of no use
    return false;
  }
}

void keepCheckpoints(const std::string &directory, int64_t count, int64_t step, bool finite) {
  auto saved = savedSteps(directory);
  // Only checkpoints: the user may have a folder with such a name.
  std::error_code error;
  std::erase_if(saved,
                [&](const auto &each) { return each.first > step || !fs::exists(each.second / stateFile, error); });
  auto last = saved.rbegin();
  while (!finite && last != saved.rend() &&
         !isFinite(last->second)) // reads whole files, but only after a step that is not finite
    ++last;
  for (int64_t i = 0, surplus = static_cast<int64_t>(saved.size()) - count; i < surplus; ++i) {
    const fs::path &old = saved[static_cast<size_t>(i)].second;
    if (last != saved.rend() && old == last->second)
      continue;
    fs::remove_all(old, error);
    if (error)
      throw fileError(old, "cannot be removed: " + error.message());
  }
}

/// The settings of the model with those that the saved run has set.
static RunSettings inheritSettings(const std::string &file, const Metadata &state, const Engine &engine) {
  SettingTexts former;
  for (const auto &[key, value] : state)
    if (key.starts_with(setPrefix))
      former[key.substr(setPrefix.size())] = value;
  RunSettings settings = engine.runSettings();
  try {
    settings.inherit(former);
    settings.check();
  } catch (const Error &error) {
    throw fileError(file, std::string("the run has set what the model refuses: ") + error.what());
  }
  return settings;
}

/// Checks all metadata before it writes to the engine, so that an error leaves the engine as it was.
static TrainingState readCheckpoint(const fs::path &step, Engine &engine, std::optional<KeyChange> *change) {
  std::string file = step / stateFile;
  SafetensorsFile state(file);
  std::optional<Error> keyError = findKeyError(file, state, engine);
  if (keyError && !change)
    throw *keyError;
  // Moments of one optimizer mean nothing to another. So the kind must be the same; all other settings may change.
  std::string optimizer = state.metadata.count("optimizer") ? state.metadata.at("optimizer") : "";
  if (optimizer != engine.optimizer().kind)
    throw fileError(file, "optimizer '" + optimizer + "' differs from the model's '" + engine.optimizer().kind + "'");
  std::string states = namesOfStates(engine.optimizer());
  if (auto saved = state.metadata.find(statesKey); saved != state.metadata.end() && saved->second != states)
    throw fileError(file, "optimizer '" + optimizer + "' had the states '" + saved->second + "', but has '" + states +
                              "' now");
  auto at = readNumber<int64_t>(file, state, stepKey);
  if (at < 0 || at > mostSteps)
    throw fileError(file, "found '" + state.metadata.at(stepKey) + "' as metadata '" + stepKey + "', expected 0 to " +
                              std::to_string(mostSteps));
  TrainingState training{at, readNumber<uint64_t>(file, state, seedKey), readWindows(file, state),
                         readHoldout(file, state)};
  if (state.metadata.count(samplesKey))
    training.samples = readCount(file, state, samplesKey);
  if (state.metadata.count(rowsKey))
    training.lengths = DataLengths{readCount(file, state, rowsKey), readCount(file, state, elementsKey)};
  if (training.lengths)
    training.weights = ShortText(state.metadata.count(weightsKey) ? state.metadata.at(weightsKey) : "");
  const RunSettings settings = inheritSettings(file, state.metadata, engine);
  std::optional<SafetensorsFile> averages = openAverages(step, state.metadata);
  if (bool keeps = engine.optimizer().keepsAverages(); keeps != averages.has_value())
    training.averages = keeps ? ResumedAverages::Begin : ResumedAverages::Dropped;
  checkSteps(step / paramsFile, readParameters(step / paramsFile, keyError, engine), state.metadata);
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    if (engine.parameters()[i].frozen)
      continue;
    for (size_t which = 1; which <= engine.statesOf(i).size(); ++which)
      engine.writeMoment(i, static_cast<int>(which), state.readAs(momentInfo(engine, i, which)).data.data());
    if (averages && engine.optimizer().keepsAverages())
      engine.writeAverage(i, averages->readAs(engine.parameters()[i].tensor()).data.data());
  }
  if (keyError) {
    auto key = state.metadata.find(numericsKey);
    *change = {key == state.metadata.end() ? "" : key->second, keyError->what()};
    for (const std::string &note : keyError->notes)
      (*change)->text += "; " + note;
  }
  engine.setOrigin({training.step, training.seed});
  engine.setRun(settings);
  // A fixed scale comes from the strategy, not from the checkpoint.
  if (engine.optimizer().scalesLoss && !engine.optimizer().lossScale && state.metadata.count(lossScaleKey))
    engine.setLossScale(readLossScale(file, state));
  return training;
}

TrainingState resumeCheckpoint(const std::string &directory, Engine &engine, std::optional<KeyChange> *change) {
  try {
    return readCheckpoint(findStep(directory, stateFile), engine, change);
  } catch (Error &error) {
    offerNewest(directory, error);
    throw;
  }
}

/// The error for a folder without a known file of parameters. Its notes name a file that may be meant.
static Error noParameters(const std::string &folder, const std::string &names) {
  Error error = fileError(folder, "holds none of " + names);
  std::error_code ignored;
  // Sorted, because the order of a directory differs from system to system.
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

/// The file of averages of a checkpoint that `--params` names.
static std::string averagesOf(const std::string &path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    throw usageError("averages are those of a checkpoint, but '" + path + "' is no folder of one");
  for (const fs::path &folder : {fs::path(path), fs::path(path) / latestLink})
    if (isThere(folder / averagesFile))
      return folder / averagesFile;
  Error error = fileError(path, "holds no averages: neither '" + std::string(averagesFile) + "' nor '" + latestLink +
                                    "/" + averagesFile + "'");
  throw error.note("a model compiled with 'optimizer.ema' saves them: '--set optimizer.ema=0.999'");
}

/// The file of parameters that a path of `--params` means.
static std::string parameterFile(const std::string &path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    return path;
  // Our own checkpoints first, then the names of Hugging Face.
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

void readParameterFile(const std::string &path, const std::function<void(const std::string &file)> &read,
                       bool averages) {
  std::string file = averages ? averagesOf(path) : parameterFile(path);
  try {
    read(file);
  } catch (Error &error) {
    if (averages || fs::path(file).filename() == paramsFile)
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
  engine.setOrigin({0, seed});
}

} // namespace plc::runtime
