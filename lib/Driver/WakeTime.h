// What it takes a thread to wake another.
#ifndef PLC_DRIVER_WAKETIME_H
#define PLC_DRIVER_WAKETIME_H

namespace plc::driver {

/// Nanoseconds from when a thread calls to wake one that sleeps until that one runs; about half of them takes the call.
double measureWakeNs();

} // namespace plc::driver

#endif
