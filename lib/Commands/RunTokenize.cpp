// `plc-run tokenize`: the tokens of a text.
#include "Runs.h"
#include "plc/Runtime/Base/Files.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace plc::runtime {

namespace {

/// A text in quotes, with bytes that cannot be seen escaped as in C.
std::string escaped(const std::string &text) {
  std::string shown = "'";
  for (char c : text) {
    char escape[8];
    auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      shown += "\\n";
    else if (c == '\'' || c == '\\')
      shown += std::string("\\") + c;
    else if (byte < 32 || byte >= 127) {
      std::snprintf(escape, sizeof(escape), "\\x%02x", static_cast<unsigned>(byte));
      shown += escape;
    } else
      shown += c;
  }
  return shown + "'";
}

/// The tokens of each line of a text, as JSON lines: rows that `--pack` reads.
std::string tokensOfLines(const TextCodec &codec, const std::string &text) {
  std::string lists;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    std::string list;
    for (int64_t token : end > begin ? codec.encode(text.substr(begin, end - begin)) : std::vector<int64_t>())
      list += (list.empty() ? "" : ", ") + std::to_string(token);
    lists += "[" + list + "]\n";
  }
  return lists;
}

} // namespace

void runTokenize(const Options &options, const Tool &tool) {
  if (options.words.size() > 2)
    throw usageError("found a third word '" + options.words[2] + "', expected a tokenizer and one text");
  const std::string &file = options.words[0], &given = options.words[1];
  if (!options.out.file.empty()) {
    options.out.check();
    checkWritable(options.out.file);
  }
  std::unique_ptr<TextCodec> codec = tool.readTokenizer(file, readFile(file));
  const std::string text = given.starts_with('@') ? readFile(given.substr(1)) : given;
  if (endOfLines(options.out.file))
    return writeFile(options.out.file, tokensOfLines(*codec, text));
  std::vector<int64_t> tokens = codec->encode(text);
  if (options.out.file.empty()) {
    std::vector<std::string> pieces = codec->pieces(tokens);
    for (size_t i = 0; i < tokens.size(); ++i)
      std::printf("%lld %s\n", static_cast<long long>(tokens[i]), escaped(pieces[i]).c_str());
    return;
  }
  Tensor tensor{{"tokens", ElementType::I32, {static_cast<int64_t>(tokens.size())}}, Bytes(4 * tokens.size())};
  for (size_t i = 0; i < tokens.size(); ++i) {
    auto token = static_cast<int32_t>(tokens[i]);
    std::memcpy(tensor.data.data() + 4 * i, &token, sizeof(token));
  }
  writeTensor(options.out, tensor);
}

} // namespace plc::runtime
