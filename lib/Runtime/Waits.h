// Which rank waits for which, so that a cycle of waits is told at once.
#ifndef PLC_RUNTIME_WAITS_H
#define PLC_RUNTIME_WAITS_H

#include "Channel.h"
#include "GradientNormReduction.h"

namespace plc::runtime {

/// What a rank waits for: a message's copy, or the step of other ranks.
struct Wait {
  const Channel *channel = nullptr; // or
  const GradientNormReduction *exchange = nullptr;
  int64_t message = 0;
  bool sends = false; // this rank is the channel's source

  bool done() const { return channel ? channel->done(message) : exchange->done(); }
  /// It goes on only after that rank has acted.
  bool awaits(size_t rank) const;
  /// "rank 1 waits for 'y', micro-batch 0, which rank 0 has not sent"
  std::string text(size_t rank) const;
};

class Waits {
public:
  explicit Waits(size_t numRanks) : present(numRanks) { path.reserve(numRanks); }

  /// The rank begins to wait. If that closes a cycle, none of its ranks can ever go on: an error (exit code 5) that
  /// lists their waits, else nothing.
  std::optional<Error> begin(size_t rank, const Wait &wait);
  void end(size_t rank);

  bool waits(size_t rank) const;
  /// One line for every rank that waits.
  std::vector<std::string> lines() const;

private:
  bool findCycle();

  mutable std::mutex mutex;
  std::vector<std::optional<Wait>> present; // by rank
  std::vector<size_t> path;                 // ranks of which each awaits the next
};

} // namespace plc::runtime

#endif
