// The steps of a tokenizer besides its model, each made from its entry of tokenizer.json.
#ifndef PLC_TEXT_STEPS_H
#define PLC_TEXT_STEPS_H

#include "Json.h"

#include <functional>
#include <string>
#include <vector>

namespace plc::text {

/// Text to text, before anything is cut.
using Normalizer = std::function<std::string(std::string)>;

/// A part of a text that the model cuts into tokens by itself.
struct Part {
  std::string text;
  bool isFirst = false; // of the whole text
};
/// Cuts parts into smaller ones.
using PreTokenizer = std::function<std::vector<Part>(Part)>;

/// A token's text to what it adds to a text, of which it may be the first.
using Decoder = std::function<std::string(std::string, bool isFirst)>;

/// Null makes one that changes nothing; for a decoder, that is to put a blank between tokens.
Normalizer makeNormalizer(const std::optional<Json> &json);
PreTokenizer makePreTokenizer(const std::optional<Json> &json);
Decoder makeDecoder(const std::optional<Json> &json);

/// The characters by which byte-level tokens write bytes: printable ASCII and Latin-1 are themselves, every other byte is
/// a character from U+0100 on, in their order.
std::string charactersOfBytes(std::string_view bytes);
/// And back; nothing if a character is none of them.
std::optional<std::string> bytesOfCharacters(std::string_view characters);

/// `text` with every `from` replaced.
std::string replaceAll(std::string text, const std::string &from, const std::string &to);

} // namespace plc::text

#endif
