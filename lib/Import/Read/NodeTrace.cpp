// Reads the texts by which PyTorch says where a node comes from.
#include "Read/NodeTrace.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace plc::import {

/// Splits at commas outside of brackets: a key may be "getattr(L__self__.layers, '0')".
static llvm::SmallVector<StringRef> splitItem(StringRef item) {
  llvm::SmallVector<StringRef> fields;
  size_t depth = 0, begin = 0;
  for (size_t at = 0; at < item.size(); ++at) {
    char c = item[at];
    if (c == '(' || c == '[')
      ++depth;
    else if (c == ')' || c == ']')
      depth -= depth > 0;
    if (c != ',' || depth > 0)
      continue;
    fields.push_back(item.slice(begin, at));
    begin = at + 1;
  }
  fields.push_back(item.substr(begin));
  return fields;
}

/// Removes the numbers of calls: the second call of a module is "fc@1".
static std::string withoutCalls(StringRef path) {
  std::string result;
  while (!path.empty()) {
    auto [before, after] = path.split('@');
    result += before;
    path = after.drop_while(llvm::isDigit);
  }
  return result;
}

std::vector<ModuleFrame> moduleFrames(std::string_view stack) {
  std::vector<ModuleFrame> frames;
  llvm::SmallVector<StringRef> items;
  StringRef(stack).split(items, ';', -1, false);
  for (StringRef item : items)
    if (llvm::SmallVector<StringRef> fields = splitItem(item); fields.size() == 3)
      frames.push_back({withoutCalls(fields[1]), fields[2].str()});
  return frames;
}

static bool isOfPyTorch(StringRef file) {
  return file.contains("site-packages/torch/") || file.contains("dist-packages/torch/") || file.starts_with("<");
}

SourceLine userLine(std::string_view trace) {
  SourceLine found;
  llvm::SmallVector<StringRef> lines;
  StringRef(trace).split(lines, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    StringRef rest = lines[i].trim();
    if (!rest.consume_front("File \""))
      continue;
    auto [file, position] = rest.split("\", line ");
    int64_t line;
    if (position.take_while(llvm::isDigit).getAsInteger(10, line) || isOfPyTorch(file))
      continue;
    StringRef text = i + 1 < lines.size() ? lines[i + 1].trim() : StringRef();
    found = {file.str(), text.starts_with("File \"") ? std::string() : text.str(), line};
  }
  return found;
}

} // namespace plc::import
