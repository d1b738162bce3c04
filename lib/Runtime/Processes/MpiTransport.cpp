// Messages and reductions between processes.
#include "MpiTransport.h"

#include "plc/Runtime/Base/Backoff.h"
#include "plc/Runtime/Execute/MakeTransport.h"

#include <algorithm>
#include <climits>
#include <exception>

namespace plc::runtime {

namespace {
constexpr int sumsTag = 0; // shares have a communicator of their own
/// Nanoseconds between two looks at the network while kernels run. Not tuned: long beside a look, short beside a
/// message that takes several.
constexpr int64_t progressNs = 20'000;
} // namespace

std::unique_ptr<Transport> makeMpiTransport(const EntryPlan &entry) {
  return std::make_unique<MpiTransport>(MpiWorld::join(), entry);
}

MpiTransport::MpiTransport(MpiWorld &world, const EntryPlan &entry)
    : world(world), entry(entry), reduction(ranksThatStep(entry)) {
  for (size_t rank = 0; rank < entry.ranks.size(); ++rank)
    if (isLocal(static_cast<int64_t>(rank)))
      ranks.push_back(rank);
  giveTags();
  checkLimits();
  for (const ChannelInfo &channel : entry.channels) {
    // A channel inside this process needs no MPI, and others need no Channel.
    int64_t count = channel.perStep ? 1 : entry.microBatches;
    bool both = isLocal(channel.source) && isLocal(channel.destination);
    channels.push_back(both ? std::make_unique<Channel>(channel, count) : nullptr);
    messages.emplace_back(both ? 0 : static_cast<size_t>(count));
  }
  listSums();
  // Communicators of its own: tags of messages cannot meet those of shares, of another entry or of the user.
  world.call("MPI_Comm_dup", world.plugin().duplicate, world.communicator(), &messaging);
  world.call("MPI_Comm_dup", world.plugin().duplicate, world.communicator(), &reducing);
}

MpiTransport::~MpiTransport() {
  // After a failure other processes may never come here, and MPI_Comm_free waits for all of them.
  if (failed || std::uncaught_exceptions() > 0)
    return;
  try {
    barrier(false);
    world.call("MPI_Comm_free", world.plugin().release, &messaging);
    world.call("MPI_Comm_free", world.plugin().release, &reducing);
  } catch (const Error &) { // The processes end anyway.
  }
}

/// Tags of the plan are unique between two ranks. If processes have several ranks, several such pairs are between two
/// processes. Their channels are then numbered together, in the same order by all processes.
void MpiTransport::giveTags() {
  bool shares = static_cast<int64_t>(entry.ranks.size()) > world.count();
  std::map<std::pair<int64_t, int64_t>, int64_t> next; // of source and destination
  for (const ChannelInfo &channel : entry.channels) {
    int64_t &between = next[{home(channel.source), home(channel.destination)}];
    tags.push_back(shares ? Tags{between, 1} : Tags{channel.tag, 2});
    between += channel.perStep ? 1 : entry.microBatches;
  }
}

/// MPI counts bytes in int, and its largest tag may be as small as 32767.
void MpiTransport::checkLimits() const {
  for (size_t number = 0; number < entry.channels.size(); ++number) {
    const ChannelInfo &channel = entry.channels[number];
    std::string what = "channel '" + channel.name + "' of entry '" + entry.name + "' ";
    if (channel.bytes > INT_MAX)
      throw Error(BadInput, "",
                  what + "has messages of " + std::to_string(channel.bytes) + " bytes, MPI carries at most " +
                      std::to_string(INT_MAX));
    int64_t last = tags[number].first + tags[number].step * (channel.perStep ? 0 : entry.microBatches - 1);
    if (last > world.largestTag())
      throw Error(BadInput, "",
                  what + "needs tag " + std::to_string(last) + ", this MPI's largest is " +
                      std::to_string(world.largestTag()));
  }
}

int MpiTransport::tagOf(int64_t channel, int64_t message) const {
  const Tags &given = tags[static_cast<size_t>(channel)];
  return static_cast<int>(given.first + given.step * message);
}

void MpiTransport::post(int64_t channel, int64_t message, std::byte *buffer, int64_t bytes) {
  const ChannelInfo &info = entry.channels[static_cast<size_t>(channel)];
  if (Channel *local = channels[static_cast<size_t>(channel)].get()) {
    if (local->postReceive(message, buffer))
      wake(static_cast<size_t>(info.source));
    return;
  }
  Message &receive = messageOf(channel, message);
  world.call("MPI_Irecv", world.plugin().receive, messaging, buffer, static_cast<int>(bytes),
             static_cast<int>(home(info.source)), tagOf(channel, message), &receive.request);
  receive.over = false;
  ++inFlight;
}

void MpiTransport::send(int64_t channel, int64_t message, const std::byte *buffer, int64_t bytes) {
  const ChannelInfo &info = entry.channels[static_cast<size_t>(channel)];
  if (Channel *local = channels[static_cast<size_t>(channel)].get()) {
    if (local->send(message, buffer, bytes))
      wake(static_cast<size_t>(info.destination));
    return;
  }
  Message &sent = messageOf(channel, message);
  world.call("MPI_Isend", world.plugin().send, messaging, buffer, static_cast<int>(bytes),
             static_cast<int>(home(info.destination)), tagOf(channel, message), &sent.request);
  sent.over = false;
  ++inFlight;
}

bool MpiTransport::test(const Wait &wait) {
  if (wait.what == Wait::For::Norm)
    return sumsAreHere();
  if (const Channel *local = channels[static_cast<size_t>(wait.channel)].get())
    return local->done(wait.message);
  // A request may be tested only until it is over: MPI frees it then.
  Message &message = messageOf(wait.channel, wait.message);
  if (!message.over && world.test(message.request)) {
    message.over = true;
    --inFlight;
  }
  return message.over;
}

/// Only waits inside this process are known. False is a correct answer for the others.
bool MpiTransport::awaits(const Wait &wait, size_t rank) const {
  if (wait.what == Wait::For::Norm)
    return isLocal(static_cast<int64_t>(rank)) && reduction.awaits(rank);
  const Channel *local = channels[static_cast<size_t>(wait.channel)].get();
  return local && !local->done(wait.message) &&
         rank == static_cast<size_t>(wait.what == Wait::For::Send ? local->info.destination : local->info.source);
}

/// A long message takes several steps of the protocol, some of which are this process's. Of all workers one looks at
/// the network every progressNs.
void MpiTransport::progress() {
  if (inFlight.load(std::memory_order_relaxed) == 0)
    return;
  int64_t now = Trace::now(), last = progressed.load(std::memory_order_relaxed);
  if (now - last < progressNs || !progressed.compare_exchange_strong(last, now))
    return;
  world.call("MPI_Iprobe", world.plugin().progress, messaging);
}

void MpiTransport::broadcast(size_t rank, void *data, size_t bytes) {
  world.broadcast(home(static_cast<int64_t>(rank)), data, bytes);
}

/// Lists the sums that each process may bring. The list follows from the plan, so no names are sent.
void MpiTransport::listSums() {
  std::vector<bool> steps = ranksThatStep(entry);
  sums.resize(static_cast<size_t>(world.count()));
  sumsSent.resize(sums.size());
  for (size_t rank = 0; rank < entry.ranks.size(); ++rank) {
    if (!steps[rank])
      continue;
    stepping += isLocal(static_cast<int64_t>(rank));
    Sums &process = sums[static_cast<size_t>(home(static_cast<int64_t>(rank)))];
    process.parameters.emplace_back(rank, "");
    for (const BufferInfo &buffer : entry.ranks[rank].buffers)
      if (buffer.kind == BufferKind::Parameter && buffer.owned)
        process.parameters.emplace_back(rank, buffer.name);
  }
  for (Sums &process : sums) {
    std::sort(process.parameters.begin(), process.parameters.end());
    process.values.resize(2 * process.parameters.size());
  }
}

void MpiTransport::reduce(size_t rank, const StepShare &share) {
  std::lock_guard lock(sumsMutex);
  Sums &own = sums[static_cast<size_t>(world.process())];
  for (size_t i = 0; i < own.parameters.size(); ++i) {
    auto &[owner, path] = own.parameters[i];
    if (owner != rank)
      continue;
    auto found = share.squares.find(path);
    own.values[2 * i] = found != share.squares.end();
    own.values[2 * i + 1] = path.empty() ? share.loss : found != share.squares.end() ? found->second : 0;
  }
  reduction.bring(rank, share);
  // One message for all local ranks, when the last has brought its share.
  if (--missingHere == 0)
    sendSums();
}

void MpiTransport::sendSums() {
  const Sums &own = sums[static_cast<size_t>(world.process())];
  for (size_t other = 0; other < sums.size(); ++other)
    if (static_cast<int64_t>(other) != world.process() && !own.values.empty())
      world.call("MPI_Isend", world.plugin().send, reducing, own.values.data(),
                 static_cast<int>(own.values.size() * sizeof(double)), static_cast<int>(other), sumsTag,
                 &sumsSent[other]);
}

/// Receives the shares that have arrived, and returns whether all are here.
bool MpiTransport::sumsAreHere() {
  std::lock_guard lock(sumsMutex);
  for (Sums &process : sums) {
    if (process.here || !world.test(process.request))
      continue;
    process.here = true;
    std::map<size_t, StepShare> shares;
    for (size_t i = 0; i < process.parameters.size(); ++i) {
      auto &[rank, path] = process.parameters[i];
      StepShare &share = shares[rank];
      if (path.empty())
        share.loss = process.values[2 * i + 1];
      else if (process.values[2 * i] != 0)
        share.squares[path] = process.values[2 * i + 1];
    }
    for (auto &[rank, share] : shares)
      reduction.bring(rank, share);
  }
  return reduction.done();
}

/// Waits for shares alone, not for other processes: all messages of a run have been received when it ends, and MPI
/// keeps those of the next run in order behind them.
void MpiTransport::barrier(bool steps) {
  if (stepped)
    for (size_t other = 0; other < sums.size(); ++other) {
      for (Backoff backoff; !sums[other].here && !sumsAreHere();)
        backoff.sleep();
      if (static_cast<int64_t>(other) != world.process() && stepping > 0)
        world.wait(sumsSent[other]);
    }
  for (auto &channel : channels)
    if (channel)
      channel->reset();
  reduction.reset();
  stepped = steps;
  missingHere = stepping;
  // Receives are posted before the run, so that shares go straight to their buffers.
  for (size_t other = 0; steps && other < sums.size(); ++other) {
    Sums &process = sums[other];
    if (static_cast<int64_t>(other) == world.process() || process.values.empty())
      continue;
    process.here = false;
    world.call("MPI_Irecv", world.plugin().receive, reducing, process.values.data(),
               static_cast<int>(process.values.size() * sizeof(double)), static_cast<int>(other), sumsTag,
               &process.request);
  }
}

} // namespace plc::runtime
