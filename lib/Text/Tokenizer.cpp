// A tokenizer of Hugging Face's tokenizer.json.
#include "plc/Text/Tokenizer.h"

#include "Steps.h"
#include "TokenModels.h"
#include "Unicode.h"
#include "plc/Runtime/Base/Error.h"

#include <unordered_set>

namespace plc::text {

namespace {

/// A token that is found in a text as it is written, before normalizer and model.
struct AddedToken {
  int64_t token;
  std::string content;
  bool isNormalized, stripsLeft, stripsRight;
  std::string searched; // the content, normalized if it is searched in normalized text
};

/// The steps of tokenizer.json in their order: added tokens, normalizer, pre-tokenizer, model, and the tokens around a
/// text.
class Tokenizer final : public runtime::TextCodec {
public:
  explicit Tokenizer(const JsonNode &json)
      : vocabulary(readVocabulary(json)), normalizer(makeNormalizer(json.find("normalizer"))),
        preTokenizer(makePreTokenizer(json.find("pre_tokenizer"))), model(makeModel(json["model"], vocabulary)),
        decoder(makeDecoder(json.find("decoder"))) {
    if (auto list = json.find("added_tokens"))
      for (const JsonNode &each : list->elements())
        readAdded(each);
    for (const auto &[text, token] : vocabulary)
      texts.try_emplace(token, text);
    if (auto processor = json.find("post_processor"))
      readProcessor(*processor);
  }

  const char *noun() const override { return "token"; }

  std::vector<int64_t> encode(const std::string &text) const override {
    std::vector<int64_t> tokens = before;
    forEachPart(text, false, [&](std::string_view raw, const AddedToken *added, bool isFirst) {
      if (added)
        return tokens.push_back(added->token);
      forEachPart(normalizer(std::string(raw)), true,
                  [&](std::string_view piece, const AddedToken *inner, bool starts) {
                    if (inner)
                      return tokens.push_back(inner->token);
                    for (const Piece &each : preTokenizer({std::string(piece), isFirst && starts}))
                      model(each.text, tokens);
                  });
    });
    tokens.insert(tokens.end(), behind.begin(), behind.end());
    return tokens;
  }

  std::optional<std::string> piece(int64_t token, bool isFirst) const override {
    auto found = texts.find(token);
    if (found == texts.end())
      return std::nullopt;
    return isMark(token) ? "" : decoder(found->second, isFirst);
  }

  bool isMark(int64_t token) const override { return special.count(token); }

  std::optional<int64_t> markOf(const std::string &text) const override {
    for (const AddedToken &each : added)
      if (each.content == text)
        return each.token;
    return std::nullopt;
  }

private:
  static Vocabulary readVocabulary(const JsonNode &json) {
    Vocabulary vocabulary;
    for (const auto &[text, token] : json["model"]["vocab"].members())
      vocabulary[text] = token.integer(0, INT32_MAX);
    return vocabulary;
  }

  void readAdded(const JsonNode &json) {
    AddedToken token{json["id"].integer(0, INT32_MAX),   json["content"].string(),
                     json.booleanOr("normalized", true), json.booleanOr("lstrip", false),
                     json.booleanOr("rstrip", false),    {}};
    token.searched = token.isNormalized ? normalizer(token.content) : token.content;
    if (json.booleanOr("special", false))
      special.insert(token.token);
    if (json.booleanOr("single_word", false))
      json["single_word"].fail("is true, which is not supported");
    if (token.content.empty())
      json["content"].fail("is empty");
    texts[token.token] = token.content;
    added.push_back(std::move(token));
  }

  /// What stands before and behind a text.
  void readProcessor(const JsonNode &json) {
    constexpr struct {
      const char *name;
      void (Tokenizer::*read)(const JsonNode &json);
    } kinds[] = {{"BertProcessing", &Tokenizer::readEnds},
                 {"ByteLevel", &Tokenizer::readNothing},
                 {"RobertaProcessing", &Tokenizer::readEnds},
                 {"Sequence", &Tokenizer::readProcessors},
                 {"TemplateProcessing", &Tokenizer::readTemplate}};
    (this->*json["type"].choose(kinds).read)(json);
  }

  void readNothing(const JsonNode &) {} // it concerns places in the text alone

  void readProcessors(const JsonNode &json) {
    for (const JsonNode &each : json["processors"].elements())
      readProcessor(each);
  }

  void readEnds(const JsonNode &json) {
    for (auto [key, list] : {std::pair("cls", &before), std::pair("sep", &behind)}) {
      std::vector<JsonNode> both = json[key].elements();
      if (both.size() != 2)
        json[key].fail("is no pair of a token and its number");
      list->push_back(both[1].integer(0, INT32_MAX));
    }
  }

  void readTemplate(const JsonNode &json) {
    std::vector<int64_t> *list = &before;
    for (const JsonNode &each : json["single"].elements()) {
      if (each.find("Sequence")) {
        list = &behind;
        continue;
      }
      for (const JsonNode &token : json["special_tokens"][each["SpecialToken"]["id"].string()]["ids"].elements())
        list->push_back(token.integer(0, INT32_MAX));
    }
  }

  // Calls f(text, added token or null, whether it begins the text) for the added tokens in a text and for the text
  // between them. Tokens with `normalized` are searched in normalized text, the others before that. At each position
  // the longest one is taken.
  template <typename Function>
  void forEachPart(const std::string &text, bool normalized, Function f) const {
    size_t from = 0, at = 0;
    auto flush = [&](size_t end) {
      if (from < end)
        f(std::string_view(text).substr(from, end - from), nullptr, from == 0);
    };
    while (at < text.size()) {
      const AddedToken *best = nullptr;
      size_t length = 0;
      for (const AddedToken &each : added) {
        const std::string &searched = each.searched;
        if (each.isNormalized == normalized && searched.size() > length &&
            text.compare(at, searched.size(), searched) == 0) {
          best = &each;
          length = searched.size();
        }
      }
      if (!best) {
        ++at;
        continue;
      }
      size_t begin = at, end = at + length;
      while (best->stripsLeft && begin > from && std::isspace(static_cast<unsigned char>(text[begin - 1])))
        --begin;
      while (best->stripsRight && end < text.size() && std::isspace(static_cast<unsigned char>(text[end])))
        ++end;
      flush(begin);
      f(std::string_view(text).substr(begin, end - begin), best, begin == 0);
      from = at = end;
    }
    flush(text.size());
  }

  Vocabulary vocabulary;
  Normalizer normalizer;
  PreTokenizer preTokenizer;
  Model model;
  Decoder decoder;
  std::vector<AddedToken> added;
  std::unordered_set<int64_t> special;            // tokens that add nothing to a text
  std::unordered_map<int64_t, std::string> texts; // by token
  std::vector<int64_t> before, behind;            // tokens around every text
};

} // namespace

std::unique_ptr<runtime::TextCodec> readTokenizer(const std::string &file, const std::string &text) {
  try {
    nlohmann::json json = parseJson(text);
    return std::make_unique<Tokenizer>(JsonNode(json));
  } catch (const JsonError &error) {
    throw runtime::fileError(file, std::string(error.what()) + " (offset " + std::to_string(error.offset) + ")");
  } catch (const JsonPathError &error) {
    throw runtime::fileError(file, (error.path.empty() ? "it" : "'" + error.path + "'") + " " + error.what());
  }
}

} // namespace plc::text
