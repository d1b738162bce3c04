for i in 1 2 3 4 5; do /tmp/wt/pred/build/bin/plc-compile --calibrate -o /tmp/q/r$i.toml; done; time /tmp/wt/pred/build/bin/plc-compile --calibrate -o /tmp/q/r6.toml
