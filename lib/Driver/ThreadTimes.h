//===- ThreadTimes.h - what threads cost each other -------------*- C++ -*-===//
#ifndef PLC_DRIVER_THREADTIMES_H
#define PLC_DRIVER_THREADTIMES_H

namespace plc::driver {

/// Nanoseconds from a call that wakes a sleeping thread until that thread runs. The call itself takes about half of
/// them.
double measureWakeNs();

/// The factor by which each core is slower when twice as many cores compute; 1 on a machine with one core, at most 2.
double measureSlowdown();

} // namespace plc::driver

#endif
