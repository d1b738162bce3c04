// The seam of transports: the ranks of a module give the same bits as threads of one session, and as sessions of their
// own behind another transport. The module (TransportTest TWO.plcm) has two ranks, trains, and clips gradients.
#include "QueueTransport.h"
#include "plc/Runtime/Execute/ModuleEngine.h"
#include "plc/Runtime/Tensors/InitialValues.h"

#include <gtest/gtest.h>
#include <thread>

using namespace plc::runtime;

namespace {

std::string moduleFile;

/// Everything that a run of a module tells.
struct RunDescription {
  std::vector<std::vector<double>> losses; // by step, then by micro-batch
  std::vector<double> norms;               // by step
  std::vector<Bytes> parameters, moments, logits, gradients;
  std::vector<int64_t> measuredBytes;

  bool operator==(const RunDescription &) const = default;
};

std::vector<Bytes> batch(const EntryInfo &entry, int32_t step) {
  std::vector<Bytes> inputs;
  for (const TensorInfo &input : entry.inputs) {
    std::vector<int32_t> values(static_cast<size_t>(input.numElements()));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = (static_cast<int32_t>(i) * 7 + step * 3 + static_cast<int32_t>(input.name.size())) % 256;
    const auto *data = reinterpret_cast<const std::byte *>(values.data());
    inputs.emplace_back(data, data + input.numBytes());
  }
  return inputs;
}

/// Some steps, gradients and outputs between them, and then all that the module holds.
RunDescription trainAndTell(Engine &engine) {
  RunDescription told;
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    Bytes values(engine.parameters()[i].tensor().numBytes());
    fillInitialValues(engine.parameters()[i], 1, values.data());
    engine.writeParameter(i, values.data());
    std::fill(values.begin(), values.end(), std::byte(0));
    for (int which = 1; which <= int(engine.statesOf(i).size()); ++which)
      engine.writeMoment(i, which, values.data());
  }
  const EntryInfo &train = *engine.findEntry("train"), &infer = *engine.findEntry("infer");
  for (int32_t step = 1; step <= 6; ++step) {
    StepResult result = engine.trainStep(step, batch(train, step));
    told.losses.push_back(result.microBatchLosses);
    told.norms.push_back(result.gradNorm);
    if (step == 3) {
      told.gradients = engine.run(*engine.findEntry("gradient"), batch(train, step));
      told.logits = engine.run(infer, batch(infer, step));
    }
  }
  for (const RankMemory &rank : engine.memory(train))
    told.measuredBytes.push_back(rank.measuredBytes);
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    Bytes bytes(engine.parameters()[i].tensor().numBytes());
    engine.readParameter(i, bytes.data());
    told.parameters.push_back(bytes);
    for (int which = 1; which <= int(engine.statesOf(i).size()); ++which) {
      engine.readMoment(i, which, bytes.data());
      told.moments.push_back(bytes);
    }
  }
  return told;
}

/// One engine per rank, each with sessions of that rank alone; what `each` does runs in a thread per engine.
class Engines {
public:
  Engines(size_t numRanks, int delay) {
    for (size_t rank = 0; rank < numRanks; ++rank) {
      ModuleOptions options;
      options.transport = [this, rank, delay](const EntryPlan &entry) {
        return std::make_unique<QueueTransport>(networkOf(entry), rank, delay);
      };
      engines.push_back(openModule(moduleFile, options));
    }
  }

  template <class Each>
  void run(Each each) {
    std::vector<std::thread> threads;
    for (size_t rank = 0; rank < engines.size(); ++rank)
      threads.emplace_back([&, rank] { each(rank, *engines[rank]); });
    for (std::thread &thread : threads)
      thread.join();
  }

  int64_t numMessages() const {
    int64_t messages = 0;
    for (const auto &[entry, network] : networks)
      messages += network->numMessages;
    return messages;
  }

private:
  /// By the entry's name: each engine has its own copy of the module.
  Network &networkOf(const EntryPlan &entry) {
    std::lock_guard lock(mutex);
    auto &network = networks[entry.name];
    if (!network)
      network = std::make_unique<Network>(entry);
    return *network;
  }

  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Network>> networks;
  std::vector<std::unique_ptr<Engine>> engines;
};

} // namespace

TEST(Transport, SessionsOfOneRankEachGiveTheBitsOfThreads) {
  RunDescription expected = trainAndTell(*openModule(moduleFile));
  ASSERT_EQ(expected.measuredBytes.size(), 2u);
  ASSERT_GT(expected.norms[0], 1e-3); // so that the module's clip_norm is at work
  for (int delay : {0, 5}) {
    Engines engines(2, delay);
    RunDescription found[2];
    engines.run([&](size_t rank, Engine &engine) { found[rank] = trainAndTell(engine); });
    for (const RunDescription &told : found) {
      EXPECT_EQ(told.losses, expected.losses);
      EXPECT_EQ(told.norms, expected.norms);
      EXPECT_EQ(told.gradients, expected.gradients);
      EXPECT_TRUE(told == expected);
    }
    EXPECT_EQ(engines.numMessages(), 7 * 2 * 2); // y and dy, two micro-batches, six steps and one gradient
  }
}

TEST(Transport, AnErrorOfOneSessionEndsTheOthers) {
  Engines engines(2, 0);
  std::string texts[2];
  engines.run([&](size_t rank, Engine &engine) {
    const EntryInfo &train = *engine.findEntry("train");
    std::vector<Bytes> inputs = batch(train, 0);
    std::fill(inputs[0].begin(), inputs[0].end(), std::byte(0xff)); // tok: beyond every table of rank 0
    try {
      engine.trainStep(1, inputs);
    } catch (const Error &error) {
      texts[rank] = error.what();
    }
  });
  EXPECT_EQ(texts[0], "index -1 at position 0 is outside 0..255");
  EXPECT_EQ(texts[1], "the session of another rank failed");
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  moduleFile = argc > 1 ? argv[1] : "";
  return RUN_ALL_TESTS();
}
