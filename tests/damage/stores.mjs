// Outbox stores to damage, with a thousand messages each, in the state after a killed process. They are made once and
// copied.

import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AlvariumError } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'

export const MESSAGES = 1000

/** @typedef {{ name: string, settled: number, make: (folder: string) => Promise<void> }} Kind */

const text = new TextEncoder()
/** Returns a message of 400 bytes, the size of a bundle, or sometimes a longer one. */
export const messageOf = (/** @type {number} */ number) =>
  text.encode(`message ${number} `.padEnd(number % 50 === 0 ? 9000 : 400, `${number} `))

export const numberIn = (/** @type {Uint8Array} */ message) =>
  Number(/^message (\d+) /.exec(new TextDecoder().decode(message))?.[1])

const away = new AlvariumError('STREAM_UNREACHABLE', 'away')
/** Returns a stream that accepts this many messages, and no more. */
const taking = (/** @type {number} */ many) => ({
  publish: () => (many-- > 0 ? undefined : Promise.reject(away)),
})

/**
 * @param {string} folder
 * @param {number} settled delivered messages
 * @param {number} left messages in the store afterwards
 * @param {(box: import('alvarium-sdk/outbox').Outbox) => Promise<void>} fill
 */
async function makeStore(folder, settled, left, fill) {
  const box = outbox({ stream: taking(settled), store: folder, closeTimeoutMs: 20, maxInFlight: 1 })
  await box.connect()
  await fill(box)
  while (box.stored.messages > left) await new Promise((resolve) => setTimeout(resolve, 5))
  await box.close()
}

const numbers = Array.from({ length: MESSAGES }, (_, at) => at + 1)
const together = async (/** @type {import('alvarium-sdk/outbox').Outbox} */ box) => {
  await Promise.all(numbers.map((number) => box.publish(messageOf(number))))
}
const inGroups = async (/** @type {import('alvarium-sdk/outbox').Outbox} */ box) => {
  for (let at = 0; at < MESSAGES; at += 20) {
    await Promise.all(numbers.slice(at, at + 20).map((number) => box.publish(messageOf(number))))
  }
}

/** Fills several files, because each opening begins a new one. */
const inFiles = async (/** @type {string} */ folder) => {
  for (let at = 0; at < MESSAGES; at += 250) {
    const some = numbers.slice(at, at + 250)
    await makeStore(folder, 0, at + 250, async (box) => {
      await Promise.all(some.map((number) => box.publish(messageOf(number))))
    })
  }
}

/** @type {readonly Kind[]} */
export const KINDS = [
  { name: 'one group', settled: 0, make: (folder) => makeStore(folder, 0, MESSAGES, together) },
  { name: 'fifty groups', settled: 0, make: (folder) => makeStore(folder, 0, MESSAGES, inGroups) },
  { name: 'four files', settled: 0, make: inFiles },
  {
    name: 'four files, 300 delivered',
    settled: 300,
    make: async (folder) => {
      await inFiles(folder)
      await makeStore(folder, 300, MESSAGES - 300, async () => {})
    },
  },
]

/** Makes a new store of a kind. @param {Kind} kind @param {string} cache @param {string} folder */
export async function storeOf(kind, cache, folder) {
  const original = join(cache, kind.name.replaceAll(/\W+/g, '-'))
  if (!existsSync(original)) {
    mkdirSync(original, { recursive: true })
    await kind.make(original)
  }
  // The lock of a killed process is a socket, which cannot be copied.
  cpSync(original, folder, { recursive: true, filter: (path) => basename(path) !== 'lock' })
}
