// Makes a transport of each row of the table of transports.
#include "plc/Runtime/Execute/MakeTransport.h"

namespace plc::runtime {

// Each row names the two functions of a transport. They are defined beside it.
#define PLC_TRANSPORT(KIND, NAME, MAKE, JOIN)                                                                          \
  std::unique_ptr<Transport> MAKE(const EntryPlan &entry);                                                             \
  ProcessGroup *JOIN();
#include "plc/Support/Transports.def"

std::unique_ptr<Transport> makeTransport(TransportKind kind, const EntryPlan &entry) {
  switch (kind) {
#define PLC_TRANSPORT(KIND, NAME, MAKE, JOIN)                                                                          \
  case TransportKind::KIND: return MAKE(entry);
#include "plc/Support/Transports.def"
  }
  return nullptr;
}

ProcessGroup *joinGroup(TransportKind kind) {
  switch (kind) {
#define PLC_TRANSPORT(KIND, NAME, MAKE, JOIN)                                                                          \
  case TransportKind::KIND: return JOIN();
#include "plc/Support/Transports.def"
  }
  return nullptr;
}

TransportKind findTransport(const std::string &name) {
  if (auto kind = parseChoice<TransportKind>(name))
    return *kind;
  throw usageError("found '" + name + "' for key 'machine.transport', expected one of " +
                   listChoices<TransportKind>("", ", "));
}

} // namespace plc::runtime
