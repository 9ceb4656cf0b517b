// Calls at three times the rate of a slow broker, for minutes: in each ten seconds, the broker's whole capacity is
// still accepted.

import { setTimeout as sleep } from 'node:timers/promises'
import { generateKey, mqtt, openSdk, source } from 'alvarium-sdk'
import { startMosquitto } from '../../examples/broker/mosquitto.mjs'
import { slowed } from './slow-line.mjs'

const ROUND_TRIP_MS = 200
/** Default window of `mqtt`. */
const IN_FLIGHT = 64
/** Maximum rate of messages a second: a window of them in each round trip. */
const CAPACITY = IN_FLIGHT / (ROUND_TRIP_MS / 1000)
const TIMES = 3
const WINDOW_MS = 10_000

/**
 * @typedef {{ rate: number, share: number }} Goodput calls that resolved, a second; and as a share of a window for each
 * round trip, as long as these took meanwhile: timers of a machine that does other things too are late
 *
 * @typedef {object} Overload what has been seen
 * @property {number} offered
 * @property {Goodput[]} goodput in each ten seconds
 * @property {Record<string, number>} rejected by code
 * @property {number} slowestRejection milliseconds
 * @property {number} cuts connections that were given up
 * @property {boolean} isHeld
 */

/**
 * Runs the overload.
 *
 * @param {{ seconds: number, timeoutMs: number, least: number }} effort `least`: minimum share of the broker's capacity that is accepted in each ten seconds
 * @param {(text: string) => void} say
 * @returns {Promise<Overload>}
 */
export async function overload({ seconds, timeoutMs, least }, say) {
  const broker = await startMosquitto({ config: ['max_inflight_messages 0'] })
  const slow = await slowed(new URL(broker.tcpUrl), ROUND_TRIP_MS)
  const { signingKey } = generateKey()
  const stream = mqtt({ url: slow.url, topic: 'alvarium/overload', publishTimeoutMs: timeoutMs })
  let cuts = 0
  stream.addEventListener('offline', () => cuts++)
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  try {
    const counted = await offered(sdk, seconds, timeoutMs, say)
    const isHeld =
      cuts === 0 &&
      counted.slowestRejection < timeoutMs * 1.1 &&
      counted.goodput.every(({ share }) => share >= least)
    return { ...counted, cuts, isHeld }
  } finally {
    await sdk.close()
    slow.close()
    await broker.stop()
  }
}

/**
 * @param {import('alvarium-sdk').Sdk} sdk
 * @param {number} seconds
 * @param {number} timeoutMs
 * @param {(text: string) => void} say
 */
async function offered(sdk, seconds, timeoutMs, say) {
  const start = performance.now()
  const counted = {
    offered: 0,
    /** @type {Goodput[]} */ goodput: [],
    /** @type {Record<string, number>} */ rejected: {},
    slowestRejection: 0,
  }
  let accepted = 0
  let before = { sumMs: 0, count: 0 }
  const call = async () => {
    const since = performance.now()
    try {
      await sdk.create(new Uint8Array(100))
      accepted++
    } catch (error) {
      const { code } = /** @type {import('alvarium-sdk').AlvariumError} */ (error)
      counted.rejected[code] = (counted.rejected[code] ?? 0) + 1
      counted.slowestRejection = Math.max(counted.slowestRejection, performance.now() - since)
    }
  }
  /** @type {Promise<void>[]} */
  const last = []
  for (let windowAt = start; performance.now() - start < seconds * 1000; await sleep(5)) {
    const elapsed = performance.now() - start
    for (; counted.offered < (elapsed / 1000) * TIMES * CAPACITY; counted.offered++) {
      const one = call()
      if (elapsed > seconds * 1000 - timeoutMs) last.push(one)
    }
    const windowMs = performance.now() - windowAt
    if (windowMs < WINDOW_MS) continue
    const after = sdk.stats().stream?.acknowledge ?? before
    const roundTripMs = (after.sumMs - before.sumMs) / (after.count - before.count)
    before = after
    const rate = accepted / (windowMs / 1000)
    const share = rate / ((IN_FLIGHT / roundTripMs) * 1000)
    counted.goodput.push({ rate, share })
    say(
      `${(elapsed / 1000).toFixed(0).padStart(8)} s  ${rate.toFixed(0)} calls/s accepted, ${percent(share)} of what the broker takes`,
    )
    accepted = 0
    windowAt = performance.now()
  }
  await Promise.all(last)
  return counted
}

/** @param {Overload} seen */
export function overloadText({ offered, goodput, rejected, slowestRejection, cuts, isHeld }) {
  const rates = goodput.map(({ rate }) => rate)
  const refusals = Object.entries(rejected).map(([code, count]) => `${count} ${code}`)
  return [
    `overload: ${offered} calls at ${TIMES} times what the broker takes, ${CAPACITY}/s`,
    `accepted in each ten seconds: ${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)}/s, at least ${percent(Math.min(...goodput.map(({ share }) => share)))} of what it takes`,
    `rejected: ${refusals.join(', ') || 'none'}, the slowest after ${(slowestRejection / 1000).toFixed(1)} s; cuts: ${cuts}`,
    isHeld ? 'held' : 'NOT HELD',
  ].join('\n  ')
}

/** @param {number} share */
const percent = (share) => `${(share * 100).toFixed(0)} %`
