// The table of transports, and the choice of one by name.
#ifndef PLC_RUNTIME_EXECUTE_MAKETRANSPORT_H
#define PLC_RUNTIME_EXECUTE_MAKETRANSPORT_H

#include "plc/Runtime/Base/ManifestChecks.h"
#include "plc/Runtime/Base/ProcessGroup.h"
#include "plc/Runtime/Execute/Transport.h"
#include "plc/Support/Transports.h"

#include <memory>

namespace plc::runtime {

/// The transport of an entry. Every process of its group calls this alike.
std::unique_ptr<Transport> makeTransport(TransportKind kind, const EntryPlan &entry);
/// The processes between which the transport carries messages; joined on the first call. Null if it stays within this
/// process.
ProcessGroup *joinGroup(TransportKind kind);
/// Throws usageError, which lists the names that there are.
TransportKind findTransport(const std::string &name);

} // namespace plc::runtime

#endif
