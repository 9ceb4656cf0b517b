// Whose code users get, by package-lock.json and Cargo.lock's packages: fails where a licence is not one of those that go with
// Apache-2.0 without more ado.

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

/** Whether one of those to choose from is fine, or all of those that hold together. */
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
