//===- Simulate.cpp - plays an action table on a cluster ------------------===//
#include "plc/Simulator/Simulate.h"

#include "plc/Module/ReadyActions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <queue>

namespace plc::simulator {
namespace {

using Op = Play::Op;

/// Times above this are an error: no sum of two times overflows.
constexpr int64_t mostNs = (int64_t(1) << 62) - 1;

/// Processor sharing: cores, and the ranks that compute on them, each with an even share as an OS gives to threads.
class Server {
public:
  Server(int64_t cores, double speed, double wakeNs, bool divides)
      : cores(static_cast<double>(cores)), speed(speed), wakeNs(wakeNs), divides(divides) {}

  struct Job {
    size_t rank;
    double left; ///< ns on a core of speed 1
    const Play::Action *action;
    double rate = 0;
  };

  void start(const Job &job, double now) {
    pass(now);
    jobs.push_back(job);
    share();
  }

  /// Removes the jobs that end now and returns their ranks.
  std::vector<size_t> finish(double now) {
    constexpr double almost = 1e-3; // ns: rounding errors of shares
    std::vector<size_t> ended;
    pass(now);
    std::erase_if(jobs, [&](const Job &job) {
      // Late in a long run, the rest may be too short to move the clock.
      bool ends = job.left <= almost || now + job.left / job.rate == now;
      if (ends)
        ended.push_back(job.rank);
      return ends;
    });
    share();
    return ended;
  }

  bool idle() const { return jobs.empty(); }
  double next() const {
    double least = INFINITY;
    for (const Job &job : jobs)
      least = std::min(least, job.left / job.rate);
    return at + least;
  }
  uint32_t version = 0; ///< of the shares: an end predicted under an older version is void

private:
  void pass(double now) {
    for (Job &job : jobs)
      job.left = std::max(0.0, job.left - (now - at) * job.rate);
    at = now;
  }

  // Shares change with each start and end: too few cores are divided evenly, idle ones help.
  void share() {
    ++version;
    auto count = static_cast<double>(jobs.size());
    for (Job &job : jobs)
      job.rate = speed * (count > cores ? cores / count : divides ? helped(*job.action, cores / count) : 1);
  }

  /// The speed-up of work that so many workers share, its own included. Its rank wakes the others, one after another,
  /// so help may cost more than it gains: then there is none.
  double helped(const Play::Action &action, double workers) const {
    if (!action.dividedPart || workers <= 1)
      return 1;
    double part = std::max<double>(action.leastPart, 1 - action.dividedPart + action.dividedPart / workers);
    double wakes = static_cast<double>(action.kernels) * (workers - 1) * wakeNs / static_cast<double>(action.ns);
    return std::max(1.0, 1 / (part + wakes));
  }

  double cores, speed;
  double wakeNs; ///< time to wake the workers of one rank
  bool divides;  ///< idle cores share work that can be divided
  double at = 0;
  std::vector<Job> jobs;
};

/// A discrete-event simulation. Events are ends of jobs, arrivals of messages, and ranks that go on; between them ranks
/// take actions that need no time.
class Player {
public:
  Player(const Play &play, const Cluster &cluster, Simulation &result, bool keepsSpans)
      : play(play), cluster(cluster), result(result), keepsSpans(keepsSpans), ranks(play.ranks.size()) {}

  std::optional<std::string> run() {
    if (auto wrong = cluster.place(ranks.size(), machineOf))
      return wrong;
    if (auto wrong = checkMemory())
      return wrong;
    result = {};
    result.ranks.resize(ranks.size());
    addServers();
    addLinks();
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      const Play::Rank &each = play.ranks[rank];
      if (!each.after.empty())
        ranks[rank].ready.emplace(each.actions, each.after).restart();
      advance(rank);
    }
    // The event loop.
    while (!events.empty()) {
      Event event = events.top();
      events.pop();
      now = event.at;
      if (now > static_cast<double>(mostNs))
        return "the step takes more than 2^62 ns";
      event.what == What::Arrival ? arrive(event) : event.what == What::Resume ? resume(event.rank) : endJobs(event);
    }
    if (auto wrong = checkEnded())
      return wrong;
    return summarize();
  }

private:
  struct State {
    size_t next = 0;                                ///< action
    std::optional<module::ReadyActions> ready = {}; ///< empty: actions are taken in list order
    size_t server = 0;
    double begin = 0;     ///< of the current action, if it takes time
    int64_t awaited = -1; ///< message; -1: none; or one of the constants below
    double busy = 0;
  };
  static constexpr int64_t meeting = -2;    // for the updates of the other ranks
  static constexpr int64_t anyMessage = -4; // for any message that the rank may take
  static constexpr int64_t occupied = -3;   // copies a message that it completes, or wakes up

  struct Message {
    bool sent = false, posted = false, arrived = false;
  };
  struct Route {
    size_t first = 0; ///< message
    size_t link = 0, traffic = 0;
  };
  struct Way {
    Link link;
    double freeAt = 0;
  };

  static constexpr size_t none = SIZE_MAX;
  enum class What : uint8_t { JobsEnd, Arrival, Resume };
  struct Event {
    double at;
    uint64_t order; ///< breaks ties: the first pushed comes first
    What what;
    size_t rank = none; ///< that goes on; of an arrival: the rank that copies the message
    int64_t message = -1;
    size_t server = 0;
    uint32_t version = 0;
    bool operator<(const Event &other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  std::optional<std::string> checkMemory() const {
    std::vector<int64_t> needed(cluster.machines.size());
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      needed[machineOf[rank]] += play.ranks[rank].arenaBytes;
    for (size_t machine = 0; machine < needed.size(); ++machine) {
      const Machine &row = cluster.machines[machine];
      if (!row.memoryBytes || needed[machine] <= row.memoryBytes)
        continue;
      std::string text = "machine '" + row.name + "' has " + std::to_string(row.memoryBytes) +
                         " bytes of memory but its ranks need " + std::to_string(needed[machine]) + ":";
      for (size_t rank = 0; rank < ranks.size(); ++rank)
        if (machineOf[rank] == machine)
          text += (text.back() == ':' ? " rank " : ", rank ") + std::to_string(rank) + " (" + play.ranks[rank].stage +
                  ") " + std::to_string(play.ranks[rank].arenaBytes);
      return text;
    }
    return std::nullopt;
  }

  // Ranks of a machine share a server if it has fewer cores than ranks, or if ranks help each other. Otherwise each has
  // a core of its own, which is cheaper to simulate.
  void addServers() {
    std::vector<int64_t> count(cluster.machines.size());
    for (size_t machine : machineOf)
      ++count[machine];
    // A shared server is expensive, so it is not used if no work can be divided.
    bool divides = cluster.sharesKernels && std::any_of(play.ranks.begin(), play.ranks.end(), [](const auto &rank) {
                     return std::any_of(rank.actions.begin(), rank.actions.end(),
                                        [](const Play::Action &action) { return action.dividedPart > 0; });
                   });
    std::vector<int64_t> shared(cluster.machines.size(), -1);
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      result.ranks[rank].machine = machineOf[rank];
      const Machine &machine = cluster.machines[machineOf[rank]];
      int64_t here = count[machineOf[rank]], cores = machine.cores ? std::min(machine.cores, here) : here;
      int64_t &server = shared[machineOf[rank]];
      bool apart = cores == here && !divides;
      if (apart || server < 0) {
        server = static_cast<int64_t>(servers.size());
        servers.emplace_back(apart ? 1 : cores, machine.speed, cluster.helperWakeNs, divides);
      }
      ranks[rank].server = static_cast<size_t>(server);
      stepping += std::any_of(play.ranks[rank].actions.begin(), play.ranks[rank].actions.end(),
                              [](const Play::Action &action) { return action.op == Op::Step; });
    }
  }

  // Makes the links. Two machines have one in each direction, and so have two ranks of a machine.
  void addLinks() {
    std::map<std::pair<size_t, size_t>, size_t> traffic;
    std::map<std::array<size_t, 3>, size_t> known;
    size_t count = 0;
    for (const Play::Channel &channel : play.channels)
      traffic.try_emplace({channel.source, channel.destination}, 0);
    for (auto &[pair, index] : traffic) {
      index = result.traffic.size();
      result.traffic.push_back({pair.first, pair.second});
    }
    for (const Play::Channel &channel : play.channels) {
      size_t from = machineOf[channel.source], to = machineOf[channel.destination];
      std::array<size_t, 3> key = from == to ? std::array<size_t, 3>{channel.source, channel.destination, 1}
                                             : std::array<size_t, 3>{from, to, 0};
      auto [found, isNew] = known.try_emplace(key, ways.size());
      if (isNew)
        ways.push_back({cluster.link(from, to)});
      routes.push_back({count, found->second, traffic.at({channel.source, channel.destination})});
      count += channel.perStep ? 1 : static_cast<size_t>(play.microBatches);
    }
    messages.resize(count);
    channelOf.resize(count);
    for (size_t channel = 0; channel < routes.size(); ++channel) {
      size_t end = channel + 1 < routes.size() ? routes[channel + 1].first : count;
      std::fill(channelOf.begin() + static_cast<long>(routes[channel].first),
                channelOf.begin() + static_cast<long>(end), static_cast<uint32_t>(channel));
    }
  }

  size_t messageOf(const Play::Action &action) const {
    return routes[static_cast<size_t>(action.target)].first + static_cast<size_t>(std::max(0, action.microBatch));
  }

  /// Takes a rank's actions until one takes time or waits.
  void advance(size_t rank) {
    State &state = ranks[rank];
    if (state.ready)
      return advanceReady(rank);
    const std::vector<Play::Action> &actions = play.ranks[rank].actions;
    for (; state.next < actions.size(); ++state.next) {
      const Play::Action &action = actions[state.next];
      state.begin = now;
      switch (action.op) {
      case Op::Drop: break;
      case Op::Run:
        if (!action.ns)
          break;
        return startJob(rank);
      case Op::Step: return play.stepsMeet ? meet(rank) : startJob(rank);
      case Op::PostRecv:
      case Op::Send:
        if (offer(rank, action))
          return;
        break;
      case Op::WaitRecv:
      case Op::WaitSend:
        if (size_t message = messageOf(action); !messages[message].arrived) {
          state.awaited = static_cast<int64_t>(message);
          return;
        }
        break;
      }
    }
    result.ranks[rank].endNs = std::llround(now);
  }

  /// The same for a rank that takes whichever action is ready. Messages come first, so that other ranks may go on.
  void advanceReady(size_t rank) {
    State &state = ranks[rank];
    while (!state.ready->allDone()) {
      state.begin = now;
      if (auto start = state.ready->toStart()) {
        state.next = *start;
        if (offer(rank, play.ranks[rank].actions[*start]))
          return;
      } else if (auto over = arrivedAt(rank)) {
        state.next = *over;
      } else if (auto task = state.ready->toCompute()) {
        state.next = *task;
        const Play::Action &action = play.ranks[rank].actions[*task];
        if (action.op == Op::Step)
          return play.stepsMeet ? meet(rank) : startJob(rank);
        if (action.ns)
          return startJob(rank);
      } else {
        state.next = state.ready->toAwait().front();
        state.awaited = anyMessage;
        return;
      }
      complete(rank);
    }
    result.ranks[rank].endNs = std::llround(now);
  }

  /// A wait of the rank that is ready and whose message has arrived.
  std::optional<size_t> arrivedAt(size_t rank) const {
    for (size_t wait : ranks[rank].ready->toAwait())
      if (messages[messageOf(play.ranks[rank].actions[wait])].arrived)
        return wait;
    return std::nullopt;
  }

  /// Marks the current action as done.
  void complete(size_t rank) {
    State &state = ranks[rank];
    if (state.ready)
      state.ready->done(state.next);
    else
      ++state.next;
  }

  void startJob(size_t rank) {
    const Play::Action &action = play.ranks[rank].actions[ranks[rank].next];
    servers[ranks[rank].server].start({rank, static_cast<double>(action.ns), &action}, now);
    foresee(ranks[rank].server);
  }

  /// The updates of all ranks start when the last one has brought its gradients' norm.
  void meet(size_t rank) {
    ranks[rank].awaited = meeting;
    if (++met < stepping)
      return;
    met = 0;
    for (size_t each = 0; each < ranks.size(); ++each)
      if (ranks[each].awaited == meeting) {
        ranks[each].awaited = -1;
        if (each != rank)
          span(each);
        ranks[each].begin = now;
        startJob(each);
      }
  }

  /// Predicts the next end on a server, at its present shares.
  void foresee(size_t server) {
    if (!servers[server].idle())
      events.push({servers[server].next(), order++, What::JobsEnd, none, -1, server, servers[server].version});
  }

  void endJobs(const Event &event) {
    if (event.version != servers[event.server].version) // shares have changed since
      return;
    std::vector<size_t> ended = servers[event.server].finish(now);
    foresee(event.server);
    for (size_t rank : ended) {
      ranks[rank].busy += now - ranks[rank].begin;
      span(rank);
      complete(rank);
      advance(rank);
    }
  }

  /// Sends or posts. If that completes the message, it starts to travel. Returns whether the rank is now busy copying
  /// it.
  bool offer(size_t rank, const Play::Action &action) {
    size_t number = messageOf(action);
    Message &message = messages[number];
    (action.op == Op::Send ? message.sent : message.posted) = true;
    if (!message.sent || !message.posted)
      return false;
    const Play::Channel &channel = play.channels[channelOf[number]];
    const Route &route = routes[channelOf[number]];
    int64_t bytes = action.microBatch >= play.firstShort ? channel.shortBytes : channel.bytes;
    Way &way = ways[route.link];
    double ns = static_cast<double>(bytes) * way.link.nsPerByte;
    bool copies = cluster.threads && machineOf[channel.source] == machineOf[channel.destination];
    // A copy by the rank itself waits for no link.
    double begin = copies ? now : std::max(way.freeAt, now);
    way.freeAt = begin + ns;
    Simulation::Traffic &traffic = result.traffic[route.traffic];
    ++traffic.messages;
    traffic.bytes += bytes;
    traffic.busyNs =
        std::min<int64_t>(mostNs, traffic.busyNs + std::llround(std::min(ns, static_cast<double>(mostNs))));
    events.push(
        {way.freeAt + way.link.latencyNs, order++, What::Arrival, copies ? rank : none, static_cast<int64_t>(number)});
    if (copies)
      ranks[rank].awaited = occupied;
    return copies;
  }

  /// Whether the rank waits for this message. A rank that waits for any message then has its next action.
  bool awaits(size_t rank, int64_t message) {
    State &state = ranks[rank];
    if (state.awaited == anyMessage)
      if (auto over = arrivedAt(rank)) {
        state.next = *over;
        return true;
      }
    return state.awaited == message;
  }

  void arrive(const Event &event) {
    messages[static_cast<size_t>(event.message)].arrived = true;
    const Play::Channel &channel = play.channels[channelOf[static_cast<size_t>(event.message)]];
    double waking = 0; // the call that wakes the other
    // A rank that has waited longer than it spins sleeps: waking takes the waker a call, and the sleeper as long again.
    for (size_t rank : {channel.source, channel.destination})
      if (awaits(rank, event.message)) {
        waking = cluster.threads && now - ranks[rank].begin > cluster.threads->spinNs ? cluster.threads->wakeNs : 0;
        resumeIn(2 * waking, rank);
      }
    if (event.rank != none)
      resumeIn(waking, event.rank);
  }

  void resumeIn(double ns, size_t rank) {
    if (ns <= 0)
      return resume(rank);
    ranks[rank].awaited = occupied;
    events.push({now + ns, order++, What::Resume, rank});
  }

  /// Goes on behind the action in which the rank has waited.
  void resume(size_t rank) {
    ranks[rank].awaited = -1;
    span(rank);
    complete(rank);
    advance(rank);
  }

  void span(size_t rank) {
    if (keepsSpans && now > ranks[rank].begin)
      result.spans.push_back({rank, ranks[rank].next, std::llround(ranks[rank].begin), std::llround(now)});
  }

  // No event is left: ranks that still wait are deadlocked.
  std::optional<std::string> checkEnded() const {
    std::string waiting;
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      if (ranks[rank].awaited == -1)
        continue;
      const Play::Action &action = play.ranks[rank].actions[ranks[rank].next];
      waiting += (waiting.empty() ? "" : "; ") + ("rank " + std::to_string(rank)) + " for ";
      waiting += action.op == Op::Step ? "the other ranks' steps"
                                       : "'" + play.channels[static_cast<size_t>(action.target)].name +
                                             "' of micro-batch " + std::to_string(action.microBatch);
    }
    if (waiting.empty())
      return std::nullopt;
    return "the run never ends, these wait: " + waiting;
  }

  std::optional<std::string> summarize() {
    double busy = 0;
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      result.ranks[rank].busyNs = std::llround(ranks[rank].busy);
      result.stepNs = std::max(result.stepNs, result.ranks[rank].endNs);
      double precomputed = static_cast<double>(play.ranks[rank].precomputeNs) / cluster.machines[machineOf[rank]].speed;
      if (precomputed > static_cast<double>(mostNs))
        return "what rank " + std::to_string(rank) + " prepares takes more than 2^62 ns";
      result.precomputeNs = std::max<int64_t>(result.precomputeNs, std::llround(precomputed));
      busy += ranks[rank].busy;
    }
    if (result.stepNs)
      result.bubble = 1 - busy / (static_cast<double>(result.stepNs) * static_cast<double>(ranks.size()));
    return std::nullopt;
  }

  const Play &play;
  const Cluster &cluster;
  Simulation &result;
  const bool keepsSpans;
  std::vector<State> ranks;
  std::vector<size_t> machineOf;
  std::vector<Server> servers;
  std::vector<Route> routes; // by channel
  std::vector<Way> ways;
  std::vector<Message> messages;
  std::vector<uint32_t> channelOf; // by message
  std::priority_queue<Event> events;
  uint64_t order = 0;
  size_t stepping = 0, met = 0; // ranks with an update; ranks that wait for the others to start theirs
  double now = 0;
};

} // namespace

std::optional<std::string> simulate(const Play &play, const Cluster &cluster, Simulation &simulation, bool keepsSpans) {
  return Player(play, cluster, simulation, keepsSpans).run();
}

} // namespace plc::simulator
