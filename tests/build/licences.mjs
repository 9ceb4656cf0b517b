// Checks the licences of the code that users get, by package-lock.json and Cargo.lock. Fails if one of them is not
// compatible with Apache-2.0 without conditions.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { crates } from '../../js/build/crates.mjs'
import { BUNDLE_PARTS, PACKAGES } from '../../js/build/package/names.mjs'
import { installedWith } from './locked.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const FINE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unicode-3.0',
  'Unlicense',
  'Zlib',
])

/** @returns {[string, string][]} name with version, and licence */
function ofNpm() {
  const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'))
  const found = installedWith(
    packages,
    [...PACKAGES.flatMap(({ installed }) => installed), ...BUNDLE_PARTS].map(
      (name) => `node_modules/${name}`,
    ),
  )
  return found.map((path) => {
    const { version, license } = packages[path]
    return [`${path.split('node_modules/').at(-1)} ${version}`, license]
  })
}

const ofCargo = () => crates().map(({ name, version, licence }) => [`${name} v${version}`, licence])

/** Returns whether one alternative of a licence is compatible; all of its parts must be. */
const isFine = (licence = '') =>
  licence.split(/ OR |\//).some((choice) =>
    choice
      .replace(/[()]/g, '')
      .split(' AND ')
      .every((one) => FINE.has(one.trim())),
  )

const all = [...new Map([...ofNpm(), ...ofCargo()])].filter(([name]) => name)
for (const [name, licence] of all)
  console.log(`${isFine(licence) ? '✓' : '✗'} ${name}: ${licence ?? 'none said'}`)
process.exitCode = all.every(([, licence]) => isFine(licence)) ? 0 : 1
