// Streams for dead letters, with the faults that they can have.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AlvariumError, openDeadLetter } from 'alvarium-sdk'
import { file } from 'alvarium-sdk/file'

/** @typedef {import('alvarium-sdk').StreamProvider} StreamProvider */
/**
 * @typedef {object} Letters
 * @property {() => StreamProvider} stream a new one for each run of the consumer
 * @property {() => import('alvarium-sdk').DeadLetter[]} read what it has kept
 * @property {AlvariumError} [fault] what it fails with, if it does
 */
/** @typedef {(folder: string, random: import('../damage/random.mjs').Random) => Letters} Kind */

const full = new AlvariumError('STORE_FAILED', 'expected the message to be written, got: ENOSPC')
const refused = new AlvariumError('STREAM_REFUSED', 'expected a packet of at most 1000 bytes')

/** @param {(letter: Uint8Array) => void} check throws if the stream fails @returns {Letters} */
function inMemory(check, fault = full) {
  /** @type {Uint8Array[]} */
  const kept = []
  const publish = async (/** @type {Uint8Array} */ letter) => {
    check(letter)
    kept.push(letter)
  }
  return { stream: () => ({ publish }), read: () => kept.map(openDeadLetter), fault }
}

/** @type {Readonly<Record<string, Kind>>} */
export const KINDS = {
  'a file': (folder, random) => ({
    stream: () => file({ path: join(folder, 'dead.ndjson'), maxBytes: 1024 * (1 + random(8)) }),
    read: () =>
      readdirSync(folder)
        .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1))
        .map((line) => openDeadLetter(new TextEncoder().encode(line))),
  }),
  'a disk that is full now and then': (_, random) =>
    inMemory(() => {
      if (random(4) === 0) throw full
    }),
  'a broker with a lower limit': () =>
    inMemory((letter) => {
      if (letter.length > 1000) throw refused
    }),
}
