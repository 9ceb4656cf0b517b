// A program that annotates numbers through an outbox until main.mjs kills it. It prints lines, each of which is out
// before the program goes on:
//
//   stored 17 3.2       the call of number 17 has resolved, after 3.2 ms
//   delivered 17 9.1    the broker has its message
//   failed CODE text    a call was rejected
//   rss 71303168        its memory, once a second
//
// SIGTERM ends it gracefully: stored messages are delivered first.

import { setTimeout as sleep } from 'node:timers/promises'
import { mqtt, openSdk, source } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { say } from '../support/say.mjs'

const { folder, url, topic, key, from, inFlight } = JSON.parse(process.argv[2] ?? '{}')
/** Maximum of stored, undelivered messages: enough to be killed among them, few enough to deliver them afterwards. */
const MOST_WAITING = 5000
const encoder = new TextEncoder()

const stream = outbox({ stream: mqtt({ url, topic }), store: folder, closeTimeoutMs: 120_000 })
stream.addEventListener('dropped', ({ error }) => say('failed', error.code, error.message))
const sdk = await openSdk({ signingKey: { seed: key }, annotators: [source()], stream })
let isEnding = false
process.once('SIGTERM', () => {
  isEnding = true
})
const timer = setInterval(() => say('rss', process.memoryUsage.rss()), 1000)
await Promise.all(Array.from({ length: inFlight }, (_, lane) => callInLane(lane)))
await sdk.close()
clearInterval(timer)

/** @param {number} lane */
async function callInLane(lane) {
  for (let number = from + lane; !isEnding; number += inFlight) {
    while (stream.stored.messages > MOST_WAITING) await sleep(50)
    if (isEnding) return
    const start = performance.now()
    const since = () => (performance.now() - start).toFixed(1)
    try {
      const receipt = await sdk.create(encoder.encode(`${number}`))
      say('stored', number, since())
      receipt.delivered.then(
        () => say('delivered', number, since()),
        ({ code, message }) => say('failed', code, message),
      )
    } catch (error) {
      say('failed', error.code, error.message)
    }
  }
}
