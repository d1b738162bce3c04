// From tokens back to text, one token at a time.
#include "Steps.h"

#include <charconv>

namespace plc::text {

namespace {

Decoder makeByteLevel(const Json &) {
  // A token with other characters was added to the vocabulary, and stands for itself.
  return [](std::string token, bool) { return bytesOfCharacters(token).value_or(token); };
}

Decoder makeWordPiece(const Json &json) {
  std::string prefix = json.textOr("prefix", "##");
  bool cleans = json.truthOr("cleanup", true);
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

Decoder makeMetaspace(const Json &json) {
  std::string mark = json.textOr("replacement", "\u2581"), scheme = json.textOr("prepend_scheme", "always");
  constexpr std::string_view never = "never";
  return [mark, drops = scheme != never](std::string token, bool isFirst) {
    if (isFirst && drops && token.starts_with(mark))
      token = token.substr(mark.size());
    return replaceAll(std::move(token), mark, " ");
  };
}

/// `<0x0A>`: a byte without a token of its own.
Decoder makeByteFallback(const Json &) {
  return [](std::string token, bool) {
    unsigned byte = 0;
    if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>')
      return token;
    auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, byte, 16);
    return error == std::errc() && end == token.data() + 5 ? std::string(1, static_cast<char>(byte)) : token;
  };
}

Decoder makeFuse(const Json &) {
  return [](std::string token, bool) { return token; };
}

Decoder makeReplace(const Json &json) {
  return [from = json.at("pattern").at("String").text(), to = json.at("content").text()](std::string token, bool) {
    return replaceAll(std::move(token), from, to);
  };
}

/// Strips the beginning of the whole text. The end cannot be stripped, because a growing text has none.
Decoder makeStrip(const Json &json) {
  std::string content = json.at("content").text();
  int64_t start = json.at("start").number();
  if (json.at("stop").number())
    json.at("stop").fail("is not 0: a text has no end while it is written");
  return [=](std::string token, bool isFirst) {
    for (int64_t i = 0; isFirst && i < start && token.starts_with(content); ++i)
      token = token.substr(content.size());
    return token;
  };
}

Decoder makeSequence(const Json &json) {
  std::vector<Decoder> steps;
  for (const Json &each : json.at("decoders").elements())
    steps.push_back(makeDecoder(each));
  return [steps](std::string token, bool isFirst) {
    for (const Decoder &step : steps)
      token = step(std::move(token), isFirst);
    return token;
  };
}

constexpr struct {
  const char *name;
  Decoder (*make)(const Json &json);
} kinds[] = {{"ByteFallback", makeByteFallback},
             {"ByteLevel", makeByteLevel},
             {"Fuse", makeFuse},
             {"Metaspace", makeMetaspace},
             {"Replace", makeReplace},
             {"Sequence", makeSequence},
             {"Strip", makeStrip},
             {"WordPiece", makeWordPiece}};

} // namespace

Decoder makeDecoder(const std::optional<Json> &json) {
  if (!json)
    return [](std::string token, bool isFirst) { return isFirst ? token : " " + token; };
  return json->choose(kinds).make(*json);
}

} // namespace plc::text
