// The sessions of a module, one per entry, and the parameters that they share.
#ifndef PLC_RUNTIME_SESSIONCACHE_H
#define PLC_RUNTIME_SESSIONCACHE_H

#include "HostParameters.h"
#include "Module.h"
#include "Results.h"
#include "plc/Runtime/ModuleEngine.h"

namespace plc::runtime {

/// Makes a session when its entry first runs, and keeps it. Each run sees the parameters that were last written or
/// trained: those of the host, or, after a step, of the session of `train` until someone else needs them.
class SessionCache {
public:
  SessionCache(std::unique_ptr<Module> module, const ModuleOptions &options);
  ~SessionCache();
  SessionCache(const SessionCache &) = delete;

  const Manifest &manifest() const { return contents; }
  int64_t threadsPerStage() const { return threads; }
  /// The processes that run the module together, or nullptr: this one has all ranks.
  MpiWorld *processes() const { return world; }

  /// The parameters as they are now.
  HostParameters &parameters();
  /// Runs the entry `index` of the manifest; step 0 leaves the parameters as they are. After an error the session is
  /// gone, and the parameters are those of before the first step since they were last read or written.
  Session &run(size_t index, int64_t step, const std::vector<Bytes> &inputs);

  /// Such a run, by Session::findNonFinite.
  std::optional<NonFiniteValue> findNonFinite(size_t index, const std::vector<Bytes> &inputs);

  /// The session of an entry, made if there is none, with the present parameters.
  Session &ready(size_t index);
  /// The session of an entry that has run, or nullptr.
  Session *find(size_t index) const { return loaded[index].session.get(); }
  /// Bytes that malloc had given out before that session was made.
  int64_t allocatedBefore(size_t index) const { return loaded[index].allocatedBefore; }

private:
  struct Loaded {
    std::unique_ptr<Session> session;
    uint64_t version = 0; // of the parameters it holds
    bool checkedLive = false;
    int64_t allocatedBefore = 0;
  };
  bool trains(size_t index) const { return manifest().entries[index].trains(); }
  std::unique_ptr<Transport> connect(size_t index) const;
  std::unique_ptr<Session> make(size_t index, std::unique_ptr<Transport> transport) const;
  void checkMemory(size_t index, const Transport &transport) const;
  void discard(Loaded &entry);
  void discardAfterError(size_t index);

  std::unique_ptr<Module> module;
  const std::string file;
  const Manifest &contents; // of the module, which may have to stay when this goes
  ModuleOptions options;
  TransportKind transport;
  MpiWorld *world;
  int64_t threads;
  std::vector<Loaded> loaded; // by entry
  HostParameters host;        // the truth, unless ahead is set
  Session *ahead = nullptr;   // the session of `train`, if it has stepped since host was current
};

} // namespace plc::runtime

#endif
