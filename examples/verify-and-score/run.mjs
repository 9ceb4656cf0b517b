// Makes messages, lets score.mjs score them, and checks its output. CI runs this:
//
//   node examples/verify-and-score/run.mjs

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateKey, keyOf, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { green, red, short } from '../shared/terminal.mjs'

const SCORE = fileURLToPath(new URL('score.mjs', import.meta.url))
const encoder = new TextEncoder()
const raw = encoder.encode('{"celsius":"21.4"}')
const parsed = encoder.encode('{"celsius":21.4}')
const rounded = encoder.encode('{"celsius":21}')

/** Annotator that returns its input. @type {import('alvarium-sdk').Annotator<'calibrated', boolean>} */
const calibrated = {
  kind: 'calibrated',
  actions: ['create', 'transit'],
  isSatisfied: ({ input }) => input === true,
}

const folder = await mkdtemp(join(tmpdir(), 'alvarium-'))
try {
  await checkScores()
  console.log(green('✓ everything went as expected'))
} catch (error) {
  console.error(red(`✗ ${error.message}`))
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true })
}

async function checkScores() {
  const key = generateKey()
  const [keyFile, file] = [join(folder, 'public.key'), join(folder, 'messages.ndjson')]
  await writeFile(keyFile, toHex(key.verifyingKey))
  const genuine = await lifeOfAReading(key.signingKey)
  await writeFile(file, `\uFEFF${genuine.join('\n')}`) // add a byte order mark, as some Windows programs do

  const plain = score([file, '--key', keyFile])
  assert.equal(plain.status, 0)
  for (const payload of [raw, parsed]) assert.match(plain.stdout, new RegExp(` 50 %  ${keyOf(payload)}`))
  assert.match(
    plain.stdout,
    new RegExp(`made from  ${short(keyOf(raw))}  50 %\\n.*${short(keyOf(parsed))}  100 %`),
  )

  const policy = join(folder, 'scoring.json')
  await writeFile(policy, '{"version":1,"weights":{"calibrated":3},"repeats":"each","ancestors":"own"}')
  const weighted = score(['--key', keyFile, '--policy', policy], genuine.join('\n'))
  assert.match(weighted.stdout, new RegExp(` 62 %  ${keyOf(raw)}`))
  assert.match(weighted.stdout, new RegExp(`100 %  ${keyOf(parsed)}`))

  await checkStrangers(genuine, keyFile)
  assert.equal(score(['missing.ndjson', '--key', keyFile]).status, 2)
  assert.equal(score([file]).status, 2)
}

/** Checks that an unknown signer's message and an altered message are reported and do not count. */
async function checkStrangers(/** @type {string[]} */ genuine, /** @type {string} */ keyFile) {
  const [stranger] = await lifeOfAReading(generateKey().signingKey)
  const altered = genuine[0].replace('"isSatisfied":false', '"isSatisfied":true')
  const checked = score(['--key', keyFile], [...genuine, genuine[0], stranger, altered].join('\n'))
  assert.equal(checked.status, 1)
  assert.match(checked.stderr, /line 6, SIGNER_UNKNOWN/)
  assert.match(checked.stderr, /line 7, SIGNATURE_INVALID/)
  assert.match(checked.stdout, new RegExp(` 50 %  ${keyOf(raw)}`))
}

/** @param {Uint8Array} signingKey @returns {Promise<string[]>} messages */
async function lifeOfAReading(signingKey) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source(), calibrated], stream })
  await sdk.create(raw)
  await sdk.transit(raw, { calibrated: true })
  await sdk.mutate(raw, parsed)
  await sdk.mutate(parsed, rounded)
  await sdk.close()
  return stream.messages.map((message) => new TextDecoder().decode(message))
}

/** @param {string[]} args @param {string} [input] */
function score(args, input = '') {
  console.log(`score.mjs ${args.map((arg) => arg.replace(folder, '…')).join(' ')}`)
  const env = { ...process.env, NO_COLOR: '1' }
  const run = spawnSync(process.execPath, [SCORE, ...args], { input, env, encoding: 'utf8', timeout: 20_000 })
  console.log(run.stdout + run.stderr)
  return run
}
