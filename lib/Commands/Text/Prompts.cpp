// Reads prompts line by line, and writes results as JSON lines.
#include "Prompts.h"

#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Base/Error.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace plc::runtime {

namespace {

using Json = nlohmann::ordered_json;

Prompt parsePrompt(const std::string &where, const std::string &line) {
  Json value = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (value.is_object() && value.contains("prompt"))
    value = Json(value["prompt"]);
  if (value.is_string())
    return {value.get<std::string>(), std::nullopt, value.dump()};
  bool isList = value.is_array() &&
                std::all_of(value.begin(), value.end(), [](const Json &each) { return each.is_number_integer(); });
  if (!isList)
    throw fileError(where, "expected a string, a list of the numbers of tokens, or an object with one of them as "
                           "\"prompt\"");
  return {"", value.get<std::vector<int64_t>>(), value.dump()};
}

} // namespace

std::vector<Prompt> readPrompts(const std::string &file) {
  std::string text = readFile(file);
  bool isJson = file.ends_with(".jsonl");
  std::vector<Prompt> prompts;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin), where = file + ":" + std::to_string(prompts.size() + 1);
    if (line.ends_with('\r'))
      line.pop_back();
    Prompt prompt = isJson ? parsePrompt(where, line) : Prompt{line, std::nullopt, ""};
    if (prompt.ids ? prompt.ids->empty() : prompt.text.empty())
      throw fileError(where, "the prompt is empty");
    prompts.push_back(std::move(prompt));
  }
  if (prompts.empty())
    throw fileError(file, "has no prompts");
  return prompts;
}

std::string resultLine(const Prompt &prompt, const std::string &text, const std::vector<int64_t> &tokens) {
  // A text that stops within a character has bytes that are no UTF-8.
  Json line{{"prompt", Json::parse(prompt.json)}, {"text", text}, {"tokens", tokens}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace plc::runtime
