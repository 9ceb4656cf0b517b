// Whose code users install, by package-lock.json and Cargo.lock's packages: fails where a licence is not one of those that go with
// Apache-2.0 without more ado.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { nativeCargo } from './toolchain.mjs'

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
  const installed = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => path && !dev && !devOptional,
  )
  return installed.map(([path, { version, license }]) => [
    `${path.split('node_modules/').at(-1)} ${version}`,
    license,
  ])
}

/** What the core and the other algorithms are compiled of, without what only builds them. */
function ofCargo() {
  const format = ['--edges', 'normal', '--prefix', 'none', '--format', '{p}\t{l}']
  const args = [
    'tree',
    '--locked',
    ...['--package', 'alvarium-core', '--package', 'algorithms'],
    '--target',
    'wasm32-unknown-unknown',
    ...format,
  ]
  const lines = execFileSync(nativeCargo(), args, { cwd: `${root}/crate`, encoding: 'utf8' })
    .trim()
    .split('\n')
  return lines.map((line) => line.replace(/ \((\*|proc-macro|\/.*?)\)/g, '').split('\t'))
}

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
