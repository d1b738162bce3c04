//===- Transports.h - the names of the transports ---------------*- C++ -*-===//
#ifndef PLC_SUPPORT_TRANSPORTS_H
#define PLC_SUPPORT_TRANSPORTS_H

#include "plc/Support/Choice.h"

#include <cstdint>

namespace plc {

/// The values of the strategy's key 'machine.transport': what carries messages between ranks.
enum class TransportKind : uint8_t {
#define PLC_TRANSPORT(KIND, NAME, MAKE, JOIN) KIND,
#include "plc/Support/Transports.def"
};

template <>
struct Choice<TransportKind> {
  static constexpr const char *noun = "transport";
  static constexpr NamedRow table[] = {
#define PLC_TRANSPORT(KIND, NAME, MAKE, JOIN) {NAME},
#include "plc/Support/Transports.def"
  };
  static std::span<const NamedRow> rows() { return table; }
};

} // namespace plc

#endif
