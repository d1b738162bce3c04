// Initial values as rules name them.
#ifndef PLC_MODULE_MAKEINITIALIZER_H
#define PLC_MODULE_MAKEINITIALIZER_H

#include "plc/Module/Entries.h"

#include <string_view>

namespace plc::module {

/// Of a distribution's name and its numbers, as rules give them: the value, the deviation, or the bounds.
inline Initializer initializerOf(std::string_view kind, double a, double b) {
  Initializer init;
  init.kind = parseChoice<Initializer::Kind>(kind).value();
  switch (init.kind) {
  case Initializer::Kind::Constant: init.value = a; break;
  case Initializer::Kind::Normal: init.scale = a; break;
  case Initializer::Kind::Uniform:
    init.low = a;
    init.high = b;
    break;
  }
  return init;
}

} // namespace plc::module

#endif
