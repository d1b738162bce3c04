// The table of transports, and how one is chosen by name.
#ifndef PLC_RUNTIME_TRANSPORTS_H
#define PLC_RUNTIME_TRANSPORTS_H

#include "Manifest.h"
#include "plc/Runtime/Transport.h"
#include "plc/Support/Transports.h"

#include <memory>

namespace plc::runtime {

std::unique_ptr<Transport> makeTransport(TransportKind kind, const EntryPlan &entry);
/// By name; a usageError tells which there are.
TransportKind findTransport(const std::string &name);

} // namespace plc::runtime

#endif
