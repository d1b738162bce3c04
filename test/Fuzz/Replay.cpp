//===- Replay.cpp - runs a fuzz target on files ---------------------------===//
//
// Replay FILE|FOLDER..: each file once, and each prefix of the small ones, so that every token is the last one
// somewhere. --mutations=N: N changed copies of each, if the target changes inputs in a way of its own.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/// A copy of exactly `size` bytes, so that a sanitizer sees what is read behind them.
static void runOn(const std::string &text, size_t size) {
  std::vector<uint8_t> bytes(text.begin(), text.begin() + size);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

static void runOnChanged(const std::string &text, unsigned seed) {
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bytes.resize(2 * text.size() + 4096);
  runOn({bytes.begin(), bytes.end()}, LLVMFuzzerCustomMutator(bytes.data(), text.size(), bytes.size(), seed));
}

int main(int count, char **words) {
  std::vector<std::filesystem::path> files;
  size_t runs = 0, prefixes = 0, mutations = 0;
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    if (word.starts_with("--prefixes="))
      prefixes = std::stoul(word.substr(11));
    else if (word.starts_with("--mutations="))
      mutations = std::stoul(word.substr(12));
    else if (std::filesystem::is_directory(word))
      for (const auto &entry : std::filesystem::directory_iterator(word))
        files.push_back(entry.path());
    else
      files.emplace_back(word);
  }
  std::sort(files.begin(), files.end());
  for (const auto &file : files) {
    std::ifstream stream(file, std::ios::binary);
    require(stream.good(), file.c_str());
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    // Where an input kills the program, the last line names it.
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    for (size_t size = text.size() < prefixes ? 0 : text.size(); size <= text.size(); ++size, ++runs)
      runOn(text, size);
    for (unsigned seed = 0; seed < mutations; ++seed, ++runs)
      runOnChanged(text, seed);
  }
  std::printf("%zu files, %zu runs, no finding\n", files.size(), runs);
}
