// Altered bundles, batches and bundles extracted from batches, in JSON and in CBOR.

import {
  cbor,
  identityBytes,
  json,
  Keyring,
  verifyClassic,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { identity, idOf } from '../vectors/format.mjs'
import { alter, alterBytes } from './alter.mjs'
import { ours } from './genuine.mjs'
import { CBOR_SPELLINGS, JSON_SPELLINGS } from './spellings.mjs'
import { codeOf, outcome, timed } from './timed.mjs'
import { cborOf, jsonOf } from './tree.mjs'

/** @typedef {{ kind: string, bytes: Buffer }} Altered */

const FORMATS = {
  json: {
    codec: json(),
    spellings: JSON_SPELLINGS,
    write: (tree) => Buffer.from(jsonOf(tree)),
    other: cbor(),
    cross: 'encode',
  },
  cbor: { codec: cbor(), spellings: CBOR_SPELLINGS, write: cborOf, other: json(), cross: 'decode' },
}

/** @param {import('./random.mjs').Random} random @param {import('./tally.mjs').Tally} tally */
export async function oursFuzzer(random, tally) {
  const genuine = await ours(random)
  const setup = { ...genuine, keyring: new Keyring(genuine.keyring), random, tally }
  return { json: (count) => round('json', count, setup), cbor: (count) => round('cbor', count, setup) }
}

/** Verifies some messages: each alone, all in one call, and all in the other encoding. */
async function round(name, count, setup) {
  const { keyring, tally } = setup
  const altered = Array.from({ length: count }, () => alteredOf(name, setup))
  const { codec, other } = FORMATS[name]
  try {
    const together = await verifyMessages(
      altered.map(({ bytes }) => bytes),
      { keyring, codec },
    )
    const crossed = altered.map(({ bytes }) => converted(name, bytes))
    const there = crossed.filter((one) => one.value)
    const others = await verifyMessages(
      there.map(({ value }) => value),
      { keyring, codec: other },
    )
    for (const [at, one] of crossed.entries()) {
      const verdict = saying(one.value ? others[there.indexOf(one)] : one)
      await judge(altered[at], name, saying(together[at]), verdict, setup)
    }
  } catch (error) {
    tally.crash(error, altered.map(shown))
  }
}

/** @returns {Altered} */
function alteredOf(name, { random, tally, ...genuine }) {
  const { spellings, write } = FORMATS[name]
  const [one, other] = [random.pick(genuine[name]), random.pick(genuine[name])]
  const { tree, kind } = alter(one.tree, { random, donor: other.tree, spellings })
  const dice = random.below(10)
  const [bytes, how] =
    dice < 6
      ? [write(tree), kind]
      : dice < 8
        ? [alterBytes(one.bytes, other.bytes, random), 'bytes']
        : [alterBytes(write(tree), other.bytes, random), 'items and bytes']
  tally.count(`${name}: ${how}`)
  return { kind: how, bytes }
}

/** Returns the message in the other encoding, or the code of the error. */
function converted(name, bytes) {
  try {
    return { value: cbor()[FORMATS[name].cross](bytes) }
  } catch (error) {
    return { code: codeOf(error) }
  }
}

/** Returns a verdict as text: the bundles as JSON, or the error's code. */
function saying({ status, value, reason, code }) {
  if (status === 'fulfilled') return JSON.stringify(value)
  return status === 'rejected' ? codeOf(reason) : code
}

/** @param {Altered} altered @param {string} together @param {string} crossed */
async function judge(altered, name, together, crossed, setup) {
  const { keyring, tally, random } = setup
  const { bytes } = altered
  const { codec } = FORMATS[name]
  const { value, code } = await timed(() => verifyMessage(bytes, { keyring, codec }), tally)
  const disagree = (what) => tally.disagreement(`${name}, ${altered.kind}: ${what}`, shown(altered))
  tally.verdicts += 3
  const alone = code ?? JSON.stringify([value])
  if (alone !== expectedAlone(together)) disagree(`alone ${alone}, together ${together}`)
  if (together !== crossed) disagree(`${together}, in the other encoding ${crossed}`)
  tally.outcome(name, together)
  if (together.startsWith('[')) assertSigned(JSON.parse(together), bytes, codec, setup, disagree)
  if (random.below(50) === 0) {
    const classic = await outcome(() => verifyClassic(bytes, { keyring }))
    if (classic.code !== 'MESSAGE_MALFORMED') disagree('read as a classic message')
  }
}

/**
 * Returns the verdict of verifyMessage, which takes one bundle, from that of verifyMessages, which takes any number.
 *
 * @param {string} together
 */
function expectedAlone(together) {
  if (!together.startsWith('[')) return together
  return JSON.parse(together).length === 1 ? together : 'MESSAGE_MALFORMED'
}

/**
 * Checks that verified bundles were signed: by their identity, their content, and a second implementation of FORMAT.md.
 */
function assertSigned(bundles, bytes, codec, { identities, bundles: known }, disagree) {
  if (!identities.has(Buffer.from(identityBytes(bytes, { codec })).toString('hex')))
    disagree('another identity')
  for (const bundle of bundles) {
    if (known.get(bundle.id) !== JSON.stringify(bundle)) disagree(`nobody signed ${JSON.stringify(bundle)}`)
    if (idOf(identity(bundle)) !== bundle.id) disagree(`not the id of ${JSON.stringify(bundle)}`)
  }
}

/** Returns the details that reproduce a case. @param {Altered} altered */
const shown = ({ kind, bytes }) => ({
  kind,
  base64: bytes.subarray(0, 4096).toString('base64'),
  length: bytes.length,
})
