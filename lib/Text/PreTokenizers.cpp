// Cuts text into words before the model sees them.
#include "Steps.h"
#include "Unicode.h"

namespace plc::text {

namespace {

/// What happens to the text that a pattern matches.
enum class Behavior { Contiguous, Isolated, MergedWithNext, MergedWithPrevious, Removed };
constexpr struct {
  const char *name;
  Behavior behavior;
} behaviors[] = {{"Contiguous", Behavior::Contiguous},
                 {"Isolated", Behavior::Isolated},
                 {"MergedWithNext", Behavior::MergedWithNext},
                 {"MergedWithPrevious", Behavior::MergedWithPrevious},
                 {"Removed", Behavior::Removed}};

struct Run {
  size_t begin, end;
  bool isMatch;
};
/// Cuts a text into matches and the text between them.
using Pattern = std::function<std::vector<Run>(const std::string &text)>;

/// The runs that become parts of their own.
std::vector<Run> arrange(const std::vector<Run> &runs, Behavior behavior) {
  std::vector<Run> arranged;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run &run = runs[i];
    bool joins = false; // the run before it
    switch (behavior) {
    case Behavior::Removed:
      if (run.isMatch)
        continue;
      break;
    case Behavior::Isolated: break;
    case Behavior::Contiguous: joins = i && runs[i - 1].isMatch == run.isMatch; break;
    case Behavior::MergedWithPrevious: joins = i && run.isMatch && !runs[i - 1].isMatch; break;
    case Behavior::MergedWithNext: joins = i && !run.isMatch && runs[i - 1].isMatch; break;
    }
    if (joins)
      arranged.back().end = run.end;
    else
      arranged.push_back(run);
  }
  return arranged;
}

PreTokenizer splitter(Pattern pattern, Behavior behavior) {
  return [=](const Piece &piece) {
    std::vector<Piece> pieces;
    for (const Run &run : arrange(pattern(piece.text), behavior))
      if (run.begin < run.end)
        pieces.push_back({piece.text.substr(run.begin, run.end - run.begin), piece.isFirst && run.begin == 0});
    return pieces;
  };
}

/// Each character for which `holds` is true is a match by itself.
Pattern characters(bool (*holds)(char32_t)) {
  return [=](const std::string &text) {
    std::vector<Run> runs;
    forEachCharacter(text, [&](char32_t c, size_t begin, size_t end) {
      bool isMatch = holds(c);
      if (!isMatch && !runs.empty() && !runs.back().isMatch)
        runs.back().end = end;
      else
        runs.push_back({begin, end, isMatch});
    });
    return runs;
  };
}

Pattern expression(const Regex &regex, bool inverted) {
  return [=](const std::string &text) {
    std::vector<Run> runs;
    size_t at = 0;
    auto add = [&](size_t begin, size_t end, bool isMatch) {
      if (begin < end)
        runs.push_back({begin, end, isMatch != inverted});
    };
    regex.forEachMatch(text, [&](size_t begin, size_t end) {
      add(at, begin, false);
      add(begin, end, true);
      at = end;
    });
    add(at, text.size(), false);
    return runs;
  };
}

std::string escaped(const std::string &text) {
  std::string pattern;
  for (char c : text)
    pattern += (static_cast<unsigned char>(c) < 128 && std::ispunct(static_cast<unsigned char>(c)) ? "\\" : "") +
               std::string(1, c);
  return pattern;
}

/// Applies steps one after another, each to all parts.
PreTokenizer chain(std::vector<PreTokenizer> steps) {
  return [steps = std::move(steps)](const Piece &whole) {
    std::vector<Piece> pieces = {whole};
    for (const PreTokenizer &step : steps) {
      std::vector<Piece> smaller;
      for (Piece &piece : pieces)
        for (Piece &each : step(std::move(piece)))
          smaller.push_back(std::move(each));
      pieces = std::move(smaller);
    }
    return pieces;
  };
}

Behavior behaviorOf(const JsonNode &json, Behavior otherwise) {
  auto found = json.find("behavior");
  return found ? found->choose(behaviors).behavior : otherwise;
}

PreTokenizer makeSplit(const JsonNode &json) {
  JsonNode pattern = json["pattern"];
  auto text = pattern.find("String");
  std::string regex = text ? escaped(text->string()) : pattern["Regex"].string();
  try {
    return splitter(expression(Regex(regex), json.booleanOr("invert", false)), behaviorOf(json, Behavior::Isolated));
  } catch (const std::invalid_argument &wrong) {
    pattern.fail(std::string("is no regular expression: ") + wrong.what());
  }
}

/// The words of GPT-2: English endings; letters, digits or other characters with one blank before them; blanks.
constexpr const char *byteLevelWords = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

PreTokenizer makeByteLevel(const JsonNode &json) {
  std::vector<PreTokenizer> steps;
  if (json.booleanOr("add_prefix_space", true))
    steps.push_back([](Piece piece) {
      if (!piece.text.starts_with(' '))
        piece.text.insert(0, " ");
      return std::vector{piece};
    });
  if (json.booleanOr("use_regex", true))
    steps.push_back(splitter(expression(Regex(byteLevelWords), false), Behavior::Isolated));
  steps.push_back([](Piece piece) {
    piece.text = charactersOfBytes(piece.text);
    return std::vector{piece};
  });
  return chain(std::move(steps));
}

PreTokenizer makeBert(const JsonNode &) {
  return chain(
      {splitter(characters(isWhiteSpace), Behavior::Removed), splitter(characters(isPunctuation), Behavior::Isolated)});
}

PreTokenizer makePunctuation(const JsonNode &json) {
  return splitter(characters(isPunctuation), behaviorOf(json, Behavior::Isolated));
}

PreTokenizer makeDigits(const JsonNode &json) {
  bool single = json.booleanOr("individual_digits", false);
  return splitter(characters(isNumeric), single ? Behavior::Isolated : Behavior::Contiguous);
}

PreTokenizer makeWhitespace(const JsonNode &) {
  return splitter(expression(Regex(R"(\w+|[^\w\s]+)"), true), Behavior::Removed);
}

PreTokenizer makeWhitespaceSplit(const JsonNode &) { return splitter(characters(isWhiteSpace), Behavior::Removed); }

/// Where a blank is put before the text.
constexpr struct {
  const char *name;
  bool always, first;
} schemes[] = {{"always", true, true}, {"first", false, true}, {"never", false, false}};

PreTokenizer makeMetaspace(const JsonNode &json) {
  std::string mark = json.stringOr("replacement", "\u2581");
  auto given = json.find("prepend_scheme");
  auto scheme = given ? given->choose(schemes) : schemes[0];
  bool splits = json.booleanOr("split", true);
  PreTokenizer split = splitter(expression(Regex(escaped(mark)), false), Behavior::MergedWithNext);
  return [=](Piece piece) {
    piece.text = replaceAll(piece.text, " ", mark);
    if ((scheme.always || (scheme.first && piece.isFirst)) && !piece.text.starts_with(mark))
      piece.text = mark + piece.text;
    return splits ? split(piece) : std::vector{piece};
  };
}

PreTokenizer makeSequence(const JsonNode &json) {
  std::vector<PreTokenizer> steps;
  for (const JsonNode &each : json["pretokenizers"].elements())
    steps.push_back(makePreTokenizer(each));
  return chain(std::move(steps));
}

constexpr struct {
  const char *name;
  PreTokenizer (*make)(const JsonNode &json);
} kinds[] = {
    {"BertPreTokenizer", makeBert}, {"ByteLevel", makeByteLevel},     {"Digits", makeDigits},
    {"Metaspace", makeMetaspace},   {"Punctuation", makePunctuation}, {"Sequence", makeSequence},
    {"Split", makeSplit},           {"Whitespace", makeWhitespace},   {"WhitespaceSplit", makeWhitespaceSplit}};

/// Whether a byte is written as itself in byte-level tokens.
bool isItself(unsigned byte) { return (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173); }

} // namespace

std::string charactersOfBytes(std::string_view bytes) {
  static const std::vector<std::string> characters = [] {
    std::vector<std::string> all(256);
    char32_t next = 256;
    for (unsigned byte = 0; byte < 256; ++byte)
      append(all[byte], isItself(byte) ? byte : next++);
    return all;
  }();
  std::string text;
  for (char byte : bytes)
    text += characters[static_cast<unsigned char>(byte)];
  return text;
}

std::optional<std::string> bytesOfCharacters(std::string_view text) {
  static const std::vector<unsigned> others = [] {
    std::vector<unsigned> all;
    for (unsigned byte = 0; byte < 256; ++byte)
      if (!isItself(byte))
        all.push_back(byte);
    return all;
  }();
  std::string bytes;
  bool fits = true;
  forEachCharacter(text, [&](char32_t c, size_t, size_t) {
    fits &= c < 256 ? isItself(c) : c - 256 < others.size();
    if (fits)
      bytes += static_cast<char>(c < 256 ? c : others[c - 256]);
  });
  return fits ? std::optional(bytes) : std::nullopt;
}

PreTokenizer makePreTokenizer(const std::optional<JsonNode> &json) {
  if (!json)
    return [](Piece piece) { return std::vector{piece}; };
  return (*json)["type"].choose(kinds).make(*json);
}

} // namespace plc::text
