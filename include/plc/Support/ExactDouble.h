//===- ExactDouble.h - numbers as options of passes -------------*- C++ -*-===//
#ifndef PLC_SUPPORT_EXACTDOUBLE_H
#define PLC_SUPPORT_EXACTDOUBLE_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>

namespace plc {

/// The type of a pass option that is a number. It prints all digits, so a printed pipeline reads back as the same one.
/// An option of type `double` prints only six.
struct ExactDouble {
  double value;

  ExactDouble(double value = 0) : value(value) {}
  operator double() const { return value; }
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const ExactDouble &number) {
  char digits[32];
  auto end = std::to_chars(digits, digits + sizeof(digits), number.value);
  return os << llvm::StringRef(digits, end.ptr - digits);
}

} // namespace plc

namespace llvm::cl {

template <>
class parser<plc::ExactDouble> : public basic_parser<plc::ExactDouble> {
public:
  using basic_parser::basic_parser;

  bool parse(Option &option, StringRef, StringRef text, plc::ExactDouble &number) {
    if (text.getAsDouble(number.value))
      return option.error("'" + text + "' value invalid for floating point argument!");
    return false;
  }
  StringRef getValueName() const override { return "number"; }
  void printOptionDiff(const Option &option, const plc::ExactDouble &, OptVal, size_t width) const {
    printOptionNoValue(option, width);
  }
};

} // namespace llvm::cl

#endif
