import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { median } from '../cold/median.mjs'

const KINDS = ['file', 'Readable', 'web stream', 'async iterable']

/**
 * @param {string} folder with the installed package
 * @param {string[]} command that runs a JavaScript file
 * @param {{ rounds: number, mib: number }} effort
 * @returns {Promise<string[]>} one line per kind of source
 */
export async function compareProcesses(folder, [program = '', ...args], { rounds, mib }) {
  const file = join(folder, 'payload')
  await writeFile(file, pieces(mib))
  const once = async (kind, way) => {
    const of = [...args, 'process.mjs', kind, way, `${mib}`, file]
    return JSON.parse((await promisify(execFile)(program, of, { cwd: folder })).stdout)
  }
  const lines = []
  for (const kind of KINDS) {
    const found = []
    for (let round = 0; round < rounds; round++)
      found.push({ host: await once(kind, 'host'), ours: await once(kind, 'ours') })
    lines.push(`${kind}, ${mib} MiB: ${lineOf(found)}`)
  }
  await rm(file)
  return lines
}

/** @typedef {{ cpu: number, grown: number }} Found @param {{ host: Found, ours: Found }[]} found */
function lineOf(found) {
  const ratio = median(found.map(({ host, ours }) => host.cpu / ours.cpu))
  const most = (way) => Math.max(...found.map((one) => one[way].grown)).toFixed(0)
  const middle = (way) => median(found.map((one) => one[way].grown)).toFixed(0)
  const grown = (way) => `+ ${middle(way)} MiB (most ${most(way)})`
  return `${ratio.toFixed(3)} of the host's rate; memory ${grown('ours')}, the host's ${grown('host')}`
}

/** @param {number} mib */
async function* pieces(mib) {
  const piece = new Uint8Array(1024 * 1024).map((_, at) => at * 31)
  for (let at = 0; at < mib; at++) yield piece
}
