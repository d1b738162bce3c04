//===- LayerText.h - one layer as text --------------------------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_TEXT_LAYERTEXT_H
#define PLC_LIB_IMPORT_TEXT_LAYERTEXT_H

#include "Text/Print.h"

namespace plc::import {

/// A convolution and its norm, as a layer of their own within another one.
struct NestedCall {
  std::string text;             // the layer, without its name
  std::string argument, module; // what it is called with; the name in front of its parameters
  std::vector<std::pair<NetNode *, std::string>> parameters{};
};

struct LayerText {
  /// Without its name. '@ID@' stands for the path of a shared parameter, `callMark` and a number for a nested layer's
  /// name and arguments.
  std::string text;
  std::vector<std::pair<NetNode *, std::string>> parameters;
  std::vector<NetNode *> inputs, results;
  std::vector<NestedCall> nested;
};
constexpr char callMark = '\x01';

/// What all layers of a model have in common.
struct ModelNames {
  std::map<const NetNode *, int> owners;          // the layer that a parameter belongs to
  std::map<const NetNode *, std::string> results; // names of the model's results
  bool nestsConvolutions = false;                 // with their norms, since there are several
};

LayerText printLayer(Rules &rules, Layer &layer, Sizes &sizes, ModelNames &names);

/// The rule of the convolution that a rule of a norm is nested with; null if it is another rule.
const Rule *convolutionOf(const Rules &rules, const Layer &layer, const Rule &norm);
/// The layer that both become. Texts of equal convolutions differ in sizes and numbers alone.
NestedCall printNested(const Rule &convolution, const Rule &norm, Sizes &sizes);
/// "(J + 2 * 1 - 3) // 1 + 1" is J.
std::string simplifyWindows(std::string text);

/// "DecoderLayer" is decoder_layer.
std::string snakeCase(const std::string &name);
/// Words of the language and functions of its library, which a name would hide.
bool isReserved(const std::string &name);
/// A name from the module that gives a value.
std::string valueName(const NetNode *node);
/// The name of a user's input.
std::string inputName(const NetNode *node);
/// "i32[B, S]" of an input, "[B, S]" of a real one.
std::string inputType(const NetNode *node, Sizes &sizes);
/// "[B, S]" of a value between layers.
std::string extentsOf(Rules &rules, NetNode *node, Sizes &sizes);
/// The dimensions of a parameter as it is declared.
std::vector<Axis> parameterAxes(const Rules &rules, const NetNode *node);

} // namespace plc::import

#endif
