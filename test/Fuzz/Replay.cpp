//===- Replay.cpp - runs a fuzz target on files ---------------------------===//
//
// Replay FILE|FOLDER..: each file once, and each prefix of the small ones, so that every token is the last one
// somewhere.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// A copy of exactly `size` bytes, so that a sanitizer sees what is read behind them.
static void runOn(const std::string &text, size_t size) {
  std::vector<uint8_t> bytes(text.begin(), text.begin() + size);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

int main(int count, char **words) {
  std::vector<std::filesystem::path> files;
  size_t runs = 0, prefixes = 0;
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    if (word.starts_with("--prefixes="))
      prefixes = std::stoul(word.substr(11));
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
  }
  std::printf("%zu files, %zu runs, no finding\n", files.size(), runs);
}
