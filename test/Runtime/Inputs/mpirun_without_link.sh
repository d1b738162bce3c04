#!/bin/sh
# Open MPI's mpirun, whose processes are not told where the launcher is.
for word; do
  shift
  case "$word" in PLC_LINK=*) ;; *) set -- "$@" "$word" ;; esac
done
exec /usr/bin/mpirun.openmpi "$@"
