//===- Word.h - parses and prints words of enums in IR ----------*- C++ -*-===//
#ifndef PLC_SUPPORT_WORD_H
#define PLC_SUPPORT_WORD_H

#include "plc/Support/Choice.h"

#include "mlir/IR/OpImplementation.h"

namespace plc {

/// Reads one word of an enum whose values lie below 64; an error names them all.
template <typename Enum>
mlir::ParseResult parseWord(mlir::AsmParser &parser, Enum &value) {
  llvm::SMLoc location = parser.getCurrentLocation();
  std::string word;
  if (parser.parseKeywordOrString(&word))
    return mlir::failure();
  std::string words;
  for (uint32_t each = 0; each < 64; ++each) {
    llvm::StringRef known = stringifyEnum(Enum(each));
    if (!known.empty() && known == word) {
      value = Enum(each);
      return mlir::success();
    }
    if (!known.empty())
      words += (words.empty() ? "" : ", ") + known.str();
  }
  return parser.emitError(location, "found '") << word << "', expected one of " << words;
}

template <typename Enum>
void printWord(mlir::AsmPrinter &printer, Enum value) {
  printer << stringifyEnum(value);
}

/// Reads the name of a choice, between quotes unless it is a word.
template <typename Kind>
mlir::ParseResult parseChoiceName(mlir::AsmParser &parser, Kind &kind) {
  llvm::SMLoc location = parser.getCurrentLocation();
  std::string name;
  if (parser.parseKeywordOrString(&name))
    return mlir::failure();
  std::optional<Kind> found = parseChoice<Kind>(name);
  if (!found)
    return parser.emitError(location, describeUnknown<Kind>(name));
  kind = *found;
  return mlir::success();
}

template <typename Kind>
void printChoiceName(mlir::AsmPrinter &printer, Kind kind) {
  printer << '"' << nameOfChoice(kind) << '"';
}

} // namespace plc

#endif
