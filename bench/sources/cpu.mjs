import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of CPU time that the processes have taken which this one has started, and theirs; a hundredth of a second is Linux's unit. */
export function cpuOfDescendants() {
  const all = readdirSync('/proc').flatMap((pid) => statOf(pid) ?? [])
  const own = new Set([process.pid])
  // A process may have a smaller number than the one that started it.
  for (let before = 0; before < own.size; ) {
    before = own.size
    for (const { pid, parent } of all) if (own.has(parent)) own.add(pid)
  }
  const descendants = all.filter(({ pid }) => own.has(pid) && pid !== process.pid)
  return 10 * descendants.reduce((total, { ticks }) => total + ticks, 0)
}

/** @param {string} pid */
function statOf(pid) {
  if (!/^\d+$/.test(pid)) return undefined
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return { pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    // It has ended meanwhile.
    return undefined
  }
}
