// Opens a damaged store and reports the result.

import { AlvariumError } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { MESSAGES, messageOf, numberIn } from './stores.mjs'

const PATIENCE_MS = 20_000

/** @param {string} folder @param {number} settled messages delivered earlier */
export async function judged(folder, settled) {
  /** @type {string[]} */
  const faults = []
  /** @type {number[]} */
  const delivered = []
  /** @type {import('alvarium-sdk/outbox').Range[]} */
  const gone = []
  let told = 0
  const publish = (/** @type {Uint8Array} */ message) => {
    const number = numberIn(message)
    const isAsSent = Buffer.compare(message, messageOf(number)) === 0
    if (!isAsSent) faults.push(`delivered ${number}, altered`)
    delivered.push(number)
  }
  const box = outbox({ stream: { publish }, store: folder, closeTimeoutMs: 1000 })
  box.addEventListener('damaged', ({ count, numbers, error }) => {
    told += count
    gone.push(...numbers)
    if (error.code !== 'STORE_DAMAGED') faults.push(`told with ${error.code}`)
  })
  box.addEventListener('dropped', ({ error }) => faults.push(`dropped: ${error}`))
  const began = performance.now()
  let openedMs = 0
  try {
    await box.connect()
    openedMs = performance.now() - began
    await until(() => box.stored.messages === 0, 'all is delivered')
    const last = await box.publish(messageOf(MESSAGES + 1))
    await last.delivered
    if (box.stats().damaged !== told)
      faults.push(`stats say ${box.stats().damaged} are gone, the events ${told}`)
  } catch (error) {
    const text = error instanceof AlvariumError ? error.code : 'a raw error'
    faults.push(`${text}: ${error instanceof Error ? error.stack : error}`)
  }
  await box.close().catch((error) => faults.push(`close: ${error}`))
  faults.push(...(await leftovers(folder)))
  const seen = new Set(delivered.filter((number) => number > settled && number <= MESSAGES))
  const lost = new Set(
    gone.flatMap(([first, end]) => Array.from({ length: end - first + 1 }, (_, at) => first + at)),
  )
  for (let number = settled + 1; number <= MESSAGES; number++) {
    if (!seen.has(number) && !lost.has(number)) faults.push(`${number} neither delivered nor told`)
    if (seen.has(number) && lost.has(number)) faults.push(`${number} delivered and told`)
  }
  if (seen.size + told !== MESSAGES - settled) {
    faults.push(`${seen.size} delivered and ${told} told, of ${MESSAGES - settled}`)
  }
  return {
    delivered: seen.size,
    told,
    again: delivered.length - seen.size - 1,
    openedMs,
    faults: faults.slice(0, 12),
  }
}

/**
 * Checks that the store opens again, undamaged and empty: without a lock, and without a repeated report.
 *
 * @param {string} folder
 */
async function leftovers(folder) {
  const faults = []
  const box = outbox({ stream: { publish: () => {} }, store: folder, closeTimeoutMs: 1000 })
  try {
    await box.connect()
    if (box.stored.messages > 0) faults.push(`opened again: ${box.stored.messages} messages`)
    if (box.stats().damaged > 0) faults.push(`opened again: told ${box.stats().damaged} once more`)
  } catch (error) {
    faults.push(`opened again: ${error}`)
  }
  await box.close().catch((error) => faults.push(`closed again: ${error}`))
  return faults
}

/** @param {() => boolean} isSo @param {string} what */
async function until(isSo, what) {
  const end = performance.now() + PATIENCE_MS
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
