// Rows of the quick table: creating a message from a payload, and verifying a message down to a verdict.

import { createPublicKey, hash, verify } from 'node:crypto'
import * as noble from '@noble/ed25519'
import { sha256 } from '@noble/hashes/sha2.js'
import { Keyring, openSdk, verifyMessage } from 'alvarium-sdk'
import { CompactSign, compactVerify } from 'jose'
import { IdentityWriter } from './baselines/identity.mjs'
import { OnceSdk } from './baselines/once.mjs'
import { plain, replicated, stream } from './contenders.mjs'
import './peers.mjs' // sets the hash function of @noble/ed25519
import { cpuOf } from './suites/blocks.mjs'
import { payloadsOf } from './suites/suite.mjs'

/**
 * @typedef {import('./keys.mjs').Keys} Keys
 *
 * @typedef {object} Contender
 * @property {string} name
 * @property {() => unknown} run
 * @property {() => unknown} [close]
 *
 * @typedef {Contender & { operations: number, micros: number[] }} OpenContender
 * @typedef {{ label: string, contenders: OpenContender[] }} OpenRow
 * @typedef {{ label: string, contenders: Pick<OpenContender, 'name' | 'micros'>[] }} MeasuredRow times of each contender, round by round
 */

/** CPU time of a block in microseconds, many times that of a garbage collection. */
const BLOCK_MICROS = 12_000
const WARM_MICROS = 150_000
const ANNOTATORS = 5

/** Opens all rows and warms up their contenders. @param {Keys} keys @returns {Promise<OpenRow[]>} */
export async function openRows(keys) {
  const rows = [
    { label: `create, 100 bytes, ${ANNOTATORS} annotators`, contenders: await creators(keys, 100) },
    { label: `create, 20,000 bytes, ${ANNOTATORS} annotators`, contenders: await creators(keys, 20_000) },
    { label: `verify, ${ANNOTATORS} annotations`, contenders: await verifiers(keys) },
  ]
  /** @type {OpenRow[]} */
  const open = []
  for (const { label, contenders } of rows) {
    const warm = []
    for (const one of contenders) warm.push(await warmUp(one))
    open.push({ label, contenders: warm })
  }
  return open
}

/** Runs a block. Returns microseconds of CPU time per operation. @param {OpenContender} contender */
export async function blockOf({ run, operations }) {
  return (await cpuOf({ run }, operations)) / operations
}

/** @param {Contender} contender @returns {Promise<OpenContender>} */
async function warmUp(contender) {
  let [operations, spent, last] = [1, 0, 0]
  while (spent < WARM_MICROS) {
    last = await cpuOf(contender, operations)
    spent += last
    if (last < BLOCK_MICROS) operations *= 2
  }
  return {
    ...contender,
    operations: Math.max(1, Math.round((operations * BLOCK_MICROS) / Math.max(1, last))),
    micros: [],
  }
}

/** @param {Keys} keys @param {number} bytes @returns {Promise<Contender[]>} */
async function creators({ signingKey, privateKey }, bytes) {
  const [payload] = /** @type {[Uint8Array]} */ (payloadsOf(bytes, 1))
  const sdk = await openSdk({ signingKey, annotators: replicated(ANNOTATORS), stream })
  const once = new OnceSdk({ signingKey, annotators: plain(ANNOTATORS), stream })
  const seed = signingKey.subarray(0, 32)
  return [
    { name: 'alvarium-sdk', run: () => sdk.create(payload), close: () => sdk.close() },
    { name: 'node:crypto', run: () => once.create(payload) },
    { name: 'jose', run: () => joseMessage(contentOf(hash('sha256', payload, 'hex')), privateKey) },
    {
      name: 'noble',
      run: () => {
        const content = contentOf(Buffer.from(sha256(payload)).toString('hex'))
        const signature = Buffer.from(noble.sign(content, seed)).toString('hex')
        return Buffer.from(JSON.stringify({ content: content.toString(), signature }))
      },
    },
  ]
}

/** Returns the content of a bundle as JSON, built anew for each call. @param {string} key of the payload */
function contentOf(key) {
  const timestamp = new Date().toISOString()
  const annotations = Array.from({ length: ANNOTATORS }, (_, at) => ({
    id: `01J00000000000000000000${at}`,
    kind: 'src',
    tag: '',
    isSatisfied: true,
  }))
  return Buffer.from(
    JSON.stringify({
      key: key.toUpperCase(),
      hash: 'sha256',
      host: 'edge-7',
      layer: 'app',
      timestamp,
      annotations,
    }),
  )
}

/** @param {Buffer} content @param {import('node:crypto').KeyObject} privateKey */
function joseMessage(content, privateKey) {
  return new CompactSign(content).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey)
}

/** @param {Keys} keys @returns {Promise<Contender[]>} */
async function verifiers({ signingKey, verifyingKey, privateKey, publicKey }) {
  const [payload] = /** @type {[Uint8Array]} */ (payloadsOf(100, 1))
  const sdk = await openSdk({ signingKey, annotators: replicated(ANNOTATORS), stream })
  const { message } = await sdk.create(payload)
  await sdk.close()
  const keyring = new Keyring([verifyingKey])
  const token = await joseMessage(contentOf(hash('sha256', payload, 'hex')), privateKey)
  const check = checkOf(message)
  const known = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }))
  return [
    { name: 'alvarium-sdk', run: () => verifyMessage(message, { keyring }) },
    { name: 'node:crypto', run: () => check((bytes, signature) => verify(null, bytes, known, signature)) },
    {
      name: 'jose',
      run: async () => JSON.parse(new TextDecoder().decode((await compactVerify(token, publicKey)).payload)),
    },
    {
      name: 'noble',
      run: () => check((bytes, signature) => noble.verify(signature, bytes, verifyingKey, { zip215: false })),
    },
  ]
}

/**
 * Returns a verifier of a bundle in plain Node.js. The verifier parses the message, builds the identity
 * bytes, and verifies the signature.
 *
 * @param {Uint8Array} message
 */
function checkOf(message) {
  const { content } = JSON.parse(Buffer.from(message).toString())
  const { host, layer, signer, annotations } = content
  const kinds = annotations.map((/** @type {{ kind: string }} */ { kind }) => kind)
  const writer = new IdentityWriter({ host, layer, signer, tag: annotations[0].tag, kinds })
  return (/** @type {(bytes: Uint8Array, signature: Buffer) => boolean} */ isGenuine) => {
    const { content: read } = JSON.parse(Buffer.from(message).toString())
    const bytes = writer.write(read.key, read.timestamp, read.annotations)
    if (!isGenuine(bytes, Buffer.from(read.signature, 'hex')))
      throw new Error('verify: expected a genuine message')
    return read
  }
}
