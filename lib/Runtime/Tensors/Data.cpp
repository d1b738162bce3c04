// Chooses how each input is read, and joins several ways.
#include "plc/Runtime/Tensors/Data.h"

#include "DataWindows.h"
#include "TensorRows.h"
#include "WholeTensors.h"
#include "plc/Runtime/Tensors/Npy.h"
#include "plc/Runtime/Tensors/RandomKeys.h"
#include "plc/Runtime/Tensors/TensorFile.h"
#include "plc/Support/Nearest.h"

#include <algorithm>
#include <glob.h>
#include <unistd.h>

namespace plc::runtime {

const DataOption &findOption(const TensorInfo &input, const std::vector<DataOption> &options) {
  for (const DataOption &option : options)
    if (option.input == input.name)
      return option;
  std::string flag = options.empty() ? DataOption().flag : options.front().flag;
  throw usageError("input '" + input.name + "' has no data: add " + flag + " " + input.name + "=FILE");
}

/// A name of an existing file is no pattern, whatever characters it has. A key or type after `:` is kept.
std::vector<std::string> DataOption::files() const {
  std::string name = file.substr(0, endOfName(file));
  if (name.find_first_of("*?[") == name.npos || ::access(name.c_str(), F_OK) == 0)
    return {file};
  glob_t matches = {};
  int status = ::glob(name.c_str(), 0, nullptr, &matches);
  std::vector<std::string> found;
  for (size_t i = 0; i < matches.gl_pathc; ++i)
    found.push_back(matches.gl_pathv[i] + file.substr(name.size()));
  ::globfree(&matches);
  if (status == GLOB_NOMATCH || found.empty())
    throw fileError(name, "no file has a name of this pattern");
  return found;
}

std::vector<std::string> DataOption::names() const {
  std::vector<std::string> names = files();
  for (std::string &name : names)
    name.resize(endOfName(name));
  return names;
}

int64_t numTrainedOn(int64_t count, double holdout) {
  return count - static_cast<int64_t>(static_cast<double>(count) * holdout);
}

namespace {

/// Throws usageError unless each input has exactly one option, and each option an input.
void checkNames(const EntryInfo &entry, const std::vector<DataOption> &options) {
  for (size_t i = 0; i < options.size(); ++i) {
    const DataOption &option = options[i];
    for (size_t j = 0; j < i; ++j)
      if (options[j].input == option.input)
        throw usageError("input '" + option.input + "' has two " + option.flag);
    Nearest nearest(option.input);
    bool known = false;
    for (const TensorInfo &input : entry.inputs) {
      if (input.isRandom())
        continue;
      known |= input.name == option.input;
      nearest.offer(input.name);
    }
    if (!known)
      throw usageError("the model has no input '" + option.input + "'" + nearest.text());
  }
  for (const TensorInfo &input : entry.inputs)
    if (!input.isRandom())
      findOption(input, options);
}

/// The inputs that are read in one way.
struct Part {
  std::vector<size_t> inputs; // of the entry's
  std::unique_ptr<Data> data;
};

/// Several ways, each with its own order of samples.
class MixedData : public Data {
public:
  MixedData(int64_t batch, std::vector<Part> parts) : Data(batch), parts(std::move(parts)) {}

  std::vector<Bytes> trainBatch(uint64_t seed, int64_t step) const override {
    return join([&](const Data &data) { return data.trainBatch(seed, step); });
  }
  void shiftSamples(int64_t by) override {
    for (Part &part : parts)
      part.data->shiftSamples(by);
  }
  DataLengths lengths() const override {
    DataLengths all;
    for (const Part &part : parts) {
      DataLengths some = part.data->lengths();
      all = {all.rows + some.rows, all.elements + some.elements};
    }
    return all;
  }
  std::string describeTrainSample(uint64_t seed, int64_t step, size_t input, int64_t sample) const override {
    for (const Part &part : parts)
      if (auto found = std::find(part.inputs.begin(), part.inputs.end(), input); found != part.inputs.end())
        return part.data->describeTrainSample(seed, step, static_cast<size_t>(found - part.inputs.begin()), sample);
    return "";
  }
  std::vector<Bytes> heldOutBatch(uint64_t seed, int64_t index) const override {
    return join([&](const Data &data) { return data.heldOutBatch(seed, index); });
  }
  int64_t numHeldOut() const override {
    int64_t least = anySamples;
    for (const Part &part : parts)
      least = std::min(least, part.data->numHeldOut());
    return least;
  }
  void checkTraining() const override {
    for (const Part &part : parts)
      part.data->checkTraining();
  }
  void checkHeldOut() const override {
    for (const Part &part : parts)
      part.data->checkHeldOut();
  }

private:
  template <class Read>
  std::vector<Bytes> join(Read read) const {
    std::vector<Bytes> tensors;
    for (const Part &part : parts) {
      std::vector<Bytes> some = read(*part.data);
      for (size_t i = 0; i < some.size(); ++i) {
        tensors.resize(std::max(tensors.size(), part.inputs[i] + 1));
        tensors[part.inputs[i]] = std::move(some[i]);
      }
    }
    return tensors;
  }

  std::vector<Part> parts;
};

template <class Choose, class Open>
void addPart(const EntryInfo &entry, Choose choose, Open open, std::vector<Part> &parts) {
  EntryInfo some = entry;
  some.inputs.clear();
  Part part;
  for (size_t i = 0; i < entry.inputs.size(); ++i)
    if (choose(entry.inputs[i])) {
      some.inputs.push_back(entry.inputs[i]);
      part.inputs.push_back(i);
    }
  if (some.inputs.empty())
    return;
  part.data = open(some);
  parts.push_back(std::move(part));
}

} // namespace

bool isTensorFile(const std::string &file) {
  return file.ends_with(".npy") || file.ends_with(".safetensors") || file.find(".safetensors:") != file.npos;
}

std::unique_ptr<Data> openData(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout,
                               WindowOrder order) {
  checkNames(entry, options);
  // A .npy of one axis is a sequence of elements, unless a sample is one element.
  auto isInRows = [&](const TensorInfo &input) {
    const DataOption &option = findOption(input, options);
    return isTensorFile(option.file) && (input.shape.size() < 2 || !option.file.ends_with(".npy") ||
                                         openNpy(option.files().front()).info().shape.size() != 1);
  };
  // Keys of draws need no option.
  auto isGiven = [](const TensorInfo &input) { return !input.isRandom(); };
  std::vector<Part> parts;
  addPart(
      entry, [&](const TensorInfo &input) { return isGiven(input) && input.batched() && isInRows(input); },
      [&](const EntryInfo &some) { return std::make_unique<TensorRows>(some, options, holdout); }, parts);
  size_t numRows = parts.size();
  addPart(
      entry, [&](const TensorInfo &input) { return isGiven(input) && input.batched() && !isInRows(input); },
      [&](const EntryInfo &some) { return std::make_unique<Windows>(some, options, holdout, order); }, parts);
  if (order != WindowOrder::Random && parts.size() == numRows)
    throw usageError("found '--windows " + std::string(nameOfChoice(order)) +
                     "', but no data is read in windows: rows are in epochs anyway");
  if (parts.empty() && holdout > 0)
    throw usageError("no input of the model has a batch, so no part of the data can be held out: add --holdout 0");
  addPart(
      entry, [&](const TensorInfo &input) { return isGiven(input) && !input.batched(); },
      [&](const EntryInfo &some) { return std::make_unique<WholeTensors>(some, options); }, parts);
  addPart(
      entry, [&](const TensorInfo &input) { return !isGiven(input); },
      [&](const EntryInfo &some) { return std::make_unique<RandomKeys>(some); }, parts);
  if (parts.size() == 1)
    return std::move(parts[0].data);
  return std::make_unique<MixedData>(entry.batch, std::move(parts));
}

std::unique_ptr<Data> openEvalData(const EntryInfo &entry, const std::vector<DataOption> &evalOptions,
                                   const std::vector<DataOption> &options) {
  std::vector<DataOption> all = evalOptions;
  for (const TensorInfo &input : entry.inputs) {
    auto isOf = [&](const DataOption &option) { return option.input == input.name; };
    auto found = std::find_if(options.begin(), options.end(), isOf);
    if (!input.batched() && found != options.end() && std::none_of(evalOptions.begin(), evalOptions.end(), isOf))
      all.push_back(*found);
  }
  return openData(entry, all, /*holdout=*/1);
}

} // namespace plc::runtime

using plc::runtime::WindowOrder;

std::span<const plc::NamedRow> plc::Choice<WindowOrder>::rows() {
  static constexpr NamedRow table[] = {{"random"}, {"epochs"}};
  return table;
}
