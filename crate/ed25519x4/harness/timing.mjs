// node timing.mjs [samples]: does the time of a signature depend on what is secret? Fixed against random nonces, and fixed
// against random keys, in random order; Welch's t of the faster nine tenths (Reparaz, Balasch, Verbauwhede, "Dude, is my
// code constant time?", 2017). Above 4.5 in size, and growing with the samples, it does.

import { randomBytes, randomInt } from 'node:crypto'
import { harness } from './build.mjs'

const { Pair } = await harness()
const samples = Number(process.argv[2] ?? 20_000)
const POOL = 64

const fixedMessage = randomBytes(200)
const messages = [() => Buffer.from(fixedMessage), () => randomBytes(200)].map((make) =>
  Array.from({ length: POOL }, make),
)
const fixedSeed = randomBytes(32)
const pairs = [() => fixedSeed, () => randomBytes(32)].map((seed) =>
  Array.from({ length: POOL }, () => new Pair(seed())),
)

report('nonces', (group, at) => pairs[0][0].sign(messages[group][at]))
report('keys', (group, at) => pairs[group][at].sign(messages[1][at]))

function report(name, sign) {
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
  console.log(
    `${name}: fixed ${fixed.mean.toFixed(0)} ns, random ${random.mean.toFixed(0)} ns, t = ${t.toFixed(2)}`,
  )
}

/** The mean, and the square of its standard error. */
function moments(list) {
  const mean = list.reduce((sum, time) => sum + time, 0) / list.length
  const squares = list.reduce((sum, time) => sum + (time - mean) ** 2, 0)
  return { mean, error: squares / (list.length - 1) / list.length }
}
