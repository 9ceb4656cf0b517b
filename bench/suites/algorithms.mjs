// Measures signing and verifying with ECDSA and SM2: the package, node:crypto with key objects, and noble.
// For signing, the package keeps its key open, as an SDK does. Then measures many calls, one after another
// and with a pool.

import { createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import {
  generateKey,
  Keyring,
  keyIdOf,
  memory,
  openSdk,
  recoverKey,
  signBytes,
  verifyBytes,
  verifyMessages,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { openEc } from '../../dist/signing/keys/ec/signing-key.js'
import { replicated, stream } from '../contenders.mjs'
import { grouped, payloadsOf } from './suite.mjs'

/** @typedef {import('./suite.mjs').OpenContender} OpenContender */

const BYTES = new Uint8Array(randomBytes(500))
const ALGORITHMS = {
  'P-256': { hash: 'sha256', noble: p256 },
  secp256k1: { hash: 'sha256', noble: secp256k1 },
  SM2: { hash: 'sm3', noble: undefined },
}
const NOBLE = { format: 'compact', prehash: true, lowS: true }

/** @param {string} name @param {boolean} isRight */
function assertRight(name, isRight) {
  if (!isRight) throw new Error(`${name}: expected what the others take for genuine`)
}

async function keysOf(algorithm) {
  const { signingKey, verifyingKey, keyId } = await generateKey({ algorithm })
  const privateKey = createPrivateKey({ key: Buffer.from(signingKey), format: 'der', type: 'pkcs8' })
  const at = signingKey.findIndex((byte, index) => byte === 4 && signingKey[index + 1] === 0x20) + 2
  const [scalar, point] = [signingKey.slice(at, at + 32), verifyingKey.slice(-65)]
  return {
    signingKey,
    verifyingKey,
    keyId,
    privateKey,
    publicKey: createPublicKey(privateKey),
    scalar,
    point,
  }
}

async function openSign(algorithm) {
  const { hash, noble } = ALGORITHMS[algorithm]
  const { signingKey, verifyingKey, privateKey, scalar } = await keysOf(algorithm)
  const key = openEc(signingKey)
  assertRight('ours', verifyBytes(verifyingKey, BYTES, key.sign(BYTES)))
  return {
    ours: { run: () => key.sign(BYTES) },
    'node:crypto': { run: () => sign(hash, BYTES, { key: privateKey, dsaEncoding: 'ieee-p1363' }) },
    ...(noble && { '@noble/curves': { run: () => noble.sign(BYTES, scalar, NOBLE) } }),
  }
}

async function openVerify(algorithm) {
  const { hash, noble } = ALGORITHMS[algorithm]
  const { signingKey, verifyingKey, publicKey, privateKey, point } = await keysOf(algorithm)
  const signature = signBytes(signingKey, BYTES)
  const theirs = { key: publicKey, dsaEncoding: 'ieee-p1363' }
  // Let node:crypto verify its own SM2 signature, because the package uses another signer identity.
  const own =
    algorithm === 'SM2' ? sign(hash, BYTES, { key: privateKey, dsaEncoding: 'ieee-p1363' }) : signature
  assertRight('node:crypto', verify(hash, BYTES, theirs, own))
  return {
    ours: { run: () => verifyBytes(verifyingKey, BYTES, signature) },
    'node:crypto': { run: () => verify(hash, BYTES, theirs, own) },
    ...(noble && { '@noble/curves': { run: () => noble.verify(signature, BYTES, point, NOBLE) } }),
  }
}

/**
 * Opens contenders that make recoverable signatures. `ours` and `@noble/curves` get the recovery id with the
 * signature. `ours, then trying` tries recovery ids until the recovered key is the right one.
 */
async function openRecoverable() {
  const { signingKey, keyId, scalar } = await keysOf('secp256k1')
  const key = openEc(signingKey)
  const tried = async () => {
    const signature = key.sign(BYTES)
    for (let id = 0; id < 4; id++) {
      const recoverable = Uint8Array.of(...signature, id)
      if (keyIdOf(await recoverKey(BYTES, recoverable)) === keyId) return recoverable
    }
    throw new Error('expected one of the ids to be right')
  }
  const known = () => key.signRecoverable(BYTES)
  for (const signature of [known(), await tried()]) {
    assertRight('ours', keyIdOf(await recoverKey(BYTES, signature)) === keyId)
  }
  return {
    ours: { run: known },
    'ours, then trying': { run: tried },
    '@noble/curves': { run: () => secp256k1.sign(BYTES, scalar, { ...NOBLE, format: 'recovered' }) },
  }
}

const OPERATIONS = Object.fromEntries([
  ...Object.keys(ALGORITHMS).map((name) => [`sign, ${name}`, () => openSign(name)]),
  ['sign with recovery id, secp256k1', openRecoverable],
  ...Object.keys(ALGORITHMS).map((name) => [`verify, ${name}`, () => openVerify(name)]),
])

/** Number of calls in the published table of the FISCO BCOS Java SDK. */
const PUBLISHED = 500_000
const AT_ONCE = 256

/**
 * Measures calls one after another, and with a pool. Extrapolates the seconds to the published number of
 * calls.
 *
 * @param {boolean} isQuick
 */
async function bulk(isQuick) {
  const count = isQuick ? 256 : 5_120
  const cores = availableParallelism()
  const rows = []
  for (const algorithm of ['Ed25519', ...Object.keys(ALGORITHMS)]) {
    rows.push([algorithm, await sealed(algorithm, count), await sealed(algorithm, count, cores)])
  }
  const seconds = (each) => rows.map((row) => (each(row) * PUBLISHED).toFixed(1))
  return {
    caption: `Seconds for ${grouped(PUBLISHED)} signed bundles of one annotation about 100 bytes, measured on ${grouped(count)}`,
    groups: [
      { title: 'algorithm', columns: [{ head: '', values: rows.map(([name]) => name) }] },
      { title: 'one after the other', columns: [{ head: 's', values: seconds(([, serial]) => serial) }] },
      { title: `pool of ${cores}`, columns: [{ head: 's', values: seconds(([, , pooled]) => pooled) }] },
      {
        title: 'serial ÷ pool',
        columns: [{ head: '', values: rows.map(([, serial, pooled]) => (serial / pooled).toFixed(2)) }],
      },
    ],
  }
}

/** Makes calls of an SDK, in parallel with a pool if `cores` is given. Returns the seconds per call. */
async function sealed(algorithm, count, cores = 0) {
  const { signingKey, verifyingKey } = await generateKey({ algorithm })
  const workers = cores > 0 ? await pool({ workers: cores }) : undefined
  await check(signingKey, verifyingKey, workers)
  const sdk = await openSdk({ signingKey, annotators: replicated(1), stream, pool: workers })
  const payloads = payloadsOf(100, AT_ONCE)
  const start = performance.now()
  for (let done = 0; done < count; done += AT_ONCE) {
    // Without a pool, wait for each call before the next one.
    if (workers) await Promise.all(payloads.map((payload) => sdk.create(payload)))
    else for (const payload of payloads) await sdk.create(payload)
  }
  const seconds = (performance.now() - start) / 1000
  await sdk.close()
  await workers?.close()
  return seconds / count
}

/** Checks that messages of an SDK verify. The SDK's calls also make the workers load the algorithm. */
async function check(signingKey, verifyingKey, workers) {
  const kept = memory()
  const sdk = await openSdk({ signingKey, annotators: replicated(1), stream: kept, pool: workers })
  await Promise.all(payloadsOf(100, AT_ONCE).map((payload) => sdk.create(payload)))
  await sdk.close()
  const verdicts = await verifyMessages(kept.messages.slice(0, 8), { keyring: new Keyring([verifyingKey]) })
  assertRight(
    'bulk',
    verdicts.every(({ status }) => status === 'fulfilled'),
  )
}

/** @type {import('./suite.mjs').Suite} */
export const algorithms = {
  name: 'algorithms',
  title: 'ECDSA and SM2: sign and verify 500 bytes',
  rows: 'operation',
  cells: Object.keys(OPERATIONS).map((operation) => ({ label: operation, operation, mostCalls: 128 })),
  contenders: ['ours', 'ours, then trying', 'node:crypto', '@noble/curves'],
  open: ({ operation = '' }) => OPERATIONS[operation](),
  more: bulk,
  columns: 'rate',
  ratios: [
    { head: 'ours ÷ node:crypto', above: 'ours', below: 'node:crypto' },
    { head: 'ours ÷ noble', above: 'ours', below: '@noble/curves' },
    { head: 'ours ÷ then trying', above: 'ours', below: 'ours, then trying' },
  ],
  charts: [{ title: 'per signature', scale: 'linear' }],
  published: undefined,
}
