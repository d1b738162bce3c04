// The prompts of `generate`, from the command line or a file.
#ifndef PLC_LIB_COMMANDS_PROMPTS_H
#define PLC_LIB_COMMANDS_PROMPTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plc::runtime {

/// What one text begins with: text, or the numbers of its tokens.
struct Prompt {
  std::string text;
  std::optional<std::vector<int64_t>> ids;
  std::string json; // the value of a file of JSON lines, which the result repeats; else empty
};

/// Reads `--prompts FILE`. The lines of a .jsonl are strings, lists of numbers, or objects with one of these as
/// "prompt"; each line of another file is a text. Throws fileError with the line.
std::vector<Prompt> readPrompts(const std::string &file);

/// A line of results in JSON: the prompt, the text behind it, and its tokens.
std::string resultLine(const Prompt &prompt, const std::string &text, const std::vector<int64_t> &tokens);

} // namespace plc::runtime

#endif
