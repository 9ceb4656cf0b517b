// Verifies messages of a topic in a loop that does nothing else.

import { cpuUsage } from 'node:process'
import { subscribe } from 'alvarium-sdk'

/** @typedef {{ url: string, verifyingKey: string, calls: number, warmUp: number }} Options */

/** @type {Options} */
const { url, verifyingKey, calls, warmUp } = JSON.parse(process.argv[2] ?? '{}')
const bundles = subscribe({ url, topic: 'alvarium/sizing', clientId: 'sizing', keyring: [verifyingKey] })
await bundles.open()
process.send?.({ word: 'ready' })
process.once('disconnect', () => bundles.close())

let seen = 0
let before = cpuUsage()
let since = 0
for await (const _ of bundles) {
  // Measure from the first bundle after the warm-up, to exclude the time before it was published.
  if (seen === warmUp) {
    before = cpuUsage()
    since = performance.now()
  }
  seen++
  if (seen === warmUp) process.send?.({ word: 'warm' })
  if (seen < warmUp + calls) continue
  const { user, system } = cpuUsage(before)
  const seconds = (performance.now() - since) / 1000
  process.send?.({ word: 'done', micros: (user + system) / calls, perSecond: calls / seconds })
}
