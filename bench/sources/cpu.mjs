import { readdirSync, readFileSync } from 'node:fs'

/** Returns the CPU time of all descendants of this process in milliseconds. Linux counts in steps of 10 ms. */
export function cpuOfDescendants() {
  const all = readdirSync('/proc').flatMap((pid) => statOf(pid) ?? [])
  const own = new Set([process.pid])
  // Repeat until nothing is added, because a child may have a smaller process id than its parent.
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
    // The process has ended in the meantime.
    return undefined
  }
}
