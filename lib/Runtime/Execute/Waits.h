// Which rank waits for which, so that a cycle is found at once.
#ifndef PLC_LIB_RUNTIME_EXECUTE_WAITS_H
#define PLC_LIB_RUNTIME_EXECUTE_WAITS_H

#include "plc/Runtime/Base/ManifestChecks.h"
#include "plc/Runtime/Execute/Transport.h"

#include <mutex>
#include <optional>
#include <span>

namespace plc::runtime {

/// The wait-for graph of a session's ranks. A deadlock is reported when the wait that closes it begins, not after a
/// timeout. Ranks of other sessions may be waited for, but seem never to wait: a cycle through them is not found here.
class Waits {
public:
  Waits(const EntryPlan &entry, const Transport &transport)
      : entry(entry), transport(transport), present(entry.ranks.size()) {
    path.reserve(entry.ranks.size());
    for (std::vector<Wait> &waits : present)
      waits.reserve(entry.channels.size() + 1);
  }

  /// A rank begins to wait until any of these ends. If that closes a cycle whose ranks can never go on, returns an
  /// error (exit code 5) that lists their waits; else nullopt.
  std::optional<Error> begin(std::span<const Wait> waits);
  std::optional<Error> begin(const Wait &wait) { return begin({&wait, 1}); }
  /// The rank goes on.
  void end(size_t rank);

  bool waits(size_t rank) const;
  /// One line for each wait of each rank.
  std::vector<std::string> lines() const;

private:
  /// Both set `path` to the ranks of a cycle.
  bool findCycle();
  bool findStuck(size_t rank);
  std::string textOf(const Wait &wait) const;

  const EntryPlan &entry;
  const Transport &transport;
  mutable std::mutex mutex;
  std::vector<std::vector<Wait>> present; // by rank: alternatives, of which one must end; none: it does not wait
  std::vector<size_t> path;               // ranks of which each awaits the next
};

} // namespace plc::runtime

#endif
