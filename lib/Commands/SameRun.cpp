// Describes each process's run as text, and compares the texts.
#include "SameRun.h"

#include "OptionTable.h"
#include "plc/Module/ModuleSeal.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Base/ShortestDigits.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

namespace plc::runtime {

namespace {

/// What a process runs: values by option, in the order of its command line.
using RunDescription = std::map<std::string, std::vector<std::string>>;

// Of a file, the first and the last among them. Not tuned: 64 KiB of reading finds a file that was cut or made anew.
constexpr size_t numPieces = 16, pieceBytes = 4096;

/// Hashes pieces that are spread over a file, continued from `hash`. So a file of terabytes takes no time.
uint64_t hashOfSome(const PartsOfFile &file, uint64_t hash) {
  size_t length = std::min(file.size(), pieceBytes), last = file.size() - length;
  std::string piece(length, '\0');
  for (size_t i = 0; i < numPieces; ++i) {
    file.read(last * i / (numPieces - 1), length, piece.data());
    hash = module::fnv1a(piece, hash);
  }
  return hash;
}

/// Describes files by their bytes, because their names may differ from machine to machine.
std::string describeFiles(const std::vector<std::string> &files) {
  size_t bytes = 0;
  uint64_t hash = module::fnv1a({});
  for (const std::string &file : files) {
    if (std::error_code error; std::filesystem::is_fifo(file, error)) // a pipe can be read only once
      continue;
    PartsOfFile parts(file);
    bytes += parts.size();
    hash = hashOfSome(parts, hash);
  }
  char text[96];
  std::snprintf(text, sizeof(text), "%zu bytes in %zu file%s with hash %016llx", bytes, files.size(),
                files.size() == 1 ? "" : "s", static_cast<unsigned long long>(hash));
  return text;
}

std::string describeData(const DataOption &option, bool isPacked) {
  std::vector<std::string> names = option.names();
  if (isPacked)
    for (size_t i = 0, count = names.size(); i < count; ++i)
      if (std::error_code error; std::filesystem::exists(offsetsOf(names[i]), error))
        names.push_back(offsetsOf(names[i]));
  std::string behind = option.blend.empty() ? option.file.substr(endOfName(option.file)) : "";
  for (const WeightedFile &each : option.blend)
    behind += (behind.empty() ? "" : ",") + each.file.substr(endOfName(each.file)) + ":" +
              shortestDigits(ElementType::F64, each.weight);
  return option.input + "=" + describeFiles(names) + behind + (option.shift ? "+" + std::to_string(option.shift) : "");
}

std::string describeInput(const TensorOption &option) {
  if (!option.numbers.empty())
    return option.name + "=" + option.numbers;
  if (option.location.file == "-")
    return option.name + "=-";
  return option.name + "=" + describeFiles({option.location.file}) +
         (option.location.key.empty() ? "" : ":" + option.location.key);
}

RunDescription describeRun(const Options &options) {
  RunDescription told;
  told["the command"] = {options.model.command};
  for (const auto &[flag, value] : options.given) {
    Alike alike = optionOf(flag).alike;
    std::string of = "option '" + flag + "'";
    if (alike == Alike::Value || alike == Alike::Presence)
      told[of].push_back(alike == Alike::Value ? value : "");
    if (alike == Alike::Names)
      told[of].push_back(value.substr(0, value.find('=')));
  }
  for (const auto *list : {&options.data, &options.evalData})
    for (const DataOption &option : *list)
      told["option '" + std::string(option.flag) + "'"].push_back(describeData(option, !options.packs.empty()));
  for (const TensorOption &option : options.inputs)
    told["option '--input'"].push_back(describeInput(option));
  if (!options.promptsFile.empty())
    told["option '--prompts'"] = {describeFiles({options.promptsFile})};
  if (!options.tokenizer.empty())
    told["option '--tokenizer'"] = {describeFiles({options.tokenizer})};
  return told;
}

/// As one text, separated by NUL, which no argument can have.
std::string pack(const RunDescription &told) {
  std::string text;
  for (const auto &[what, values] : told)
    for (const std::string &value : values)
      text += what + '\0' + value + '\0';
  return text;
}

RunDescription unpack(const std::string &text) {
  RunDescription told;
  for (size_t at = 0; at < text.size();) {
    std::string what = text.c_str() + at, value = text.c_str() + at + what.size() + 1;
    at += what.size() + value.size() + 2;
    told[what].push_back(value);
  }
  return told;
}

std::string describeValue(const RunDescription &told, const std::string &what, size_t i) {
  auto found = told.find(what);
  if (found == told.end() || i >= found->second.size())
    return "not given";
  const std::string &value = found->second[i];
  return value.empty() ? "given" : "'" + value + "'";
}

/// The first difference: the option, and which of its values.
std::optional<std::pair<std::string, size_t>> findDifference(const RunDescription &some, const RunDescription &others) {
  for (const RunDescription *told : {&some, &others})
    for (const auto &[what, values] : *told)
      for (size_t i = 0; i < values.size(); ++i)
        if (describeValue(some, what, i) != describeValue(others, what, i))
          return std::pair(what, i);
  return std::nullopt;
}

} // namespace

void checkSameRun(const Options &options, ProcessGroup &world) {
  std::vector<std::string> texts = world.collect(pack(describeRun(options)));
  RunDescription first = unpack(texts[0]);
  for (size_t i = 1; i < texts.size(); ++i) {
    if (texts[i] == texts[0])
      continue;
    RunDescription other = unpack(texts[i]);
    auto [what, location] = *findDifference(other, first);
    throw Error(BadInput, "",
                what + " is " + describeValue(other, what, location) + " in " + world.nameOf(i) + ", but " +
                    describeValue(first, what, location) + " in " + world.nameOf(0))
        .note("start all processes of a run with the same command line; only the names of their files may differ");
  }
}

} // namespace plc::runtime
