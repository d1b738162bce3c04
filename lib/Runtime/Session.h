// One entry of a module, ready to run: its ranks as threads, its channels, its first error.
#ifndef PLC_RUNTIME_SESSION_H
#define PLC_RUNTIME_SESSION_H

#include "Rank.h"

#include <exception>

namespace plc::runtime {

class Session {
public:
  Session(const Manifest &manifest, const EntryPlan &entry, int64_t threadsPerStage);
  ~Session();
  Session(const Session &) = delete;

  /// Runs every rank's action table once, with the given whole-batch inputs. Rethrows the first error, after every
  /// rank has stopped; the session must not be run again then. poison: see Rank::execute.
  void run(int64_t step, const std::vector<Bytes> &inputs, bool poison = false);

  /// An output of the last run, as a whole: an output per micro-batch is their sum in order.
  Bytes output(size_t index) const;
  /// Its values per micro-batch.
  std::vector<double> outputPerMicroBatch(size_t index) const;

  const std::vector<std::unique_ptr<Rank>> &ranks() const { return allRanks; }

private:
  void serve(size_t index);
  void setInputs(const std::vector<Bytes> &inputs);
  void stopAll(std::exception_ptr error);

  const EntryPlan &entry;
  StopFlag stop{false};
  std::vector<std::unique_ptr<Channel>> channels;
  StepExchange exchange;
  std::vector<std::unique_ptr<Rank>> allRanks;

  std::mutex mutex;
  std::condition_variable changed;
  int64_t step = 0;
  bool poison = false;
  uint64_t round = 0; // of runs; rank threads wait for the next
  size_t running = 0;
  bool leaving = false;
  std::exception_ptr firstError;
  std::vector<std::thread> threads;
};

} // namespace plc::runtime

#endif
