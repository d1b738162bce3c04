#include "Transports.h"

#include "plc/Support/Transports.h"

#include <iterator>

namespace plc::runtime {

#define PLC_TRANSPORT(NAME, MAKE) std::unique_ptr<Transport> MAKE(const EntryPlan &entry);
#include "plc/Support/Transports.def"

namespace {
constexpr TransportKind transports[] = {
#define PLC_TRANSPORT(NAME, MAKE) {NAME, MAKE},
#include "plc/Support/Transports.def"
};
static_assert(std::size(transports) == std::size(transportNames));
} // namespace

const TransportKind &defaultTransport() { return transports[0]; }

const TransportKind &findTransport(const std::string &name) {
  std::string names;
  for (const TransportKind &kind : transports) {
    if (name == kind.name)
      return kind;
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw usageError("found '" + name + "' for key 'machine.transport', expected one of " + names);
}

} // namespace plc::runtime
