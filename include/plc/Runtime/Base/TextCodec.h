// Between text and the tokens that a language model reads and writes.
#ifndef PLC_RUNTIME_BASE_TEXTCODEC_H
#define PLC_RUNTIME_BASE_TEXTCODEC_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plc::runtime {

/// Encodes text as tokens, and decodes tokens one by one, as a model generates them.
class TextCodec {
public:
  virtual ~TextCodec() = default;

  /// A token's name in messages: "byte", "token".
  virtual const char *noun() const = 0;
  /// Throws Error if the text has no tokens.
  virtual std::vector<int64_t> encode(const std::string &text) const = 0;
  /// The bytes that a token appends to a text, of which it may be the first token. Nullopt if there is no such token.
  virtual std::optional<std::string> piece(int64_t token, bool isFirst) const = 0;
  /// The bytes that each token appends to a text that begins with these. A token that appends nothing does not count as
  /// the first.
  std::vector<std::string> pieces(const std::vector<int64_t> &tokens) const;
  /// Whether a token marks a position, such as the end of a text, and appends nothing.
  virtual bool isMark(int64_t) const { return false; }
  /// The token that stands for all of this text and nothing else, such as the one for the end of a text.
  virtual std::optional<int64_t> markOf(const std::string &text) const = 0;
};

/// Makes a codec from the text of a file; throws Error.
using TextCodecReader = std::unique_ptr<TextCodec> (*)(const std::string &file, const std::string &text);

/// Each byte is a token.
std::unique_ptr<TextCodec> byteCodec();
/// Text is the numbers themselves, separated by commas or spaces.
std::unique_ptr<TextCodec> numberCodec();

} // namespace plc::runtime

#endif
