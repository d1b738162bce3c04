//===- Forms.h - texts that differ only in sizes ----------------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_TEXT_FORMS_H
#define PLC_LIB_IMPORT_TEXT_FORMS_H

#include "Text/Sizes.h"

namespace plc::import {

/// A size or a number that a call gives to a layer, and the number that the layer has by default.
struct Setting {
  std::string name, value, usual;
};

/// Which form a text has, and what it gives to it.
struct FormUse {
  size_t form = 0;
  std::vector<Setting> settings;
};

/// Layers that are equal but for sizes and numbers are one layer. A size of an argument that differs is bound by the
/// argument; others are given behind ';', as `conv(x; O = W, STRIDE = 2)`.
struct Forms {
  std::vector<std::string> texts; // of the forms: layers without their names
  std::vector<FormUse> uses;      // by text

  Forms(const std::vector<std::string> &layers, const Sizes &sizes);
};

/// The settings of a call, marked: `dropUsual` leaves out those that are the default once the texts around are known.
std::string markSettings(const std::vector<Setting> &settings);
std::string dropUsual(const std::string &text);

} // namespace plc::import

#endif
