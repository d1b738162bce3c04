// A tokenizer's steps around its model, each made from its JSON.
#ifndef PLC_TEXT_STEPS_H
#define PLC_TEXT_STEPS_H

#include "plc/Support/JsonNode.h"

#include <functional>
#include <string>
#include <vector>

namespace plc::text {

/// Rewrites a text before it is cut.
using Normalizer = std::function<std::string(std::string)>;

/// A part of a text, which the model tokenizes by itself.
struct Piece {
  std::string text;
  bool isFirst = false; // of the whole text
};
/// Cuts parts into smaller ones.
using PreTokenizer = std::function<std::vector<Piece>(Piece)>;

/// The bytes that a token's text adds to a text, of which it may be the first.
using Decoder = std::function<std::string(std::string, bool isFirst)>;

/// Null makes one that changes nothing; for a decoder, that is to put a blank between tokens.
Normalizer makeNormalizer(const std::optional<JsonNode> &json);
PreTokenizer makePreTokenizer(const std::optional<JsonNode> &json);
Decoder makeDecoder(const std::optional<JsonNode> &json);

/// The characters by which byte-level tokens write bytes (GPT-2): printable ASCII and Latin-1 are themselves, other
/// bytes are characters from U+0100 on, in order.
std::string charactersOfBytes(std::string_view bytes);
/// The inverse; nullopt if some character is none of these.
std::optional<std::string> bytesOfCharacters(std::string_view characters);

/// `text` with each `from` replaced; an empty `from` occurs nowhere.
std::string replaceAll(std::string text, const std::string &from, const std::string &to);

} // namespace plc::text

#endif
