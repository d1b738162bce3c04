//===- ChoiceOption.h - choices as options of passes ------------*- C++ -*-===//
#ifndef PLC_SUPPORT_CHOICEOPTION_H
#define PLC_SUPPORT_CHOICEOPTION_H

#include "plc/Support/Choice.h"

#include "llvm/Support/CommandLine.h"

namespace plc {

template <typename Kind>
concept IsChoice = requires { Choice<Kind>::noun; };

} // namespace plc

/// An option whose type is a choice takes the names of its table, so `Option<"schedule", .., "ScheduleKind", ..>` of a
/// pass says no more than the enum.
template <plc::IsChoice Kind>
class llvm::cl::parser<Kind> : public llvm::cl::basic_parser<Kind> {
public:
  using llvm::cl::basic_parser<Kind>::basic_parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef name, Kind &kind) {
    std::optional<Kind> found = plc::parseChoice<Kind>(name);
    if (!found)
      return option.error(plc::describeUnknown<Kind>(name));
    kind = *found;
    return false;
  }

  static void print(llvm::raw_ostream &os, const Kind &kind) { os << plc::nameOfChoice(kind); }

  void printOptionDiff(const llvm::cl::Option &option, Kind, const llvm::cl::OptionValue<Kind> &, size_t width) const {
    this->printOptionNoValue(option, width);
  }

  llvm::StringRef getValueName() const override { return plc::Choice<Kind>::noun; }
  void anchor() override {}
};

#endif
