//===- Nested.cpp - convolutions with their norms as layers ---------------===//
#include "Text/LayerText.h"

#include <algorithm>
#include <regex>

using namespace plc;
using namespace plc::import;

const Rule *plc::import::convolutionOf(const Rules &rules, const Layer &layer, const Rule &norm) {
  E e = norm.right;
  if (!e || e->kind != Expr::Whole || e->op != Op::BatchNorm || e->arguments[0]->kind != Expr::Read)
    return nullptr;
  auto made = layer.made.find(e->arguments[0]->key);
  if (made == layer.made.end() || !made->second->right)
    return nullptr;
  const Rule &before = *made->second;
  const NetNode *node = before.key.node;
  bool isConvolution = before.right->kind == Expr::Whole && (node->op == Op::Convolution);
  if (!isConvolution || rules.consumers(node).size() != 1 || !rules.isParameter(node->operands[1]))
    return nullptr;
  const std::vector<NetNode *> &operands = norm.key.node->operands;
  return std::all_of(operands.begin() + 1, operands.end(), [&](auto *each) { return rules.isParameter(each); })
             ? &before
             : nullptr;
}

NestedCall plc::import::printNested(const Rule &convolution, const Rule &norm, Sizes &sizes) {
  const NetNode *node = convolution.key.node, *x = node->operands[0], *w = node->operands[1];
  bool isByChannel = node->windows.groups > 1;
  auto list = [&](const std::vector<Axis> &axes, size_t first) {
    std::string text;
    for (size_t i = first; i < axes.size(); ++i)
      text += ", " + sizes.product(axes[i]);
    return text;
  };
  std::string batch = sizes.product(x->axes[0]), outputs = sizes.product(node->axes[1]), sides,
              stride = std::to_string(node->windows.stride[0]), pad = std::to_string(node->windows.pad[0]);
  for (size_t i = 2; i < node->axes.size(); ++i)
    sides += ", (" + sizes.product(x->axes[i]) + " + 2 * " + pad + " - " + sizes.product(w->axes[i]) + ") // " +
             stride + " + 1";
  NestedCall call;
  call.text = "(x[" + batch + list(x->axes, 1) + "]) -> y[" + batch + ", " + outputs + sides + "] {\n";
  call.text += "  param w[" + outputs + list(w->axes, isByChannel ? 2 : 1) + "] ~ normal(0.02)\n";
  call.text += "  param g[" + outputs + "] = 1, o[" + outputs + "] = 0\n";
  call.text += "  param mean_of[" + outputs + "] = 0 frozen, variance[" + outputs + "] = 1 frozen\n";
  call.text += "  h = " + std::string(textOf(convolution.right->op)) + "(x, w; STRIDE = " + stride + ", PAD = " + pad +
               ")\n  y = kept_norm_2d(h, mean_of, variance, g, o";
  for (auto [name, value] : norm.right->settings)
    call.text += "; " + std::string(name) + " = " + numberText(value);
  call.text += ")\n}\n";
  const std::vector<NetNode *> &operands = norm.key.node->operands;
  call.parameters = {{node->operands[1], "w"},
                     {operands[1], "mean_of"},
                     {operands[2], "variance"},
                     {operands[3], "g"},
                     {operands[4], "o"}};
  return call;
}

std::string plc::import::simplifyWindows(std::string text) {
  static const std::regex windows(R"(\((\w+) \+ 2 \* (\d+) - (\d+)\) // (\d+) \+ 1)");
  for (std::smatch match; std::regex_search(text, match, windows);) {
    int64_t rest = 2 * std::stoll(match[2]) - std::stoll(match[3]);
    text = match.prefix().str() + countOfWindows(match[1], rest, std::stoll(match[4])) + match.suffix().str();
  }
  for (size_t at = text.find(" + 2 * 0 - "); at != std::string::npos; at = text.find(" + 2 * 0 - "))
    text.erase(at, 8);
  return text;
}
