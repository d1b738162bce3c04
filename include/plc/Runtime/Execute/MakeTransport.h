// The table of transports, and how one is chosen by name.
#ifndef PLC_RUNTIME_EXECUTE_MAKETRANSPORT_H
#define PLC_RUNTIME_EXECUTE_MAKETRANSPORT_H

#include "plc/Runtime/Base/ManifestChecks.h"
#include "plc/Runtime/Base/ProcessGroup.h"
#include "plc/Runtime/Execute/Transport.h"
#include "plc/Support/Transports.h"

#include <memory>

namespace plc::runtime {

/// Of an entry; every process of its group calls this alike.
std::unique_ptr<Transport> makeTransport(TransportKind kind, const EntryPlan &entry);
/// Joins the processes between which the transport carries messages, if it has not; null if it stays within this process.
ProcessGroup *joinGroup(TransportKind kind);
/// By name; a usageError tells which there are.
TransportKind findTransport(const std::string &name);

} // namespace plc::runtime

#endif
