// One entry of a module, ready to run: its ranks as threads, its channels, its first error.
#ifndef PLC_RUNTIME_SESSION_H
#define PLC_RUNTIME_SESSION_H

#include "Rank.h"
#include "Watchdog.h"

#include <condition_variable>
#include <exception>
#include <thread>

namespace plc::runtime {

class Session {
public:
  /// hangTimeout in seconds; 0: no rank is watched.
  Session(const Manifest &manifest, const EntryPlan &entry, int64_t threadsPerStage, double hangTimeout);
  ~Session();
  Session(const Session &) = delete;

  /// Runs every rank's action table once, with the given whole-batch inputs. Throws the first error, after every rank
  /// has stopped; the session must not be run again then.
  void run(int64_t step, const std::vector<Bytes> &inputs, const Probe &probe = {});

  /// A rank did not stop within two seconds of an error: its thread may still use this session and the module's code,
  /// so neither may ever be destroyed.
  bool abandoned() const { return lost; }

  /// An output of the last run, as a whole: an output per micro-batch is their sum in order.
  Bytes output(size_t index) const;
  /// Its values per micro-batch.
  std::vector<double> outputPerMicroBatch(size_t index) const;

  const std::vector<std::unique_ptr<Rank>> &ranks() const { return allRanks; }
  const EntryPlan &plan() const { return entry; }
  /// Chunks of a rank's kernels that other workers than its own computed.
  int64_t numHelped(size_t rank) const { return shared.workers.job(rank).numHelped(); }

private:
  void serve(size_t index);
  void execute(size_t rank, Workers::Worker &worker);
  void setInputs(const std::vector<Bytes> &inputs);
  void setInput(const TensorInfo &info, const Bytes &input, std::byte *place) const;
  template <class Part>
  void forEachMicroBatch(const TensorInfo &info, Part part) const;
  void stopAll(std::exception_ptr error);
  void watch(std::unique_lock<std::mutex> &lock);
  void look(Watchdog &watchdog);

  const EntryPlan &entry;
  int64_t hangTimeoutNs;
  Shared shared;
  std::vector<std::unique_ptr<Rank>> allRanks;

  std::mutex mutex;
  std::condition_variable changed; // running or firstError, for the thread in run()
  int64_t step = 0;
  Probe probe;
  std::atomic<uint64_t> round{0}; // of runs; rank threads wait for the next
  std::atomic<bool> leaving{false};
  size_t running = 0;
  std::exception_ptr firstError;
  bool lost = false;
  std::vector<std::thread> threads; // one per worker
};

} // namespace plc::runtime

#endif
