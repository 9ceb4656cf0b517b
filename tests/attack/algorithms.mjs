// Attacks with keys and ECDSA and SM2 signatures that are crafted from genuine ones. Every path to a verdict must give
// the expected one. Where node:crypto has the algorithm, OpenSSL with FORMAT.md's rule of the lower s must agree.

import { verify as verifyByNode } from 'node:crypto'
import {
  AlvariumError,
  generateKey,
  identityBytes,
  Keyring,
  keyIdOf,
  memory,
  openSdk,
  source,
  verifyBytes,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { Random } from './random.mjs'
import { progress, Tally } from './tally.mjs'
import { timedNow } from './timed.mjs'

/** The orders of the groups and the primes of the fields. */
const CURVES = {
  'P-256': [
    0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
    0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
  ],
  secp256k1: [
    0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
    0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn,
  ],
  SM2: [
    0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123n,
    0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffffn,
  ],
}
const NAMES = Object.keys(CURVES)
const SEALED = 12
const GROUP = 100
/** One group in this many also goes through the pool. */
const EVERY = 5

/** @param {{ seed: number, count: number }} options */
export async function algorithms({ seed, count }) {
  const random = new Random(seed, 3)
  const tally = new Tally()
  const stop = progress(tally, count)
  const signers = []
  for (const name of NAMES) signers.push(await signerOf(name))
  const keyring = new Keyring(signers.map(({ key }) => key.verifyingKey))
  const workers = await pool({ workers: 1 })
  for (let group = 0; group * GROUP < count; group++) {
    const cases = Array.from({ length: GROUP }, () => crafted(signers, random))
    for (const one of cases) await judgeAlone(one, keyring, tally)
    await judgeTogether(cases, { keyring }, tally)
    if (group % EVERY === 0) await judgeTogether(cases, { keyring, pool: workers }, tally)
    for (const signer of signers) judgeKey(signer, random, tally)
  }
  await workers.close()
  stop()
  return tally.report
}

/** Makes a signer and a message that it has signed. */
async function signerOf(name) {
  const key = await generateKey({ algorithm: name })
  const stream = memory()
  const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream })
  for (let call = 0; call < SEALED; call++) await sdk.create(new Uint8Array([call]))
  await sdk.close()
  const sealed = stream.messages.map((bytes) => {
    const message = JSON.parse(Buffer.from(bytes).toString())
    const signature = Buffer.from(message.content.signature, 'hex')
    return { message, identity: identityBytes(bytes), signature }
  })
  return { name, key, order: CURVES[name][0], prime: CURVES[name][1], sealed }
}

const numberOf = (bytes) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const bytesOf = (number) => Buffer.from(number.toString(16).padStart(64, '0').slice(-64), 'hex')
const joined = (r, s) => Buffer.concat([bytesOf(r), bytesOf(s)])

/** Alterations of a signature; none of the results verifies. */
const CRAFTS = {
  'the other s': ({ r, s, order }) => joined(r, order - s),
  'r and s changed about': ({ r, s }) => joined(s, r),
  'r of 0': ({ s }) => joined(0n, s),
  's of 0': ({ r }) => joined(r, 0n),
  'r of n': ({ s, order }) => joined(order, s),
  's of n': ({ r, order }) => joined(r, order),
  'both 0': () => joined(0n, 0n),
  'r and s of 1': () => joined(1n, 1n),
  's that makes r + s be n': ({ r, order }) => joined(r, order - r),
  'r with n added': ({ r, s, order }) => joined((r + order) % 2n ** 256n, s),
  's with n added': ({ r, s, order }) => joined(r, (s + order) % 2n ** 256n),
  'r beyond the field': ({ s, prime }) => joined(prime, s),
  'all ones': () => Buffer.alloc(64, 255),
  'a bit turned': ({ signature, random }) => {
    const altered = Buffer.from(signature)
    altered[random.below(64)] ^= 1 << random.below(8)
    return altered
  },
  "another message's": ({ signer, sealed, random }) =>
    random.pick(signer.sealed.filter((other) => other !== sealed)).signature,
  "another algorithm's": ({ signers, signer, random }) =>
    random.pick(random.pick(signers.filter((other) => other !== signer)).sealed).signature,
  random: ({ random }) => Buffer.from(random.bytes(64)),
}
const KINDS = ['genuine', "another algorithm's signer", ...Object.keys(CRAFTS)]

function crafted(signers, random) {
  const signer = random.pick(signers)
  const sealed = random.pick(signer.sealed)
  const kind = random.pick(KINDS)
  const { order, prime } = signer
  const { signature } = sealed
  const [r, s] = [numberOf(signature.subarray(0, 32)), numberOf(signature.subarray(32))]
  const made = CRAFTS[kind]?.({ r, s, order, prime, signature, sealed, signer, signers, random }) ?? signature
  const content = { ...sealed.message.content, signature: made.toString('hex') }
  if (kind === "another algorithm's signer") {
    content.signer = random.pick(signers.filter((other) => other !== signer)).key.keyId
  }
  const message = Buffer.from(JSON.stringify({ ...sealed.message, content }))
  return { kind: `${signer.name}, ${kind}`, signer, sealed, made, message, isGenuine: kind === 'genuine' }
}

async function judgeAlone(one, keyring, tally) {
  const { kind, signer, sealed, made, message, isGenuine } = one
  tally.count(kind)
  try {
    // Another signer's bytes to sign differ too, so verifyBytes does not apply.
    if (!kind.endsWith('signer')) {
      const verify = () => verifyBytes(signer.key.verifyingKey, sealed.identity, made)
      compare(one, 'verifyBytes', timedNow(verify, tally), tally)
      if (signer.name !== 'SM2') compare(one, 'OpenSSL', byOpenssl(signer, sealed.identity, made), tally)
    }
    const [outcome] = await Promise.allSettled([verifyMessage(message, { keyring })])
    compare(one, 'verifyMessage', verdictOf(outcome), tally)
  } catch (error) {
    tally.crash(error, { kind, isGenuine })
  }
}

async function judgeTogether(cases, trust, tally) {
  try {
    const outcomes = await verifyMessages(
      cases.map(({ message }) => message),
      trust,
    )
    const way = trust.pool ? 'verifyMessages, pool' : 'verifyMessages'
    for (const [at, one] of cases.entries()) compare(one, way, verdictOf(outcomes[at]), tally)
  } catch (error) {
    tally.crash(
      error,
      cases.map(({ kind }) => kind),
    )
  }
}

function byOpenssl({ key, order }, bytes, signature) {
  const isLow = numberOf(signature.subarray(32)) <= order / 2n
  const options = { key: key.verifyingKey, format: 'der', type: 'spki', dsaEncoding: 'ieee-p1363' }
  return isLow && verifyByNode('sha256', bytes, options, signature)
}

/** Checks that a damaged key is rejected on reading, or is another key with another id. */
function judgeKey({ name, key }, random, tally) {
  const bytes = Buffer.from(key.verifyingKey)
  const at = random.below(bytes.length)
  bytes[at] ^= 1 << random.below(8)
  tally.count(`${name}, a key with a bit turned`)
  tally.verdicts++
  try {
    const id = timedNow(() => keyIdOf(bytes), tally)
    if (id === key.keyId) tally.disagreement('another key has the same id', { name, at })
  } catch (error) {
    if (!(error instanceof AlvariumError) || error.code !== 'KEY_INVALID') tally.crash(error, { name, at })
  }
}

/** @param {PromiseSettledResult<unknown>} outcome */
function verdictOf({ status, reason }) {
  if (status === 'fulfilled') return true
  if (reason instanceof AlvariumError && reason.code === 'SIGNATURE_INVALID') return false
  throw reason
}

function compare({ kind, isGenuine, message }, way, verdict, tally) {
  tally.verdicts++
  if (verdict === isGenuine) return
  tally.disagreement(`${way} says ${verdict} of ${kind}, expected ${isGenuine}`, { message: `${message}` })
}
