// Reads prompts line by line, and writes results as JSON lines.
#include "Prompts.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Support/JsonNode.h"

#include <algorithm>

namespace plc::runtime {

namespace {

Prompt parsePrompt(const std::string &where, const std::string &line) {
  try {
    const nlohmann::json value = parseJson(line);
    const JsonNode whole(value), prompt = whole.has("prompt") ? whole["prompt"] : whole;
    if (prompt.isString())
      return {prompt.string(), std::nullopt, prompt.dump()};
    return {"", prompt.list([](const JsonNode &id) { return id.integer(INT64_MIN, INT64_MAX); }), prompt.dump()};
  } catch (const JsonError &error) {
    throw fileError(where, error.what());
  } catch (const JsonPathError &) {
    throw fileError(where, "expected a string, a list of the numbers of tokens, or an object with one of them as "
                           "\"prompt\"");
  }
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
  using Json = nlohmann::ordered_json;
  Json line{{"prompt", Json::parse(prompt.json)}, {"text", text}, {"tokens", tokens}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace plc::runtime
