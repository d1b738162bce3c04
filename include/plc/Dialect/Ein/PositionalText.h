//===- PositionalText.h - equations printed by position ---------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_POSITIONALTEXT_H
#define PLC_DIALECT_EIN_POSITIONALTEXT_H

namespace plc::ein {

/// While one exists, equations that this thread prints have `over EXTENTS maps MAPS` instead of subscripts. The
/// numerics key hashes this text, which must not change when the form for readers does.
class PositionalText {
public:
  PositionalText();
  ~PositionalText();
  PositionalText(const PositionalText &) = delete;
  PositionalText &operator=(const PositionalText &) = delete;

  /// Whether one exists in this thread.
  static bool isOn();
};

} // namespace plc::ein

#endif
