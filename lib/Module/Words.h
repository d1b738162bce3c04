//===- Words.h - the words of manifests -------------------------*- C++ -*-===//
#ifndef PLC_LIB_MODULE_WORDS_H
#define PLC_LIB_MODULE_WORDS_H

#include "plc/Module/ActionTable.h"
#include "plc/Support/Choice.h"

/// In the order of the enum, as all tables of choices are.
template <>
struct plc::Choice<plc::module::BufferKind> {
  static constexpr const char *noun = "static";
  static constexpr NamedRow table[] = {{"parameter"}, {"gradient"}, {"moment"},      {"average"},
                                       {"input"},     {"output"},   {"precomputed"}, {"state"}};
  static std::span<const NamedRow> rows() { return table; }
};

template <>
struct plc::Choice<plc::module::ActionInfo::Op> {
  static constexpr const char *noun = "action";
  static constexpr NamedRow table[] = {{"run"},       {"post_recv"}, {"wait_recv"}, {"send"},
                                       {"wait_send"}, {"drop"},      {"step"}};
  static std::span<const NamedRow> rows() { return table; }
};

#endif
