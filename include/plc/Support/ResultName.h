//===- ResultName.h - the kinds of results, by their names ------*- C++ -*-===//
#ifndef PLC_SUPPORT_RESULTNAME_H
#define PLC_SUPPORT_RESULTNAME_H

#include <string>
#include <string_view>

namespace plc {

/// The output that training minimizes.
inline constexpr const char *lossName = "loss";

/// The three kinds of results that a caller can request, as text:
///
///   logits          an output of the model
///   grad(x)         the gradient of the output 'loss' for an input or a parameter; its path may hold points
///   attention.3.p   the value of a rule, by the path of its layer
struct ResultName {
  enum class Kind { Output, Gradient, RuleValue };
  Kind kind;
  /// The output; what the gradient is for; or path and name of the rule's value. Points into the parsed text.
  std::string_view name;

  bool isGradient() const { return kind == Kind::Gradient; }
  bool isRuleValue() const { return kind == Kind::RuleValue; }
};

inline ResultName parseResultName(std::string_view text) {
  constexpr std::string_view open = "grad(";
  if (text.starts_with(open) && text.ends_with(")"))
    return {ResultName::Kind::Gradient, text.substr(open.size(), text.size() - open.size() - 1)};
  // Neither an unclosed 'grad(' nor a state is a path: each is refused by its whole name, as an unknown output.
  bool isState = text.starts_with("state(") && text.ends_with(")");
  bool hasPath = text.find('.') != std::string_view::npos && !text.starts_with(open) && !isState;
  return {hasPath ? ResultName::Kind::RuleValue : ResultName::Kind::Output, text};
}

/// "grad(x)", which `parseResultName` reads.
inline std::string gradientName(std::string_view of) { return "grad(" + std::string(of) + ")"; }

} // namespace plc

#endif
