// Codecs without a tokenizer: bytes and plain numbers.
#include "plc/Runtime/Base/TextCodec.h"

#include "plc/Runtime/Base/Error.h"

#include <charconv>

namespace plc::runtime {

std::vector<std::string> TextCodec::pieces(const std::vector<int64_t> &tokens) const {
  std::vector<std::string> all;
  bool isFirst = true;
  for (int64_t token : tokens) {
    all.push_back(piece(token, isFirst).value_or(""));
    isFirst &= isMark(token);
  }
  return all;
}

namespace {

class ByteCodec final : public TextCodec {
public:
  const char *noun() const override { return "byte"; }
  std::vector<int64_t> encode(const std::string &text) const override {
    std::vector<int64_t> bytes;
    for (char byte : text)
      bytes.push_back(static_cast<unsigned char>(byte));
    return bytes;
  }
  std::optional<std::string> piece(int64_t token, bool) const override {
    return token < 0 || token > 255 ? std::nullopt : std::optional(std::string(1, static_cast<char>(token)));
  }
  std::optional<int64_t> markOf(const std::string &) const override { return std::nullopt; }
};

class NumberCodec final : public TextCodec {
public:
  const char *noun() const override { return "token"; }
  std::vector<int64_t> encode(const std::string &text) const override {
    std::vector<int64_t> numbers;
    const char *at = text.data(), *end = at + text.size();
    for (;;) {
      while (at != end && (*at == ' ' || *at == ','))
        ++at;
      if (at == end)
        return numbers;
      int64_t number = 0;
      auto [behind, error] = std::from_chars(at, end, number);
      if (error != std::errc() || (behind != end && *behind != ' ' && *behind != ','))
        throw usageError("found '" + text + "', expected numbers of tokens such as 464,3290");
      numbers.push_back(number);
      at = behind;
    }
  }
  std::optional<std::string> piece(int64_t token, bool isFirst) const override {
    return (isFirst ? "" : " ") + std::to_string(token);
  }
  std::optional<int64_t> markOf(const std::string &text) const override {
    std::vector<int64_t> numbers = encode(text);
    return numbers.size() == 1 ? std::optional(numbers[0]) : std::nullopt;
  }
};

} // namespace

std::unique_ptr<TextCodec> byteCodec() { return std::make_unique<ByteCodec>(); }
std::unique_ptr<TextCodec> numberCodec() { return std::make_unique<NumberCodec>(); }

} // namespace plc::runtime
