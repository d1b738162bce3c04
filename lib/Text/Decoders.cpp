// From tokens back to text, one token at a time.
#include "Steps.h"

#include <charconv>

namespace plc::text {

namespace {

Decoder makeByteLevel(const JsonNode &) {
  // What is written by other characters is an added token, which stands for itself.
  return [](std::string token, bool) { return bytesOfCharacters(token).value_or(token); };
}

Decoder makeWordPiece(const JsonNode &json) {
  std::string prefix = json.stringOr("prefix", "##");
  bool cleans = json.booleanOr("cleanup", true);
  return [=](std::string token, bool isFirst) {
    if (!isFirst)
      token = token.starts_with(prefix) ? token.substr(prefix.size()) : " " + token;
    constexpr std::pair<const char *, const char *> closer[] = {
        {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
        {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    if (cleans)
      for (auto [from, to] : closer)
        token = replaceAll(std::move(token), from, to);
    return token;
  };
}

Decoder makeMetaspace(const JsonNode &json) {
  std::string mark = json.stringOr("replacement", "\u2581"), scheme = json.stringOr("prepend_scheme", "always");
  constexpr std::string_view never = "never";
  return [mark, drops = scheme != never](std::string token, bool isFirst) {
    if (isFirst && drops && token.starts_with(mark))
      token = token.substr(mark.size());
    return replaceAll(std::move(token), mark, " ");
  };
}

/// `<0x0A>`, a byte that is no token by itself.
Decoder makeByteFallback(const JsonNode &) {
  return [](std::string token, bool) {
    unsigned byte = 0;
    if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>')
      return token;
    auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, byte, 16);
    return error == std::errc() && end == token.data() + 5 ? std::string(1, static_cast<char>(byte)) : token;
  };
}

Decoder makeFuse(const JsonNode &) {
  return [](std::string token, bool) { return token; };
}

Decoder makeReplace(const JsonNode &json) {
  return [from = json["pattern"]["String"].string(), to = json["content"].string()](std::string token, bool) {
    return replaceAll(std::move(token), from, to);
  };
}

/// Of the whole text, whose end is not known while it grows.
Decoder makeStrip(const JsonNode &json) {
  std::string content = json["content"].string();
  int64_t start = json["start"].integer(0, INT32_MAX);
  if (json["stop"].integer(0, INT32_MAX))
    json["stop"].fail("is not 0: a text has no end while it is written");
  return [=](std::string token, bool isFirst) {
    for (int64_t i = 0; isFirst && i < start && token.starts_with(content); ++i)
      token = token.substr(content.size());
    return token;
  };
}

Decoder makeSequence(const JsonNode &json) {
  std::vector<Decoder> steps;
  for (const JsonNode &each : json["decoders"].elements())
    steps.push_back(makeDecoder(each));
  return [steps](std::string token, bool isFirst) {
    for (const Decoder &step : steps)
      token = step(std::move(token), isFirst);
    return token;
  };
}

constexpr struct {
  const char *name;
  Decoder (*make)(const JsonNode &json);
} kinds[] = {{"ByteFallback", makeByteFallback},
             {"ByteLevel", makeByteLevel},
             {"Fuse", makeFuse},
             {"Metaspace", makeMetaspace},
             {"Replace", makeReplace},
             {"Sequence", makeSequence},
             {"Strip", makeStrip},
             {"WordPiece", makeWordPiece}};

} // namespace

Decoder makeDecoder(const std::optional<JsonNode> &json) {
  if (!json)
    return [](std::string token, bool isFirst) { return isFirst ? token : " " + token; };
  return (*json)["type"].choose(kinds).make(*json);
}

} // namespace plc::text
