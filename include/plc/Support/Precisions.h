//===- Precisions.h - precisions that are not there yet ---------*- C++ -*-===//
#ifndef PLC_SUPPORT_PRECISIONS_H
#define PLC_SUPPORT_PRECISIONS_H

namespace plc {

/// What a strategy may name as its precision beside element types (`isComputeType`), but nothing carries out.
inline constexpr const char *plannedPrecisions[] = {"mixed", "half"};

} // namespace plc

#endif
