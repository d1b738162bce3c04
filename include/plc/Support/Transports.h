//===- Transports.h - the names of the transports ---------------*- C++ -*-===//
#ifndef PLC_SUPPORT_TRANSPORTS_H
#define PLC_SUPPORT_TRANSPORTS_H

namespace plc {

/// The values of the strategy's key 'machine.transport'; the first is the default.
inline constexpr const char *transportNames[] = {
#define PLC_TRANSPORT(NAME, MAKE) NAME,
#include "plc/Support/Transports.def"
};

} // namespace plc

#endif
