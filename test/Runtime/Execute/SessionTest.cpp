#include "CountAllocations.h"
#include "Execute/Session.h"
#include "plc/Runtime/Execute/MakeTransport.h"

#include <gtest/gtest.h>
#include <unistd.h>

using namespace plc::runtime;
using plc::ElementType;

namespace {

using Op = ActionInfo::Op;

/// y[i] = 3 x[i] + i, a chunk per element, each of 300 us.
int32_t slowChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *) {
  auto *x = static_cast<const float *>(operands[0]);
  auto *y = static_cast<float *>(operands[1]);
  for (int64_t i = begin; i < end; ++i) {
    y[i] = 3 * x[i] + static_cast<float>(i);
    ::usleep(300);
  }
  return 0;
}

/// The same in no time.
int32_t quickChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *) {
  auto *x = static_cast<const float *>(operands[0]);
  auto *y = static_cast<float *>(operands[1]);
  for (int64_t i = begin; i < end; ++i)
    y[i] = 3 * x[i] + static_cast<float>(i);
  return 0;
}

constexpr int64_t elements = 64, bytes = 4 * elements;

/// Rank 0 computes y of x and sends it in each of 4 micro-batches; rank 1 computes z of y. Runs of rank 0's kernel:
/// `repeats` per micro-batch.
Manifest pipeline(plc_kernel_fn first, int64_t repeats = 1) {
  Manifest manifest;
  manifest.real = ElementType::F32;
  manifest.kernels = {{"first", "", {}, elements, 0, 0, 0, {}, {}, {}, false, std::nullopt, first},
                      {"second", "", {}, 1, 0, 0, 0, {}, {}, {}, false, std::nullopt, quickChunks}};
  EntryPlan entry;
  entry.name = "infer";
  entry.batch = entry.microBatches = 4;
  entry.inputs = {{"x", ElementType::F32, {elements}, -1}};
  entry.outputs = {{"z", ElementType::F32, {4, elements}, 0}};
  entry.outputRanks = {1};
  entry.channels = {{"y", 0, 1, bytes, bytes, 1, 0, false}};
  entry.kernels = {0, 1};
  RankInfo source{
      "s0", 2 * bytes, {{BufferKind::Input, "x", 0, 0, bytes}}, {{"s0.F", 1, {{0, 0}}, {{0, {-1, 0}, "a"}}}}, {}};
  RankInfo sink{"s1",
                5 * bytes,
                {{BufferKind::Output, "z", 0, 0, 4 * bytes}},
                {{"s1.F", 2, {{0, 0}, {1, 0}}, {{1, {0, 1}, "b"}}}},
                {}};
  for (int64_t mb = 0; mb < 4; ++mb) {
    for (int64_t i = 0; i < repeats; ++i)
      source.actions.push_back({Op::Run, 0, mb, 0, 0, {bytes}});
    source.actions.push_back({Op::Send, 0, mb, bytes, 0, {}});
    source.actions.push_back({Op::WaitSend, 0, mb, 0, 0, {}});
    sink.actions.push_back({Op::PostRecv, 0, mb, 4 * bytes, 0, {}});
    sink.actions.push_back({Op::WaitRecv, 0, mb, 0, 0, {}});
    // z = 3 y + i, in place of the micro-batch; its chunk is the whole.
    sink.actions.push_back({Op::Run, 0, mb, 0, 0, {4 * bytes, mb * bytes}});
  }
  entry.ranks = {source, sink};
  manifest.entries = {entry};
  return manifest;
}

std::vector<Bytes> inputs() {
  std::vector<float> x(elements);
  for (int64_t i = 0; i < elements; ++i)
    x[static_cast<size_t>(i)] = static_cast<float>(i) / 7;
  const auto *data = reinterpret_cast<const std::byte *>(x.data());
  return {Bytes(data, data + bytes)};
}

std::unique_ptr<Session> open(const Manifest &manifest, int64_t threadsPerRank, double hangTimeout) {
  const EntryPlan &entry = manifest.entries[0];
  return std::make_unique<Session>(manifest, entry, WorkerOptions{threadsPerRank}, hangTimeout,
                                   makeTransport(plc::TransportKind::Threads, entry));
}

/// The same order, but by what each action comes after.
Manifest openOrder(Manifest manifest) {
  for (RankInfo &rank : manifest.entries[0].ranks)
    for (int64_t action = 0; action < static_cast<int64_t>(rank.actions.size()); ++action)
      rank.after.push_back(action ? std::vector{action - 1} : std::vector<int64_t>());
  return manifest;
}

} // namespace

TEST(Session, AWaitingRankHelpsAndChangesNoBit) {
  Manifest slow = pipeline(slowChunks), quick = pipeline(quickChunks);
  auto helping = open(slow, 1, 0), alone = open(quick, 1, 0);
  helping->run({0}, inputs());
  alone->run({0}, inputs());
  EXPECT_EQ(helping->tensors().gatherOutput(0), alone->tensors().gatherOutput(0));
  // Rank 1 has nothing else to do for 4 x 64 chunks.
  EXPECT_GT(helping->numHelped(0), 32);
  EXPECT_EQ(helping->numHelped(1), 0);
}

TEST(Session, MoreThreadsThanWorkChangeNoBit) {
  Manifest manifest = pipeline(slowChunks);
  auto one = open(manifest, 1, 0), many = open(manifest, 5, 0);
  for (int i = 0; i < 3; ++i) {
    one->run({0}, inputs());
    many->run({0}, inputs());
    EXPECT_EQ(one->tensors().gatherOutput(0), many->tensors().gatherOutput(0));
  }
}

TEST(Session, AllocatesNothingInASteadyState) {
  for (const Manifest &manifest : {pipeline(quickChunks, 10), openOrder(pipeline(quickChunks, 10))}) {
    auto session = open(manifest, 2, 30);
    std::vector<Bytes> batch = inputs();
    session->run({0}, batch);
    session->run({0}, batch);
    int64_t before = numAllocations();
    for (int i = 0; i < 20; ++i)
      session->run({0}, batch);
    EXPECT_EQ(numAllocations() - before, 0);
  }
}

TEST(Session, DispatchesAnActionInLittleTime) {
  constexpr int64_t repeats = 5000;
  Manifest listed = pipeline(quickChunks, repeats);
  listed.kernels[0].chunks = 1;
  std::vector<Bytes> batch = inputs();
  for (const Manifest &manifest : {listed, openOrder(listed)}) {
    auto session = open(manifest, 1, 30);
    double best = 1e9;
    for (int i = 0; i < 10; ++i) {
      int64_t begin = Trace::now();
      session->run({0}, batch);
      best = std::min(best, static_cast<double>(Trace::now() - begin) / (4 * repeats));
    }
    std::printf("dispatch: %.0f ns per action\n", best);
    EXPECT_LT(best, 20000); // a wide margin: machines are shared
  }
}
