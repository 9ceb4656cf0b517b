// `npm run matrix`: runs the packed tarball in every environment of examples/guide/runtimes.md, each a small real project.
//
//   npm run matrix                       all of them: an hour, because each holds an SDK open for 20 seconds
//   npm run matrix -- --short            some of each kind, with packages installed once: a step of npm run test:long
//   npm run matrix -- jest 'vite 8'      environments with this in their names
//   npm run matrix -- sizes              the size of the package in a bundle, and its starting time

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

/** Outside of the clone, because projects in it would resolve its packages; kept from run to run. */
const cache = join(tmpdir(), 'alvarium-sdk-matrix')
const AT_ONCE = 2
/** The time for which every environment holds one SDK open, unless the run is short. */
const HELD_MS = 20_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false } },
})
const isWanted = ({ name, short }) =>
  (!values.short || short) &&
  (positionals.length === 0 || positionals.some((part) => name.toLowerCase().includes(part.toLowerCase())))
const wanted = ENVIRONMENTS.filter(isWanted)
/** A release measures the sizes, also in `npm run test:long`. */
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

/**
 * Makes the tarball in a temporary folder until it is complete, because a release may measure the package during `npm
 * run test:long`.
 */
function tarballOf(one) {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'packing-'))
  const made = pack(folder, one)
  const tarball = join(cache, basename(made))
  renameSync(made, tarball)
  rmSync(folder, { recursive: true })
  return tarball
}

/** Runs environments in order, a few at a time, and reports each. */
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
