// Compares our call with the Rust SDK's steps in native code (crate/native), for one annotator and 20,000
// bytes. This is the only cell of README's table in which our single calls are slower.

import { execFileSync, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { keyOf } from 'alvarium-sdk'
import { harness } from '../../crate/ed25519x4/harness/build.mjs'
import { nativeCargo } from '../../js/build/toolchain.mjs'
import { openContender } from '../contenders.mjs'
import { payloadsOf } from './suite.mjs'

const crate = fileURLToPath(new URL('../../crate', import.meta.url))
/** Number of operations per message to the native process, so that the cost of the message hardly counts. */
const AT_ONCE = 500
const [PAYLOAD] = /** @type {[Uint8Array]} */ (payloadsOf(20_000, 1))
/** Bytes to sign, about as many as the identity bytes of a bundle with one annotation. */
const SIGNED = PAYLOAD.slice(0, 350)

/** Our contender for each row with a step that can be measured alone. */
const OURS = {
  all: (/** @type {import('../keys.mjs').Keys} */ keys) => openContender('ours', 1, PAYLOAD, keys),
  hash: () => ({ run: () => keyOf(PAYLOAD) }),
  sign: async (/** @type {import('../keys.mjs').Keys} */ { signingKey }) => {
    const pair = new (await harness()).Pair(signingKey.subarray(0, 32))
    return { run: () => pair.sign(SIGNED) }
  },
}

const ROWS = {
  all: 'a call, and all of its steps',
  hash: 'SHA-256 of the payload',
  names: 'SHA-256 of two short texts',
  sign: 'a signature',
  json: 'an annotation as JSON',
}

/** @type {import('./suite.mjs').Suite['open']} */
async function open({ operation = '' }, keys) {
  const ours = /** @type {typeof OURS[keyof typeof OURS] | undefined} */ (OURS[operation])
  const hashing = operation === 'hash' && { 'node:crypto': { run: () => hash('sha256', PAYLOAD, 'hex') } }
  return { ...(ours && { ours: await ours(keys) }), ...hashing, native: await native(operation) }
}

/** @param {string} step @returns {Promise<import('./suite.mjs').OpenContender>} */
async function native(step) {
  const program = fileURLToPath(new URL('../../crate/target/release/native-steps', import.meta.url))
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child, 'spawn')
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    run: async () => {
      child.stdin.write(`${step} ${AT_ONCE}\n`)
      if ((await answers.next()).done) throw new Error('native: expected an answer, got an end')
    },
    units: AT_ONCE,
    close: async () => {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

/** @type {import('./suite.mjs').Suite} */
export const inNative = {
  name: 'native',
  title: 'create with one annotator at 20,000 bytes, beside the steps of the Rust SDK in native code',
  rows: 'step',
  cells: Object.entries(ROWS).map(([operation, label]) => ({ label, operation })),
  contenders: ['ours', 'node:crypto', 'native'],
  prepare: () => {
    const args = ['build', '--release', '--quiet', '--locked', '--package', 'native-steps']
    execFileSync(nativeCargo(), args, { cwd: crate, stdio: ['ignore', 'inherit', 'inherit'] })
  },
  open,
  columns: 'micros',
  ratios: [{ head: 'native ÷ ours', above: 'native', below: 'ours' }],
  charts: [{ title: 'per call', scale: 'linear' }],
  published: undefined,
}
