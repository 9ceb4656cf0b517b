// Attacks on the inputs of bundles. Random bundles with inputs and proofs, and forged ones, are compared with the
// signed inputs, by every path of verification, and with the verifier in Python.

import {
  cbor,
  generateKey,
  Keyring,
  memory,
  openSdk,
  source,
  toHex,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { proveInput, verifyInput } from 'alvarium-sdk/sets'
import { ALTERATIONS, countOf, FORGERIES, inputsOf } from './input-makes.mjs'
import { askPython } from './python.mjs'
import { Random } from './random.mjs'
import { inRounds } from './tally.mjs'

/** Per round: bundles, altered messages of each, proofs of each, and forged proofs. */
const [BUNDLES, ALTERED, PROOFS, FORGED] = [8, 40, 6, 80]
/** Python is asked about one in this many. */
const ASKED = 10
const CODES = ['MESSAGE_MALFORMED', 'SIGNER_UNKNOWN', 'SIGNATURE_INVALID', 'PROOF_INVALID']

/** @param {{ seed: number, count: number }} options */
export async function inputs({ seed, count }) {
  const random = new Random(seed, 13)
  const { signingKey, verifyingKey } = generateKey()
  const setup = { random, keyring: new Keyring([verifyingKey]), python: askPython([toHex(verifyingKey)]) }
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
  const round = async (tally) => {
    const made = []
    for (let at = 0; at < BUNDLES; at++) made.push(await madeBundle(sdk, setup, tally))
    for (const one of made) await alteredOnes(tally, setup, one, random.pick(made))
    await provedOnes(tally, setup, made)
  }
  return inRounds({ round, close: setup.python.close }, count)
}

/** Makes a bundle, the inputs that it states, and proofs of some of them. */
async function madeBundle(sdk, { random, keyring }, tally) {
  const { message } = await sdk.mutate(inputsOf(random, countOf(random)), random.bytes(8))
  const bundle = await verifyMessage(message, { keyring })
  const places = Array.from({ length: PROOFS }, () => random.below(bundle.inputs.length))
  const proofs = await Promise.all(places.map((index) => proveInput(message, index)))
  for (const _ of proofs) tally.count('genuine proofs')
  return { message, bundle, proofs, said: JSON.stringify(bundle) }
}

/** Checks that altered messages verify with signed content or not at all, by every path alike. */
async function alteredOnes(tally, { random, keyring, python }, one, other) {
  const kinds = Array.from({ length: ALTERED }, () => random.pick(Object.keys(ALTERATIONS)))
  const messages = kinds.map((kind) => Buffer.from(ALTERATIONS[kind](random, one.message, other.message)))
  const together = await verifyMessages(messages, { keyring })
  const questions = []
  for (const [at, message] of messages.entries()) {
    tally.count(`altered: ${kinds[at]}`)
    const alone = await verdictOf(() => verifyMessage(message, { keyring }))
    const verdicts = { together: settled(together[at]), 'in CBOR': (await inCbor(message, keyring)) ?? alone }
    tally.verdicts += 3
    tally.outcome('altered', alone.startsWith('{') ? '[' : alone)
    if (alone.startsWith('{') ? alone !== one.said : !CODES.includes(alone)) {
      tally.disagreement(`${kinds[at]}: ${alone}`, message.toString())
    }
    for (const [way, verdict] of Object.entries(verdicts)) {
      if (verdict !== alone) tally.disagreement(`${way} it is ${verdict}, for ${alone}`, message.toString())
    }
    if (random.below(ASKED) === 0) questions.push({ message, alone })
  }
  const theirs = await python.verdicts(questions.map(({ message }) => ({ message: base64(message) })))
  for (const [at, { code }] of theirs.entries()) {
    tally.verdicts++
    const { alone, message } = questions[at]
    const own = alone.startsWith('{') ? undefined : alone
    if (code !== own) tally.disagreement(`Python says ${code}, for ${own}`, message.toString())
  }
}

/** Returns the verdict on the message in CBOR; undefined for a text that is not a message. */
async function inCbor(message, keyring) {
  const codec = cbor()
  let encoded
  try {
    encoded = codec.encode(message)
  } catch {
    return undefined
  }
  return await verdictOf(() => verifyMessage(encoded, { keyring, codec }))
}

/** Checks that no forged proof verifies for a false statement. */
async function provedOnes(tally, { random, keyring, python }, made) {
  const truth = new Map(made.map(({ bundle }) => [bundle.id, bundle]))
  const proofs = made.flatMap(({ proofs }) => proofs)
  const questions = []
  const judge = async (kind, proof) => {
    const start = performance.now()
    const verdict = await verdictOf(() => verifyInput(proof, { keyring }))
    tally.slowest = Math.max(tally.slowest, performance.now() - start)
    tally.verdicts++
    tally.outcome(kind === undefined ? 'genuine' : 'forged', verdict.startsWith('{') ? '[' : verdict)
    const isGood = verdict.startsWith('{') ? isTrue(JSON.parse(verdict), truth) : kind !== undefined
    if (!isGood) tally.disagreement(`a proof, ${kind}: ${verdict}`, proof.toString())
    if (!verdict.startsWith('{') && !CODES.includes(verdict)) tally.crash(verdict, proof.toString())
    if (random.below(ASKED) === 0) questions.push({ verdict, proof })
  }
  for (const proof of proofs) await judge(undefined, Buffer.from(proof))
  for (let at = 0; at < BUNDLES * FORGED; at++) {
    const kind = random.pick(Object.keys(FORGERIES))
    tally.count(`forged: ${kind}`)
    await judge(kind, FORGERIES[kind](random, random.pick(proofs), random.pick(proofs)))
  }
  const theirs = await python.verdicts(
    questions.map(({ proof }) => ({ message: base64(proof), input: true })),
  )
  for (const [at, { code }] of theirs.entries()) {
    tally.verdicts++
    const { verdict, proof } = questions[at]
    const own = verdict.startsWith('{') ? undefined : verdict
    if (code !== own) tally.disagreement(`Python says ${code}, for ${own}`, proof.toString())
  }
}

/** Returns whether a signed bundle has that input, at that index, among that many. */
function isTrue({ bundle, input, index, size }, truth) {
  const whole = truth.get(bundle.id)
  if (!whole || size !== whole.inputs.length) return false
  const { inputs: _, ...others } = whole
  return (
    JSON.stringify(whole.inputs[index]) === JSON.stringify(input) &&
    JSON.stringify(others) === JSON.stringify(bundle)
  )
}

async function verdictOf(verify) {
  try {
    return JSON.stringify(await verify())
  } catch (error) {
    return error.code ?? error.stack
  }
}

function settled({ status, value, reason }) {
  return status === 'fulfilled' ? JSON.stringify(value[0]) : reason.code
}

const base64 = (bytes) => Buffer.from(bytes).toString('base64')
