// Rewrites text before it is cut: Unicode forms, case, accents.
#include "Steps.h"
#include "Unicode.h"

namespace plc::text {

namespace {

/// CJK ideographs, each of which is a word to BERT; the ranges are BERT's.
bool isIdeograph(char32_t c) {
  constexpr std::pair<char32_t, char32_t> ranges[] = {{0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0x20000, 0x2a6df},
                                                      {0x2a700, 0x2b73f}, {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf},
                                                      {0xf900, 0xfaff},   {0x2f800, 0x2fa1f}};
  for (auto [first, last] : ranges)
    if (c >= first && c <= last)
      return true;
  return false;
}

/// BERT's clean_text: drops control characters, and makes every white space a blank.
std::string clean(std::string_view text) {
  return mapCharacters(text, [](char32_t c, std::string &out) {
    bool isBlank = c == '\t' || c == '\n' || c == '\r' || isWhiteSpace(c);
    bool isDropped = c == 0 || c == 0xfffd || (isControl(c) && c != '\t' && c != '\n' && c != '\r');
    if (!isDropped)
      append(out, isBlank ? U' ' : c);
  });
}

std::string lowerCase(std::string_view text) { return mapCharacters(text, appendLowerCase); }

std::string without(std::string_view text, bool (*isDropped)(char32_t)) {
  return mapCharacters(text, [&](char32_t c, std::string &out) {
    if (!isDropped(c))
      append(out, c);
  });
}

Normalizer makeBert(const JsonNode &json) {
  bool cleans = json.booleanOr("clean_text", true), pieces = json.booleanOr("handle_chinese_chars", true);
  bool lowers = json.booleanOr("lowercase", true), strips = json.booleanOr("strip_accents", lowers);
  return [=](std::string text) {
    if (cleans)
      text = clean(text);
    if (pieces)
      text = mapCharacters(text, [](char32_t c, std::string &out) {
        out += isIdeograph(c) ? " " : "";
        append(out, c);
        out += isIdeograph(c) ? " " : "";
      });
    if (strips)
      text = without(normalize(Normalization::D, text), isNonSpacingMark);
    return lowers ? lowerCase(text) : text;
  };
}

template <Normalization form>
Normalizer makeForm(const JsonNode &) {
  return [](std::string text) { return normalize(form, text); };
}

Normalizer makeLowerCase(const JsonNode &) {
  return [](std::string text) { return lowerCase(text); };
}

Normalizer makeStripAccents(const JsonNode &) {
  return [](std::string text) { return without(text, isMark); };
}

Normalizer makeStrip(const JsonNode &json) {
  bool left = json.booleanOr("strip_left", true), right = json.booleanOr("strip_right", true);
  return [=](std::string text) {
    size_t begin = text.size(), end = 0;
    forEachCharacter(text, [&](char32_t c, size_t first, size_t behind) {
      if (!isWhiteSpace(c)) {
        begin = std::min(begin, first);
        end = behind;
      }
    });
    begin = left ? begin : 0;
    end = right ? end : text.size();
    return begin < end ? text.substr(begin, end - begin) : "";
  };
}

Normalizer makePrepend(const JsonNode &json) {
  return [first = json["prepend"].string()](std::string text) { return text.empty() ? text : first + text; };
}

Normalizer makeReplace(const JsonNode &json) {
  JsonNode pattern = json["pattern"];
  std::string to = json["content"].string();
  if (auto from = pattern.find("String"))
    return [from = from->string(), to](std::string text) { return replaceAll(std::move(text), from, to); };
  try {
    return [regex = Regex(pattern["Regex"].string()), to](std::string text) {
      std::string replaced;
      size_t at = 0;
      regex.forEachMatch(text, [&](size_t begin, size_t end) {
        replaced += text.substr(at, begin - at) + to;
        at = end;
      });
      return replaced + text.substr(at);
    };
  } catch (const std::invalid_argument &wrong) {
    pattern.fail(std::string("is no regular expression: ") + wrong.what());
  }
}

Normalizer makeSequence(const JsonNode &json) {
  std::vector<Normalizer> steps;
  for (const JsonNode &each : json["normalizers"].elements())
    steps.push_back(makeNormalizer(each));
  return [steps](std::string text) {
    for (const Normalizer &step : steps)
      text = step(std::move(text));
    return text;
  };
}

constexpr struct {
  const char *name;
  Normalizer (*make)(const JsonNode &json);
} kinds[] = {{"BertNormalizer", makeBert},
             {"Lowercase", makeLowerCase},
             {"NFC", makeForm<Normalization::C>},
             {"NFD", makeForm<Normalization::D>},
             {"NFKC", makeForm<Normalization::KC>},
             {"NFKD", makeForm<Normalization::KD>},
             {"Prepend", makePrepend},
             {"Replace", makeReplace},
             {"Sequence", makeSequence},
             {"Strip", makeStrip},
             {"StripAccents", makeStripAccents}};

} // namespace

std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

Normalizer makeNormalizer(const std::optional<JsonNode> &json) {
  if (!json)
    return [](std::string text) { return text; };
  return (*json)["type"].choose(kinds).make(*json);
}

} // namespace plc::text
