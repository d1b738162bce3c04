//===- BudgetedRematNetworks.cpp - training of networks of convolutions -------===//
#include "BudgetedRematProblems.h"

#include <algorithm>

using namespace plc::planner;

namespace {

// Calls of F. An image has `pixels` x `channels` units of 64 bytes; a nanosecond is 32 units read or made, or 512
// products.
class Network {
public:
  struct Image {
    int64_t value = -1, pixels = 0, channels = 0;
  };

  Image convolve(Image x, int64_t channels, int64_t window = 9) {
    return add(x.pixels * x.channels * channels * window / 512, {x}, x.pixels, channels);
  }
  // Each channel alone.
  Image filter(Image x) { return add(x.pixels * x.channels * 9 / 32, {x}, x.pixels, x.channels); }
  // Normalization, nonlinearity, sum: elementwise.
  Image map(Image x) { return add(0, {x}, x.pixels, x.channels); }
  Image sum(Image x, Image y) { return add(0, {x, y}, x.pixels, x.channels); }
  Image join(Image x, Image y) { return add(0, {x, y}, x.pixels, x.channels + y.channels); }
  Image shrink(Image x) { return add(0, {x}, x.pixels / 4, x.channels); }
  Image grow(Image x) { return add(0, {x}, x.pixels * 4, x.channels); }
  Image input(int64_t pixels, int64_t channels) { return add(0, {}, pixels, channels); }

  BudgetedRematProblem train() {
    addBackward(problem);
    return std::move(problem);
  }

private:
  Image add(int64_t ns, std::initializer_list<Image> args, int64_t pixels, int64_t channels) {
    BudgetedRematProblem::Call call{TaskKind::F};
    int64_t units = pixels * channels;
    for (const Image &arg : args) {
      call.args.push_back(arg.value);
      units += arg.pixels * arg.channels;
    }
    call.ns = std::max<int64_t>(ns + units / 32, 1);
    Image image{int64_t(problem.bytes.size()), pixels, channels};
    call.results.push_back(image.value);
    problem.bytes.push_back(64 * pixels * channels);
    problem.calls.push_back(call);
    return image;
  }

  BudgetedRematProblem problem;
};

constexpr int64_t firstPixels = 4096, firstChannels = 16;

} // namespace

BudgetedRematProblem plc::planner::vgg(int64_t scales, int64_t convolutions) {
  Network net;
  Network::Image x = net.input(firstPixels, 4);
  for (int64_t scale = 0, channels = firstChannels; scale < scales; ++scale, channels *= 2) {
    for (int64_t each = 0; each < convolutions; ++each)
      x = net.map(net.convolve(x, channels));
    x = net.shrink(x);
  }
  net.convolve(x, 10, 1);
  return net.train();
}

BudgetedRematProblem plc::planner::uNet(int64_t scales) {
  Network net;
  Network::Image x = net.input(firstPixels, 4);
  std::vector<Network::Image> kept;
  for (int64_t scale = 0, channels = firstChannels; scale < scales; ++scale, channels *= 2) {
    for (int64_t each = 0; each < 2; ++each)
      x = net.map(net.convolve(x, channels));
    kept.push_back(x);
    x = scale + 1 < scales ? net.shrink(x) : x;
  }
  kept.pop_back();
  for (; !kept.empty(); kept.pop_back()) {
    int64_t channels = kept.back().channels;
    x = net.join(net.convolve(net.grow(x), channels, 4), kept.back());
    for (int64_t each = 0; each < 2; ++each)
      x = net.map(net.convolve(x, channels));
  }
  net.convolve(x, 4, 1);
  return net.train();
}

BudgetedRematProblem plc::planner::resNet(int64_t scales, int64_t blocks, bool bottleneck) {
  Network net;
  Network::Image x = net.map(net.map(net.convolve(net.input(firstPixels, 4), firstChannels)));
  for (int64_t scale = 0, channels = firstChannels; scale < scales; ++scale, channels *= 2) {
    if (scale > 0)
      x = net.convolve(net.shrink(x), channels, 1);
    for (int64_t block = 0; block < blocks; ++block) {
      Network::Image y = x;
      if (bottleneck)
        y = net.map(net.map(net.convolve(y, channels / 4, 1)));
      y = net.map(net.map(net.convolve(y, bottleneck ? channels / 4 : channels)));
      y = net.map(net.convolve(y, channels, bottleneck ? 1 : 9));
      x = net.map(net.sum(y, x));
    }
  }
  net.convolve(net.shrink(x), 10, 1);
  return net.train();
}

BudgetedRematProblem plc::planner::mobileNet(int64_t scales, int64_t blocks) {
  Network net;
  Network::Image x = net.map(net.map(net.convolve(net.input(firstPixels, 4), firstChannels)));
  for (int64_t scale = 0, channels = firstChannels; scale < scales; ++scale, channels *= 2) {
    if (scale > 0)
      x = net.convolve(net.shrink(x), channels, 1);
    for (int64_t block = 0; block < blocks; ++block) {
      Network::Image wide = net.map(net.map(net.convolve(x, 6 * channels, 1)));
      wide = net.map(net.map(net.filter(wide)));
      x = net.sum(net.map(net.convolve(wide, channels, 1)), x);
    }
  }
  net.convolve(net.shrink(x), 10, 1);
  return net.train();
}
