//===- LayerText.h - one layer as text --------------------------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_TEXT_LAYERTEXT_H
#define PLC_LIB_IMPORT_TEXT_LAYERTEXT_H

#include "Text/Print.h"

namespace plc::import {

struct LayerText {
  std::string text; // without its name; '@ID@' stands for the path of a shared parameter
  std::vector<std::pair<NetNode *, std::string>> parameters;
  std::vector<NetNode *> inputs, results;
};

/// What all layers of a model have in common.
struct ModelNames {
  std::map<const NetNode *, int> owners;          // the layer that a parameter belongs to
  std::map<const NetNode *, std::string> results; // names of the model's results
};

LayerText printLayer(Rules &rules, Layer &layer, Sizes &sizes, ModelNames &names);

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
