import { readdirSync, readFileSync } from 'node:fs'
import { cpuSecondsOf } from '../../examples/shared/cpu.mjs'

/** Returns the CPU seconds of a process and its children on Linux. @param {number} pid */
export function secondsOf(pid) {
  const stats = readdirSync('/proc').map(statOf)
  const own = stats.filter((stat) => idsIn(stat).includes(`${pid}`))
  return own.map(cpuSecondsOf).reduce((sum, seconds) => sum + seconds, 0)
}

/** Returns the ids of a process and its parent (proc(5)). @param {string} stat */
function idsIn(stat) {
  return /^(\d+) .*\) \S (\d+) /s.exec(stat)?.slice(1) ?? []
}

/**
 * Reads the status of a process; returns an empty string if the process has ended.
 *
 * @param {string} name of a directory in /proc
 */
function statOf(name) {
  try {
    return /^\d+$/.test(name) ? readFileSync(`/proc/${name}/stat`, 'latin1') : ''
  } catch {
    return ''
  }
}
