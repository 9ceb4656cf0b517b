// Signs a Parquet file, alters one value in it, and finds the altered row group. CI runs this:
//
//   node examples/parquet/run.mjs [FILE]

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateKey, toHex } from 'alvarium-sdk'
import { green } from '../shared/terminal.mjs'
import { reading, writeReadings } from './sample.mjs'

const ROWS = 10_000
const ALTERED = 3_456
const folder = await mkdtemp(join(tmpdir(), 'alvarium-parquet-'))
const at = (/** @type {string} */ name) => join(folder, name)
try {
  const { signingKey, verifyingKey } = generateKey()
  await writeFile(at('private.key'), toHex(signingKey), { mode: 0o600 })
  await writeFile(at('public.key'), toHex(verifyingKey))
  await writeReadings(at('readings.parquet'), ROWS)
  const file = resolve(process.argv[2] ?? at('readings.parquet'))
  run('annotate.mjs', file, at('private.key'), at('message.json'))
  assert.equal(check(file).status, 0)

  await writeReadings(at('altered.parquet'), ROWS, (row) => (row === ALTERED ? 99 : reading(row)))
  if (process.argv[2] === undefined) {
    const { status, stdout } = check(at('altered.parquet'))
    assert.equal(status, 1)
    assert.match(stdout, /row group 4 \(rows 3001 to 4000\): not as it was signed/)
    assert.equal(stdout.match(/row group/g)?.length, 1)
  }

  // Write a file with identical row groups, except that the first one includes the file's first four bytes.
  await writeReadings(at('alike.parquet'), ROWS, () => 21.4)
  run('annotate.mjs', at('alike.parquet'), at('private.key'), at('alike.json'))
  assert.equal(check(at('alike.parquet'), 'alike.json').status, 0)
  console.log(green('✓ everything went as expected'))
} finally {
  await rm(folder, { recursive: true })
}

/** @param {string} file @param {string} message */
function check(file, message = 'message.json') {
  return run('check.mjs', file, at(message), at('public.key'))
}

/** @param {string} script @param {string[]} args */
function run(script, ...args) {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const ran = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' })
  process.stdout.write(ran.stdout + ran.stderr)
  return ran
}
