// Chooses how each input is read, and joins several ways.
#include "plc/Runtime/Tensors/Data.h"

#include "BlendedData.h"
#include "DataWindows.h"
#include "PackedRows.h"
#include "TensorRows.h"
#include "WholeTensors.h"
#include "plc/Runtime/Base/ShortestDigits.h"
#include "plc/Runtime/Tensors/Npy.h"
#include "plc/Runtime/Tensors/RandomKeys.h"
#include "plc/Runtime/Tensors/TensorFile.h"
#include "plc/Support/Nearest.h"

#include <algorithm>
#include <functional>
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
  for (size_t i = 0; i < matches.gl_pathc; ++i) {
    std::string_view match = matches.gl_pathv[i];
    if (!isOffsets(match)) // they belong to another file
      found.push_back(std::string(match) + file.substr(name.size()));
  }
  ::globfree(&matches);
  if (status == GLOB_NOMATCH || found.empty())
    throw fileError(name, "no file has a name of this pattern");
  return found;
}

std::vector<std::string> DataOption::names() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < blend.size(); ++i) {
    std::vector<std::string> some = ofBlend(i).names();
    names.insert(names.end(), some.begin(), some.end());
  }
  if (!blend.empty())
    return names;
  names = files();
  for (std::string &name : names)
    name.resize(endOfName(name));
  return names;
}

int64_t numTrainedOn(int64_t count, double holdout) {
  return count - static_cast<int64_t>(static_cast<double>(count) * holdout);
}

namespace {

bool isPacked(const TensorInfo &input, const std::vector<PackOption> &packs) {
  return std::any_of(packs.begin(), packs.end(), [&](const PackOption &pack) { return pack.input == input.name; });
}

/// Throws usageError unless the entry has the input, or if another option has it: `former` are inputs of the options
/// before. `flag` names the option.
void checkName(const EntryInfo &entry, const std::string &name, const std::string &flag,
               std::vector<std::pair<std::string, std::string>> &former) {
  for (const auto &[input, other] : former)
    if (input == name)
      throw usageError("input '" + name + "' has " + (other == flag ? "two " + flag : other + " and " + flag));
  former.emplace_back(name, flag);
  Nearest nearest(name);
  bool known = false;
  for (const TensorInfo &input : entry.inputs) {
    if (input.isRandom())
      continue;
    known |= input.name == name;
    nearest.offer(input.name);
  }
  if (!known)
    throw usageError("the model has no input '" + name + "'" + nearest.text());
}

/// Throws usageError unless each input has exactly one option, and each option an input.
void checkNames(const EntryInfo &entry, const std::vector<DataOption> &options, const std::vector<PackOption> &packs) {
  std::vector<std::pair<std::string, std::string>> former;
  for (const DataOption &option : options)
    checkName(entry, option.input, option.flag, former);
  for (const PackOption &pack : packs)
    checkName(entry, pack.input, "--pack", former);
  for (const TensorInfo &input : entry.inputs) {
    if (isPacked(input, packs) && !input.batched())
      throw usageError("input '" + input.name + "' (" + input.typeText() + ") has no batch, so it cannot be packed");
    if (!input.isRandom() && !isPacked(input, packs))
      findOption(input, options);
  }
}

/// Throws usageError unless all inputs blend as many files by the same weights as the first one.
void checkBlends(const EntryInfo &entry, const std::vector<DataOption> &options, const std::vector<PackOption> &packs) {
  auto textOf = [](const DataOption &option) {
    std::string text;
    for (const WeightedFile &each : option.blend)
      text += (text.empty() ? "files by weights " : ", ") + shortestDigits(ElementType::F64, each.weight);
    return text.empty() ? "one file" : text;
  };
  const DataOption *first = nullptr;
  for (const TensorInfo &input : entry.inputs) {
    if (isPacked(input, packs))
      continue;
    const DataOption &option = findOption(input, options);
    if (!first)
      first = &option;
    if (textOf(option) != textOf(*first))
      throw usageError("input '" + option.input + "' has " + textOf(option) + ", expected " + textOf(*first) +
                       " as input '" + first->input + "', since a sample is at one place of one of them");
  }
}

/// Opens data in one way, or a blend of such data.
std::unique_ptr<Data>
openBlend(const EntryInfo &entry, const std::vector<DataOption> &options, const std::vector<PackOption> &packs,
          const std::function<std::unique_ptr<SampledData>(const std::vector<DataOption> &)> &open) {
  checkBlends(entry, options, packs);
  std::vector<WeightedFile> blend;
  for (const TensorInfo &input : entry.inputs)
    if (!isPacked(input, packs))
      blend = findOption(input, options).blend;
  if (blend.empty())
    return open(options);
  std::vector<std::unique_ptr<SampledData>> sources;
  std::vector<double> weights;
  for (size_t i = 0; i < blend.size(); ++i) {
    std::vector<DataOption> some;
    for (const DataOption &option : options)
      some.push_back(i < option.blend.size() ? option.ofBlend(i) : option);
    sources.push_back(open(some));
    weights.push_back(blend[i].weight);
  }
  return std::make_unique<BlendedData>(entry, std::move(sources), weights);
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
  std::string weights() const override {
    std::string all;
    for (const Part &part : parts)
      if (std::string some = part.data->weights(); !some.empty())
        all += (all.empty() ? "" : "; ") + some;
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

/// Whether an input is read in rows. A .npy of one axis is a sequence of elements, unless a sample is one element.
static bool isInRows(const TensorInfo &input, const DataOption &option) {
  auto isRows = [&](const DataOption &one) {
    return isTensorFile(one.file) && (input.shape.size() < 2 || !one.file.ends_with(".npy") ||
                                      openNpy(one.files().front()).info().shape.size() != 1);
  };
  if (option.blend.empty())
    return isRows(option);
  const DataOption first = option.ofBlend(0);
  for (size_t i = 1; i < option.blend.size(); ++i)
    if (const DataOption one = option.ofBlend(i); isRows(one) != isRows(first))
      throw usageError("'" + one.file + "' is read in " + (isRows(one) ? "rows" : "windows") + ", but '" + first.file +
                       "' in " + (isRows(first) ? "rows" : "windows") + ": both cannot be blended");
  return isRows(first);
}

std::unique_ptr<Data> openData(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout,
                               WindowOrder order, const std::vector<PackOption> &packs) {
  checkNames(entry, options, packs);
  // Keys of draws need no option.
  auto isSampled = [](const TensorInfo &input) { return !input.isRandom() && input.batched(); };
  auto inRows = [&](const TensorInfo &input) { return isInRows(input, findOption(input, options)); };
  std::vector<Part> parts;
  addPart(
      entry, [&](const TensorInfo &input) { return isSampled(input) && !packs.empty(); },
      [&](const EntryInfo &some) {
        return openBlend(some, options, packs, [&](const std::vector<DataOption> &files) {
          return std::make_unique<PackedRows>(some, files, packs, holdout);
        });
      },
      parts);
  addPart(
      entry, [&](const TensorInfo &input) { return isSampled(input) && packs.empty() && inRows(input); },
      [&](const EntryInfo &some) {
        return openBlend(some, options, packs, [&](const std::vector<DataOption> &files) {
          return std::make_unique<TensorRows>(some, files, holdout);
        });
      },
      parts);
  size_t numRows = parts.size();
  addPart(
      entry, [&](const TensorInfo &input) { return isSampled(input) && packs.empty() && !inRows(input); },
      [&](const EntryInfo &some) {
        return openBlend(some, options, packs, [&](const std::vector<DataOption> &files) {
          return std::make_unique<Windows>(some, files, holdout, order);
        });
      },
      parts);
  if (order != WindowOrder::Random && parts.size() == numRows)
    throw usageError("found '--windows " + std::string(nameOfChoice(order)) +
                     "', but no data is read in windows: rows are in epochs anyway");
  if (parts.empty() && holdout > 0)
    throw usageError("no input of the model has a batch, so no part of the data can be held out: add --holdout 0");
  addPart(
      entry, [&](const TensorInfo &input) { return !input.isRandom() && !input.batched(); },
      [&](const EntryInfo &some) { return std::make_unique<WholeTensors>(some, options); }, parts);
  addPart(
      entry, [&](const TensorInfo &input) { return input.isRandom(); },
      [&](const EntryInfo &some) { return std::make_unique<RandomKeys>(some); }, parts);
  if (parts.size() == 1)
    return std::move(parts[0].data);
  return std::make_unique<MixedData>(entry.batch, std::move(parts));
}

std::unique_ptr<Data> openEvalData(const EntryInfo &entry, const std::vector<DataOption> &evalOptions,
                                   const std::vector<DataOption> &options, const std::vector<PackOption> &packs) {
  std::vector<DataOption> all = evalOptions;
  for (const TensorInfo &input : entry.inputs) {
    auto isOf = [&](const DataOption &option) { return option.input == input.name; };
    auto found = std::find_if(options.begin(), options.end(), isOf);
    if (!input.batched() && found != options.end() && std::none_of(evalOptions.begin(), evalOptions.end(), isOf))
      all.push_back(*found);
  }
  return openData(entry, all, /*holdout=*/1, WindowOrder::Random, packs);
}

} // namespace plc::runtime

using plc::runtime::WindowOrder;

std::span<const plc::NamedRow> plc::Choice<WindowOrder>::rows() {
  static constexpr NamedRow table[] = {{"random"}, {"epochs"}};
  return table;
}
