// Attacks with crafted signatures. All paths to a verdict must agree with each other and with FORMAT.md. Each case goes
// through verifyBytes and, in a group, through verifyMessages; every tenth group goes through all paths.

import { AlvariumError, Keyring, verifyBytes, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { craft, noncesOf } from './craft.mjs'
import { isRightId, messageWith, signerWith, strangeKeys } from './keys.mjs'
import { Random } from './random.mjs'
import { isGenuine } from './reference.mjs'
import { progress, Tally } from './tally.mjs'
import { timedNow } from './timed.mjs'

/** @typedef {import('./craft.mjs').Case} Case */
/** @typedef {Case & { message: Buffer }} Claim */

const GROUP = 200
const SIGNERS = 12
/** One group in this many goes through every path. */
const EVERY = 10
/** One case in this many is a key. */
const KEYS = 20

/** @param {{ seed: number, count: number }} options */
export async function signatures({ seed, count }) {
  const random = new Random(seed, 1)
  const tally = new Tally()
  const stop = progress(tally, count)
  const signers = []
  for (let at = 0; at < SIGNERS; at++) signers.push(await signerWith(random, 16))
  const nonces = noncesOf(random, 128)
  const keys = strangeKeys(random, signers, 200)
  const ways = await waysOf(signers)
  for (let group = 0; group * GROUP < count; group++) {
    const claims = Array.from({ length: GROUP }, () => claimOf(craft(signers, nonces, random)))
    for (const claim of claims) judgeAlone(claim, tally)
    for (const way of ways.quick) await judgeTogether(claims, way, random, tally)
    if (group % EVERY === 0) for (const way of ways.others) await judgeTogether(claims, way, random, tally)
    for (let at = 0; at < GROUP / KEYS; at++) judgeKey(random.pick(keys), claims[at], tally)
  }
  await ways.close()
  stop()
  return tally.report
}

/** @param {Case} one @returns {Claim} */
const claimOf = (one) => ({ ...one, message: messageWith(one.sealed, one.signature) })

/**
 * @typedef {object} Way from messages to verdicts
 * @property {string} name @property {(messages: Buffer[]) => Promise<PromiseSettledResult<unknown>[]>} verify
 */

/** @param {import('./keys.mjs').Signer[]} signers */
async function waysOf(signers) {
  const trusted = signers.map(({ publicKey }) => publicKey)
  const warm = new Keyring(trusted)
  const tableless = new Keyring(trusted, { maxTableBytes: 0 })
  const crowded = new Keyring(trusted, { maxTableBytes: 120_000 })
  const byHost = new Keyring(trusted, { engine: 'host' })
  const workers = await pool({ workers: 2 })
  /** @type {(name: string, keyring: () => Keyring, more?: object) => Way} */
  const together = (name, keyring, more = {}) => ({
    name: `verifyMessages, ${name}`,
    verify: (messages) => verifyMessages(messages, { keyring: keyring(), ...more }),
  })
  /** @type {(name: string, keyring: Keyring) => Way} */
  const alone = (name, keyring) => ({
    name: `verifyMessage, ${name}`,
    verify: (messages) => Promise.allSettled(messages.map((message) => verifyMessage(message, { keyring }))),
  })
  return {
    quick: [together('with tables', () => warm)],
    others: [
      together('without tables', () => tableless),
      together('with room for two tables', () => crowded),
      together('new keyring', () => new Keyring(trusted)),
      together('by the platform', () => byHost),
      together('pool', () => warm, { pool: workers }),
      together('pool, by the platform', () => byHost, { pool: workers }),
      alone('with tables', warm),
      alone('without tables', tableless),
    ],
    close: () => workers.close(),
  }
}

/** Compares the expected verdict, the reference's, and that of verifyBytes. @param {Claim} claim */
function judgeAlone(claim, tally) {
  const { kind, signer, sealed, signature } = claim
  tally.count(kind)
  compare(claim, 'the reference', isGenuine(signer.openssl, sealed.identity, signature), tally)
  try {
    for (const engine of /** @type {const} */ (['wasm', 'host'])) {
      const verify = () => verifyBytes(signer.publicKey, sealed.identity, signature, { engine })
      compare(claim, `verifyBytes, ${engine}`, timedNow(verify, tally), tally)
    }
  } catch (error) {
    tally.crash(error, shown(claim))
  }
}

/** Verifies the cases in a new order, in groups of other sizes, each time. @param {Claim[]} claims @param {Way} way */
async function judgeTogether(claims, { name, verify }, random, tally) {
  for (const some of random.pieces(random.shuffled(claims), 150)) {
    try {
      const verdicts = await verify(some.map(({ message }) => message))
      for (const [at, claim] of some.entries()) compare(claim, name, verdictOf(verdicts[at]), tally)
    } catch (error) {
      tally.crash(error, some.map(shown))
    }
  }
}

/** @param {PromiseSettledResult<unknown>} verdict */
function verdictOf({ status, reason }) {
  if (status === 'fulfilled') return true
  if (reason instanceof AlvariumError && reason.code === 'SIGNATURE_INVALID') return false
  throw reason
}

function compare(claim, way, verdict, tally) {
  tally.verdicts++
  if (verdict === claim.isGenuine) return
  tally.disagreement(`${way} says ${verdict} of ${claim.kind}, expected ${claim.isGenuine}`, shown(claim))
}

/** Checks that a key is rejected wherever it is read, unless the reference accepts it. */
function judgeKey({ bytes, isGood }, { sealed, signature }, tally) {
  tally.count(isGood ? 'key, good' : 'key, to be refused')
  const input = { key: bytes.toString('hex') }
  const reads = {
    verifyBytes: () => verifyBytes(bytes, sealed.identity, signature) || true,
    'verifyBytes, host': () => verifyBytes(bytes, sealed.identity, signature, { engine: 'host' }) || true,
    'verifyBytes, as hex': () => verifyBytes(bytes.toString('hex'), sealed.identity, signature) || true,
    Keyring: () => new Keyring([bytes]).keyIds.length === 1,
    keyIdOf: () => isRightId(bytes),
  }
  for (const [name, read] of Object.entries(reads)) {
    tally.verdicts++
    const isRead = readable(read, input, tally)
    if (isRead !== isGood) tally.disagreement(`${name} reads a key: ${isRead}, expected ${isGood}`, input)
  }
}

function readable(read, input, tally) {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AlvariumError) || error.code !== 'KEY_INVALID') tally.crash(error, input)
    return false
  }
}

const shown = ({ kind, signer, sealed, signature }) => ({
  kind,
  publicKey: Buffer.from(signer.publicKey).toString('hex'),
  identity: Buffer.from(sealed.identity).toString('hex'),
  signature: signature.toString('hex'),
})
