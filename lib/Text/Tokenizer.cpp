// A tokenizer of Hugging Face's tokenizer.json.
#include "plc/Text/Tokenizer.h"

#include "Steps.h"
#include "TokenModels.h"
#include "Unicode.h"
#include "plc/Support/Json.h"

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
  explicit Tokenizer(const Json &json)
      : vocabulary(readVocabulary(json)), normalizer(makeNormalizer(json.find("normalizer"))),
        preTokenizer(makePreTokenizer(json.find("pre_tokenizer"))), model(makeModel(json.at("model"), vocabulary)),
        decoder(makeDecoder(json.find("decoder"))) {
    if (auto list = json.find("added_tokens"))
      for (const Json &each : list->elements())
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
      forEachPart(normalizer(std::string(raw)), true, [&](std::string_view part, const AddedToken *inner, bool starts) {
        if (inner)
          return tokens.push_back(inner->token);
        for (const Part &each : preTokenizer({std::string(part), isFirst && starts}))
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
  static Vocabulary readVocabulary(const Json &json) {
    Vocabulary vocabulary;
    for (const auto &[text, token] : json.at("model").at("vocab").entries())
      vocabulary[text] = token.number();
    return vocabulary;
  }

  void readAdded(const Json &json) {
    AddedToken token{json.at("id").number(),        json.at("content").text(),     json.truthOr("normalized", true),
                     json.truthOr("lstrip", false), json.truthOr("rstrip", false), {}};
    token.searched = token.isNormalized ? normalizer(token.content) : token.content;
    if (json.truthOr("special", false))
      special.insert(token.token);
    if (json.truthOr("single_word", false))
      json.at("single_word").fail("is true, which is not supported");
    if (token.content.empty())
      json.at("content").fail("is empty");
    texts[token.token] = token.content;
    added.push_back(std::move(token));
  }

  // Reads the tokens that stand before and behind every text.
  void readProcessor(const Json &json) {
    constexpr struct {
      const char *name;
      void (Tokenizer::*read)(const Json &json);
    } kinds[] = {{"BertProcessing", &Tokenizer::readEnds},
                 {"ByteLevel", &Tokenizer::readNothing},
                 {"RobertaProcessing", &Tokenizer::readEnds},
                 {"Sequence", &Tokenizer::readProcessors},
                 {"TemplateProcessing", &Tokenizer::readTemplate}};
    (this->*json.choose(kinds).read)(json);
  }

  void readNothing(const Json &) {} // only about offsets in the text

  void readProcessors(const Json &json) {
    for (const Json &each : json.at("processors").elements())
      readProcessor(each);
  }

  void readEnds(const Json &json) {
    for (auto [key, list] : {std::pair("cls", &before), std::pair("sep", &behind)}) {
      std::vector<Json> both = json.at(key).elements();
      if (both.size() != 2)
        json.at(key).fail("is no pair of a token and its number");
      list->push_back(both[1].number());
    }
  }

  void readTemplate(const Json &json) {
    std::vector<int64_t> *list = &before;
    for (const Json &each : json.at("single").elements()) {
      if (each.find("Sequence")) {
        list = &behind;
        continue;
      }
      for (const Json &token :
           json.at("special_tokens").at(each.at("SpecialToken").at("id").text()).at("ids").elements())
        list->push_back(token.number());
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
  nlohmann::json json;
  try {
    json = parseJson(text);
  } catch (const JsonError &error) {
    throw runtime::fileError(file, std::string(error.what()) + " (offset " + std::to_string(error.offset) + ")");
  }
  return std::make_unique<Tokenizer>(Json(file, json));
}

} // namespace plc::text
