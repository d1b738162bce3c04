//===- SourceTexts.cpp - the text that a model is made from ---------------===//
#include "SourceTexts.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Files.h"

#include <filesystem>
#include <set>
#include <vector>

namespace fs = std::filesystem;

namespace plc::runtime {

static std::string readUsed(const fs::path &file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored))
    return "";
  try {
    return readFile(file);
  } catch (const Error &) {
    return "";
  }
}

/// The quoted names after each `use`.
static std::vector<std::string> usesIn(const std::string &text) {
  std::vector<std::string> names;
  for (size_t at = text.find("use"); at != std::string::npos; at = text.find("use", at + 3)) {
    size_t quote = text.find_first_not_of(" \t\r", at + 3);
    if (quote == std::string::npos || text[quote] != '"')
      continue;
    size_t end = text.find_first_of("\"\n", quote + 1);
    if (end != std::string::npos && text[end] == '"')
      names.push_back(text.substr(quote + 1, end - quote - 1));
  }
  return names;
}

/// One name for a file, whatever path leads to it.
static std::string nameOf(const fs::path &file) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(file, error);
  return (error ? file : real).string();
}

std::string textOfModel(const std::string &file) {
  std::string all;
  std::vector<fs::path> next = {file};
  std::set<std::string> seen = {nameOf(file)};
  for (size_t i = 0; i < next.size(); ++i) {
    std::string text = i == 0 ? readFile(file) : readUsed(next[i]);
    if (i > 0)
      all += '\0' + nameOf(next[i]) + '\0';
    all += text;
    for (const std::string &name : usesIn(text))
      if (fs::path used = next[i].parent_path() / name; seen.insert(nameOf(used)).second)
        next.push_back(used);
  }
  return all;
}

} // namespace plc::runtime
