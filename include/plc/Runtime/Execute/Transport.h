// The interface between a session's ranks and the carrier of their messages.
#ifndef PLC_RUNTIME_EXECUTE_TRANSPORT_H
#define PLC_RUNTIME_EXECUTE_TRANSPORT_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace plc::runtime {

/// What a rank waits for before its next action: a message, the end of its own send, or the gradient's norm.
struct Wait {
  enum class For : uint8_t { Receive, Send, Norm };
  size_t rank; // the rank that waits
  For what;
  int64_t channel = -1; // Receive, Send: index in the entry's list
  int64_t message = 0;  // Receive, Send: the micro-batch, or 0 in a channel used once per step
};

/// A rank's contribution to the optimizer's step.
struct StepShare {
  std::map<std::string, double> squares; // sums over the gradients of its parameters, by path
  double loss = 0;                       // sum over the micro-batches whose loss it computed
};

/// The messages of one entry, and its reduction of the gradient's norm and of the loss, as one session sees them. Ranks
/// that are threads of one process have one kind of transport, ranks of several processes another: the rows of
/// plc/Support/Transports.def.
///
/// A session executes some ranks of an entry, its local ranks. One session in each process has the others. All of them
/// make the same runs in the same order, and between these the same calls of barrier() and broadcast().
///
/// During a run, the thread of each local rank calls post, send, reduce and test for its own rank. Buffers stay valid
/// and unchanged until the wait for them is over.
class Transport {
public:
  virtual ~Transport() = default;

  /// The ranks of the entry that are executed here, ascending.
  virtual const std::vector<size_t> &localRanks() const = 0;
  /// Whether this is the entry's only session, so that broadcast() has nothing to do. A session may have all ranks and
  /// not be alone: with fewer ranks than processes, some processes have none.
  virtual bool isAlone() const { return false; }
  /// Processes of the run that may compute on the same CPUs, this one included.
  virtual int64_t processesOnTheseCpus() const { return 1; }

  /// Whether wake() follows when a wait of a local rank ends. If not, messages make progress only inside test(), so a
  /// waiting rank must keep calling it.
  virtual bool wakes() const = 0;
  /// Called by the session before its first run: how to wake the thread of a local rank.
  void connect(std::function<void(size_t rank)> wakeRank) { wake = std::move(wakeRank); }

  /// Receiver: the message is to be written to `place`. Each message is posted and sent once in a run, in either order.
  virtual void post(int64_t channel, int64_t message, std::byte *buffer, int64_t bytes) = 0;
  /// Sender: the message may be read from `place` until the wait for the send is over.
  virtual void send(int64_t channel, int64_t message, const std::byte *buffer, int64_t bytes) = 0;
  /// Adds the share of a rank, once in a run that steps.
  virtual void reduce(size_t rank, const StepShare &share) = 0;
  /// The squares of the whole gradient, for its norm. Valid after test() has returned true for Norm.
  virtual const GradientNorm &gradient() const = 0;
  /// The losses of all ranks, added in their order. Valid as gradient() is.
  virtual double loss() const = 0;

  /// Whether a wait is over: the message has arrived, the buffer that was sent may be written again, or every rank that
  /// steps has brought its share. Throws Error if it can never be, because a peer is lost.
  virtual bool test(const Wait &wait) = 0;
  /// Whether the wait can end only after that rank has acted. Any thread may ask. False is a correct answer where it is
  /// not known.
  virtual bool awaits(const Wait &wait, size_t rank) const = 0;

  /// Any thread of a run may call this between two kernels, so that messages that were begun make progress.
  virtual void progress() {}
  /// Before a run, which `steps` or not: the messages of the last run are over, and forgotten.
  virtual void barrier(bool steps) = 0;
  /// Between two runs: afterwards all sessions have the bytes of the session that has `rank`.
  virtual void broadcast(size_t rank, void *data, size_t bytes) = 0;
  /// A run failed here: test() throws in the other sessions from now on.
  virtual void abort() noexcept = 0;

protected:
  std::function<void(size_t rank)> wake = [](size_t) {};
};

} // namespace plc::runtime

#endif
