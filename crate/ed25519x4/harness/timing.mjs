// Tests whether the time of a signature depends on secrets. Compares fixed with random nonces, and fixed with random keys,
// in random order, by Welch's t of the faster nine tenths (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant
// time?", 2017). The time depends on secrets if |t| is above 4.5 and grows with the number of samples.
//
// node timing.mjs [samples]
//
// `npm run bench -- curve` reports the result, too.

import { randomBytes, randomInt } from 'node:crypto'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'
import { harness } from './build.mjs'

const POOL = 64

/** @typedef {{ secret: string, fixed: number, random: number, t: number }} Timing nanoseconds on average, and Welch's t */

/** @param {number} samples of each @returns {Promise<Timing[]>} */
export async function timings(samples) {
  const { Pair } = await harness()
  const fixedMessage = randomBytes(200)
  const messages = [() => Buffer.from(fixedMessage), () => randomBytes(200)].map(pool)
  const fixedSeed = randomBytes(32)
  const pairs = [() => fixedSeed, () => randomBytes(32)].map((seed) => pool(() => new Pair(seed())))
  return [
    { secret: 'nonces', ...timing(samples, (group, at) => pairs[0][0].sign(messages[group][at])) },
    { secret: 'keys', ...timing(samples, (group, at) => pairs[group][at].sign(messages[1][at])) },
  ]
}

/** @template T @param {() => T} make @returns {T[]} */
function pool(make) {
  return Array.from({ length: POOL }, make)
}

/** @param {number} samples @param {(group: number, at: number) => unknown} sign */
function timing(samples, sign) {
  const times = [[], []]
  for (let n = 0; n < samples * 1.1; n++) {
    const [group, at] = [randomInt(2), randomInt(POOL)]
    const start = process.hrtime.bigint()
    sign(group, at)
    if (n > samples * 0.1) times[group].push(Number(process.hrtime.bigint() - start))
  }
  const limit = times.flat().toSorted((a, b) => a - b)[Math.floor(samples * 0.9)]
  const [fixed, random] = times.map((list) => moments(list.filter((time) => time < limit)))
  const t = (fixed.mean - random.mean) / Math.sqrt(fixed.error + random.error)
  return { fixed: fixed.mean, random: random.mean, t }
}

/** Returns the mean, and the square of its standard error. @param {number[]} list */
function moments(list) {
  const mean = list.reduce((sum, time) => sum + time, 0) / list.length
  const squares = list.reduce((sum, time) => sum + (time - mean) ** 2, 0)
  return { mean, error: squares / (list.length - 1) / list.length }
}

if (import.meta.url === pathToFileURL(argv[1]).href) {
  for (const { secret, fixed, random, t } of await timings(Number(argv[2] ?? 20_000))) {
    console.log(
      `${secret}: fixed ${fixed.toFixed(0)} ns, random ${random.toFixed(0)} ns, t = ${t.toFixed(2)}`,
    )
  }
}
