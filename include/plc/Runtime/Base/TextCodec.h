// Between text and the numbers that a language model reads and writes.
#ifndef PLC_RUNTIME_BASE_TEXTCODEC_H
#define PLC_RUNTIME_BASE_TEXTCODEC_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plc::runtime {

class TextCodec {
public:
  virtual ~TextCodec() = default;

  /// What messages call a number: "byte", "token".
  virtual const char *noun() const = 0;
  /// Throws Error if the text has no tokens.
  virtual std::vector<int64_t> encode(const std::string &text) const = 0;
  /// The bytes that a token adds to a text, of which it may be the first; nothing if there is no such token.
  virtual std::optional<std::string> piece(int64_t token, bool isFirst) const = 0;
  /// The bytes that each of some tokens adds to a text that they begin; what adds nothing is not the first.
  std::vector<std::string> pieces(const std::vector<int64_t> &tokens) const;
  /// A token that marks a place, as the end of a text, and adds nothing.
  virtual bool isMark(int64_t) const { return false; }
  /// The token that stands for all of this text and for nothing else, as one for the end of a text does.
  virtual std::optional<int64_t> markOf(const std::string &text) const = 0;
};

/// Makes one from a file's text; throws Error.
using TextCodecReader = std::unique_ptr<TextCodec> (*)(const std::string &file, const std::string &text);

/// Each byte is a token.
std::unique_ptr<TextCodec> byteCodec();
/// The numbers themselves, with commas or spaces between them.
std::unique_ptr<TextCodec> numberCodec();

} // namespace plc::runtime

#endif
