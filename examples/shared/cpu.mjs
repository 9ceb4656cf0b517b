/** Number of clock ticks per second in /proc. */
const TICKS = 100

/** Returns the CPU time of a process in seconds; NaN if unknown. @param {string} stat of /proc/…/stat */
export function cpuSecondsOf(stat) {
  // Fields 3 and later follow the name in parentheses. Fields 14 and 15 are utime and stime.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}
