// `npm run matrix`: the packed tarball in every environment that examples/guide/runtimes.md says it runs in, each a small
// real project.
//
//   npm run matrix                       all of them: an hour, as each holds an SDK open for 20 seconds
//   npm run matrix -- --short            some of each kind, with packages installed once: a step of npm run test:long
//   npm run matrix -- jest 'vite 8'      those with that in their names
//   npm run matrix -- sizes              what the package weighs in a bundle, and how long it takes to start

import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { startBroker } from '../../examples/broker/broker.mjs'
import { PACKAGES } from '../../js/build/package/names.mjs'
import { pack } from '../../js/build/package/pack.mjs'
import { tryOut } from './environment.mjs'
import { ENVIRONMENTS } from './environments/all.mjs'
import { BACKGROUND_ORIGIN } from './environments/pages.mjs'
import { installOnce } from './project.mjs'
import { sizeRow, sizes, startingTimes } from './sizes.mjs'
import { head, isFine, notes, row } from './table.mjs'

/** Outside of the clone, whose own packages the projects would find otherwise; kept from run to run. */
const cache = join(tmpdir(), 'alvarium-sdk-matrix')
const AT_ONCE = 2
/** For so long every environment holds one SDK open, unless it is to be short. */
const HELD_MS = 20_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false } },
})
const isWanted = ({ name, short }) =>
  (!values.short || short) &&
  (positionals.length === 0 || positionals.some((part) => name.toLowerCase().includes(part.toLowerCase())))
const wanted = ENVIRONMENTS.filter(isWanted)
/** A release weighs them, also in `npm run test:long`. */
const isSizesWanted = positionals.includes('sizes') || (positionals.length === 0 && !values.short)
if (wanted.length === 0 && !isSizesWanted) {
  console.error(`expected a part of one of these names:\n${ENVIRONMENTS.map(({ name }) => name).join('\n')}`)
  process.exit(1)
}

const broker = await startBroker({ origins: ['null', BACKGROUND_ORIGIN] })
const [tarball, , command] = PACKAGES.map(tarballOf)
const options = { tarball, command, broker: broker.url, cache, heldMs: values.short ? 1000 : HELD_MS }
const installation = values.short && wanted.length > 1 ? await installOnce(wanted, options) : undefined
const outcomes = await tryAll(wanted, { ...options, installation })
await broker.close()
const found = wanted.map((environment) => ({ environment, outcome: outcomes.get(environment) }))
console.log(
  ['', head(), ...found.map(({ environment, outcome }) => row(environment, outcome)), ''].join('\n'),
)
const weights = isSizesWanted ? await sizes(options) : []
if (isSizesWanted) console.log([...weights.map(sizeRow), await startingTimes(options), ''].join('\n'))
console.log(found.flatMap(({ environment, outcome }) => notes(environment, outcome)).join('\n'))
const failed =
  found.filter(({ environment, outcome }) => !isFine(environment, outcome)).length +
  weights.filter(({ bytes, most }) => bytes > most).length
console.log(`\n${found.length + weights.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** In a folder of its own until it is whole: a release weighs the package while `npm run test:long` tries it. */
function tarballOf(one) {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'packing-'))
  const made = pack(folder, one)
  const tarball = join(cache, basename(made))
  renameSync(made, tarball)
  rmSync(folder, { recursive: true })
  return tarball
}

/** A few at a time, in their order; each says how it went. */
async function tryAll(environments, options) {
  const waiting = [...environments]
  const outcomes = new Map()
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      outcomes.set(next, await tryOut(next, options))
      console.log(row(next, outcomes.get(next)))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return outcomes
}
