// WordPiece as in BERT: longest match first.
#include "TokenModels.h"
#include "Unicode.h"

namespace plc::text {

Model makeWordPieces(const JsonNode &json, const Vocabulary &vocabulary) {
  JsonNode unknownToken = json["unk_token"];
  auto found = vocabulary.find(unknownToken.string());
  if (found == vocabulary.end())
    unknownToken.fail("is no token of the vocabulary");
  std::string prefix = json.stringOr("continuing_subword_prefix", "##");
  auto most = json.find("max_input_chars_per_word");
  return [&vocabulary, prefix, unknown = found->second,
          most = most ? most->integer(0, INT32_MAX) : 100](const std::string &piece, std::vector<int64_t> &tokens) {
    std::vector<size_t> ends; // of characters
    forEachCharacter(piece, [&](char32_t, size_t, size_t end) { ends.push_back(end); });
    // A word with an unknown rest is the unknown token as a whole.
    size_t before = tokens.size();
    bool fits = static_cast<int64_t>(ends.size()) <= most;
    for (size_t first = 0, begin = 0; fits && begin < piece.size();) {
      fits = false;
      for (size_t last = ends.size(); last-- > first && !fits;) {
        auto token = vocabulary.find((begin ? prefix : "") + piece.substr(begin, ends[last] - begin));
        fits = token != vocabulary.end();
        if (fits) {
          tokens.push_back(token->second);
          begin = ends[last];
          first = last + 1;
        }
      }
    }
    if (!fits) {
      tokens.resize(before);
      tokens.push_back(unknown);
    }
  };
}

Model makeModel(const JsonNode &json, const Vocabulary &vocabulary) {
  constexpr struct {
    const char *name;
    Model (*make)(const JsonNode &json, const Vocabulary &vocabulary);
  } kinds[] = {{"BPE", makeBytePairs}, {"WordPiece", makeWordPieces}};
  return json["type"].choose(kinds).make(json, vocabulary);
}

} // namespace plc::text
