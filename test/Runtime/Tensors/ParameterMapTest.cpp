#include "plc/Runtime/Tensors/ParameterMap.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace plc::runtime;
using plc::ElementType;

static Tensor counting(ElementType type, std::vector<int64_t> shape) {
  Tensor tensor{{"x", type, std::move(shape)}, {}};
  tensor.data.resize(tensor.info.numBytes());
  for (int64_t i = 0; i < tensor.info.numElements(); ++i) {
    if (type == ElementType::I64)
      reinterpret_cast<int64_t *>(tensor.data.data())[i] = i;
    else
      reinterpret_cast<float *>(tensor.data.data())[i] = static_cast<float>(i);
  }
  return tensor;
}

// The element at a position of the result is that at the same position, in the old order of axes, of the tensor.
TEST(ParameterMap, TransposesMoveEachElement) {
  std::mt19937 draw(1);
  for (int round = 0; round < 200; ++round) {
    size_t rank = draw() % 5;
    std::vector<int64_t> shape(rank), order(rank), strides(rank, 1);
    for (int64_t &extent : shape)
      extent = std::array{1, 2, 3, 17, 33}[draw() % (round % 2 ? 3 : 5)];
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), draw);
    for (size_t i = rank; i-- > 1;)
      strides[i - 1] = strides[i] * shape[i];
    Tensor tensor = counting(round % 3 ? ElementType::F32 : ElementType::I64, shape);
    Turn turn{Turn::Kind::Transpose, order};
    TensorInfo info = tensor.info;
    ASSERT_FALSE(turnShape(turn, {}, info)) << round;
    turnTensor(turn, {}, tensor);
    EXPECT_EQ(tensor.info.shape, info.shape);
    for (int64_t i = 0; i < tensor.info.numElements(); ++i) {
      int64_t rest = i, from = 0;
      for (size_t axis = rank; axis-- > 0; rest /= info.shape[axis])
        from += rest % info.shape[axis] * strides[static_cast<size_t>(rank ? order[axis] : 0)];
      ASSERT_EQ(elementAsDouble(tensor.info.type, tensor.data.data(), i), static_cast<double>(from)) << round;
    }
  }
}

TEST(ParameterMap, NothingIsLeftOfAnEmptyTensor) {
  Tensor tensor = counting(ElementType::F32, {3, 0, 2});
  turnTensor({Turn::Kind::Transpose, {}}, {}, tensor);
  EXPECT_EQ(tensor.info.shape, (std::vector<int64_t>{2, 0, 3}));
  turnTensor({Turn::Kind::Slice, {0, 1, 1}}, {}, tensor);
  EXPECT_EQ(tensor.info.shape, (std::vector<int64_t>{0, 0, 3}));
  EXPECT_TRUE(turnShape({Turn::Kind::Reshape, {-1, 0}}, {}, tensor.info));
}

TEST(ParameterMap, BracesStandForTextWithoutAPoint) {
  auto fill = [](const char *pattern, const char *name, const char *other) -> std::string {
    auto values = NamePattern(pattern).match(name);
    return values ? NamePattern(other).fill(*values) : "none";
  };
  EXPECT_EQ(fill("h.{l}.w", "h.12.w", "x{l}y{l}"), "x12y12");
  EXPECT_EQ(fill("h.{l}.w", "h.1.2.w", "{l}"), "none");
  EXPECT_EQ(fill("h.{l}.w", "h..w", "{l}"), "none");
  EXPECT_EQ(fill("{a}{b}", "xyz", "{b}.{a}"), "yz.x");
  EXPECT_EQ(fill("{a}_{a}", "ab_ab", "{a}"), "ab");
  EXPECT_EQ(fill("{a}_{a}", "ab_ac", "{a}"), "none");
  EXPECT_EQ(fill("{a}_{b}_c", "x_y_z_c", "{a},{b}"), "x,y_z");
  EXPECT_EQ(fill("plain", "plain", "other"), "other");
}
