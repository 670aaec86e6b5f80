"""Reads each CSV file given with pandas' C parser: prints the best of three times (wall, CPU) in seconds."""
import resource
import sys
import time

import pandas

for path in sys.argv[1:]:
    times, cpu_times = [], []
    for _ in range(3):
        start, cpu_start = time.perf_counter(), time.process_time()
        frame = pandas.read_csv(path, engine="c")
        times.append(time.perf_counter() - start)
        cpu_times.append(time.process_time() - cpu_start)
        shape = frame.shape
        total = float(frame.to_numpy().sum())
        del frame
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{min(times):.4f} {min(cpu_times):.4f} {shape[0]} {shape[1]} {total!r} {peak:.0f}")
