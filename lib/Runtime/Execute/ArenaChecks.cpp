// `--check-arena` and `--check-live`.
#include "ArenaChecks.h"

#include "LiveRanges.h"

#include <algorithm>
#include <cstring>

namespace plc::runtime {

namespace {

/// The error for a tensor whose bits differ; it names the first such element.
Error differenceOf(const TensorInfo &tensor, const Bytes &found, const Bytes &expected) {
  size_t width = byteWidth(tensor.type), element = 0;
  while (std::memcmp(&found[element * width], &expected[element * width], width) == 0)
    ++element;
  auto text = [&](const Bytes &bytes) {
    return std::to_string(elementAsDouble(tensor.type, bytes.data(), static_cast<int64_t>(element)));
  };
  return Error(BadInput, "",
               "found " + text(found) + " but expected " + text(expected) + " in '" + tensor.name + "', element " +
                   std::to_string(element) + ": the plan calls bytes dead that are still read");
}

} // namespace

void runPoisoned(Session &session, const Results &results, const TrainingStep &step, const std::vector<Bytes> &inputs) {
  // 1. The reference: step 0 leaves the parameters as they are, so the second run starts from the same ones.
  std::vector<Bytes> states = session.tensors().readStates();
  session.run({}, inputs);
  std::vector<Bytes> expected = results.gather(session), statesAfter = session.tensors().readStates();
  // 2. The same run from the same states, with NaN in dead bytes.
  session.tensors().writeStates(states);
  try {
    Probe probe;
    probe.poisonDead = true;
    session.run(step, inputs, probe);
  } catch (Error &error) {
    throw error.note("it ran plainly, and failed with NaNs in all bytes that the plan calls dead");
  }
  // 3. Compare bits, not values: a NaN is unequal to itself.
  std::vector<Bytes> found = results.gather(session);
  for (size_t i = 0; i < found.size(); ++i)
    if (found[i] != expected[i])
      throw differenceOf(results.infos()[i], found[i], expected[i])
          .note("entry '" + session.plan().name + "'" + (step.number ? ", step " + std::to_string(step.number) : ""));
  if (session.tensors().readStates() != statesAfter)
    throw Error(BadInput, "",
                "a state has other bits with NaNs in dead bytes: the plan calls bytes dead that are still read")
        .note("entry '" + session.plan().name + "'");
}

void checkLive(const Manifest &manifest, const Results &results, const std::function<std::unique_ptr<Session>()> &make,
               const std::vector<Bytes> &inputs) {
  std::unique_ptr<Session> session = make();
  std::vector<Bytes> states = session->tensors().readStates();
  session->run({}, inputs);
  const EntryPlan &plan = session->plan();
  std::vector<Bytes> expected = results.gather(*session), statesAfter = session->tensors().readStates();
  // Whether any result or state changes if these bytes are overwritten.
  auto changes = [&](const LiveRange &buffer, Arena::Fill with) {
    try {
      session->tensors().writeStates(states);
      session->run({}, inputs, {false, with, buffer.rank, buffer.action, buffer.offset, buffer.bytes});
      return results.gather(*session) != expected || session->tensors().readStates() != statesAfter;
    } catch (const Error &) { // An index in these bytes is out of range, for example. So they are read.
      session = make();
      return true;
    }
  };
  for (const LiveRange &buffer : liveRangesAtPeak(manifest, plan)) {
    // NaN first, because it shows in nearly every result. A value that is only compared with a number may need -inf, 0
    // or another sign to change the outcome.
    using enum Arena::Fill;
    constexpr Arena::Fill fills[] = {NaN, Flipped, MinusInfinity, Zero};
    if (std::any_of(std::begin(fills), std::end(fills), [&](Arena::Fill fill) { return changes(buffer, fill); }))
      continue;
    throw Error(BadInput, "",
                "bytes " + std::to_string(buffer.offset) + " to " + std::to_string(buffer.offset + buffer.bytes - 1) +
                    " of rank " + std::to_string(buffer.rank) + " are live at its peak, before action " +
                    std::to_string(buffer.action) + ", but no result depends on them")
        .note("entry '" + plan.name + "'");
  }
}

} // namespace plc::runtime
