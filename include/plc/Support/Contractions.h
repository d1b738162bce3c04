//===- Contractions.h - implementations of large contractions ---*- C++ -*-===//
#ifndef PLC_SUPPORT_CONTRACTIONS_H
#define PLC_SUPPORT_CONTRACTIONS_H

#include "plc/Support/Choice.h"

namespace plc {

/// Which code computes large contractions: the faster by the rates, calls of BLIS, or our own register tiles. Bits do
/// not depend on it.
enum class Contractions { automatic, blis, own };

struct ContractionsRow {
  const char *name;
  bool blis, tiles; ///< whether BLIS and tiles may
};

template <>
struct Choice<Contractions> {
  static constexpr const char *noun = "contractions";
  static constexpr ContractionsRow table[] = {{"auto", true, true}, {"blis", true, false}, {"own", false, true}};
  static std::span<const ContractionsRow> rows() { return table; }
};

} // namespace plc

#endif
