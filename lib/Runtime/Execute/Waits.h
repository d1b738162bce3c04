// Which rank waits for which, so that a cycle of waits is told at once.
#ifndef PLC_LIB_RUNTIME_EXECUTE_WAITS_H
#define PLC_LIB_RUNTIME_EXECUTE_WAITS_H

#include "plc/Runtime/Base/ManifestChecks.h"
#include "plc/Runtime/Execute/Transport.h"

#include <mutex>
#include <optional>
#include <span>

namespace plc::runtime {

/// The waits of a session's ranks. Ranks of other sessions are waited for, but seem never to wait.
class Waits {
public:
  Waits(const EntryPlan &entry, const Transport &transport)
      : entry(entry), transport(transport), present(entry.ranks.size()) {
    path.reserve(entry.ranks.size());
    for (std::vector<Wait> &waits : present)
      waits.reserve(entry.channels.size() + 1);
  }

  /// A rank begins to wait until any of these ends. If that closes a cycle, none of its ranks can ever go on: an error (exit
  /// code 5) that lists their waits, else nothing.
  std::optional<Error> begin(std::span<const Wait> waits);
  std::optional<Error> begin(const Wait &wait) { return begin({&wait, 1}); }
  void end(size_t rank);

  bool waits(size_t rank) const;
  /// One line for every rank that waits.
  std::vector<std::string> lines() const;

private:
  bool findCycle();
  bool findStuck(size_t rank);
  std::string textOf(const Wait &wait) const;

  const EntryPlan &entry;
  const Transport &transport;
  mutable std::mutex mutex;
  std::vector<std::vector<Wait>> present; // by rank: those of which one must end; none: it does not wait
  std::vector<size_t> path;               // ranks of which each awaits the next
};

} // namespace plc::runtime

#endif
