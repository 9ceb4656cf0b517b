/** Clock ticks of a second in /proc. */
const TICKS = 100

/** What a process has taken of the CPU since it was started; not a number without its figures. @param {string} stat its /proc/…/stat */
export function cpuSecondsOf(stat) {
  // Behind the name in parentheses: fields 3 on. 14 and 15 are utime and stime.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}
