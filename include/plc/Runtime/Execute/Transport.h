// The seam between the ranks of a session and whatever carries their messages. Ranks that are threads of one process
// are one transport, ranks of several processes another: the rows of plc/Support/Transports.def.
#ifndef PLC_RUNTIME_EXECUTE_TRANSPORT_H
#define PLC_RUNTIME_EXECUTE_TRANSPORT_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace plc::runtime {

/// What a rank waits for before its next action.
struct Wait {
  enum class For : uint8_t { Receive, Send, Norm };
  size_t rank; // that waits
  For what;
  int64_t channel = -1; // Receive, Send: its place in the entry's list
  int64_t message = 0;  // Receive, Send: the micro-batch, or 0 in a channel used once per step
};

/// What a rank knows of a step.
struct StepShare {
  std::map<std::string, double> squares; // sums over the gradients of its parameters, by path
  double loss = 0;                       // sum over the micro-batches whose loss it computed
};

/// One entry's messages and its reduction of the gradient's norm and of the loss, as one session sees them.
///
/// A session executes some ranks of an entry, its local ranks; one session in each process has the others. All of them
/// run alike: the same runs in the same order, and between them the same calls of barrier() and broadcast().
///
/// During a run, each local rank's thread calls post, send, reduce and test for its own rank. Places stay as they are
/// until the wait for them is over.
class Transport {
public:
  virtual ~Transport() = default;

  /// Ranks of the entry that are executed here, ascending.
  virtual const std::vector<size_t> &localRanks() const = 0;
  /// Whether this is the entry's only session, so that broadcast() has nothing to do. A session may have all ranks and not
  /// be alone: one with fewer ranks than the run has processes leaves some of these without any.
  virtual bool isAlone() const { return false; }
  /// Processes of the run that may compute on the same CPUs as this one, which is one of them.
  virtual int64_t processesOnTheseCpus() const { return 1; }

  /// Whether wake() follows when a wait of a local rank ends. If not, messages make progress only inside test(), so who
  /// waits must keep calling it.
  virtual bool wakes() const = 0;
  /// The session's, before its first run: wakes the thread of a local rank.
  void connect(std::function<void(size_t rank)> wakeRank) { wake = std::move(wakeRank); }

  /// Receiver: the message shall be written to `place`. Each message is posted and sent once in a run, in either order.
  virtual void post(int64_t channel, int64_t message, std::byte *place, int64_t bytes) = 0;
  /// Sender: the message may be read from `place` from now on.
  virtual void send(int64_t channel, int64_t message, const std::byte *place, int64_t bytes) = 0;
  /// The rank brings its share, once in a run that steps.
  virtual void reduce(size_t rank, const StepShare &share) = 0;
  /// Of the whole gradient, as GradientNorm (Optimizer.h) defines it; when test() has said that the wait for it is over.
  virtual double norm() const = 0;
  /// The losses of all ranks, added in their order; likewise.
  virtual double loss() const = 0;

  /// Whether a wait is over: the message has arrived, the place that was sent may be written again, or every rank that
  /// steps has brought its part. Throws Error if it can never be: a peer is lost.
  virtual bool test(const Wait &wait) = 0;
  /// Whether the wait can end only after that rank has acted. Any thread may ask; "no" is right where it is not known.
  virtual bool awaits(const Wait &wait, size_t rank) const = 0;

  /// Any thread of a run may call this between two kernels, so that messages that were begun make progress.
  virtual void progress() {}
  /// Before a run, which `steps` or not: the messages of the last one are over, and are forgotten.
  virtual void barrier(bool steps) = 0;
  /// Between two runs: the bytes of the session that has `rank` are everybody's afterwards.
  virtual void broadcast(size_t rank, void *data, size_t bytes) = 0;
  /// A run failed here: in the other sessions test() throws from now on.
  virtual void abort() noexcept = 0;

protected:
  std::function<void(size_t rank)> wake = [](size_t) {};
};

} // namespace plc::runtime

#endif
