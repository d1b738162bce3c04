// The table of transports, and how one is chosen by name.
#ifndef PLC_RUNTIME_TRANSPORTS_H
#define PLC_RUNTIME_TRANSPORTS_H

#include "Manifest.h"
#include "plc/Runtime/Transport.h"

#include <memory>

namespace plc::runtime {

/// One row for each of plc::transportNames.
struct TransportKind {
  const char *name;
  std::unique_ptr<Transport> (*make)(const EntryPlan &entry);
};

/// The default, which works wherever the module does.
const TransportKind &defaultTransport();
/// By name; a usageError tells which there are.
const TransportKind &findTransport(const std::string &name);

} // namespace plc::runtime

#endif
