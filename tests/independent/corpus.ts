// Good and bad messages for a comparison of two verifiers: genuine, altered, and altered before signing. The last kind
// shows different readings of a format.

import {
  AlvariumError,
  cbor,
  generateKey,
  identityBytes,
  type KeyPair,
  memory,
  openSdk,
  signBytes,
  source,
} from 'alvarium-sdk'
import { alter, alterBytes } from '../attack/alter.mjs'
import { ours } from '../attack/genuine.mjs'
import { Random } from '../attack/random.mjs'
import { CBOR_SPELLINGS, JSON_SPELLINGS } from '../attack/spellings.mjs'
import { cborOf, jsonOf, treeOfCbor, treeOfJson } from '../attack/tree.mjs'

export interface Case {
  readonly message: Uint8Array
  readonly isCbor: boolean
  readonly payload: Uint8Array | undefined
}

/** Messages, and a verifier's public keys; some signers are unknown to it. */
export interface Corpus {
  readonly cases: readonly Case[]
  readonly keyring: readonly Uint8Array[]
}

interface Setup {
  readonly genuine: readonly Buffer[]
  readonly own: KeyPair
  readonly random: Random
}

/** The payloads in attack/genuine.mjs, and one that occurs in no bundle. */
const PAYLOADS = ['', 'edge-7', '\ufeff', 'x'].map((text) => Buffer.from(text))

const codec = cbor()

/** @param seed - the same seed makes the same choices, on new messages */
export async function corpus(seed: number, count: number): Promise<Corpus> {
  const random = new Random(seed)
  const { json, keyring } = await ours(random)
  const own = generateKey()
  const others = await Promise.all(
    (['P-256', 'secp256k1', 'SM2'] as const).map((algorithm) => generateKey({ algorithm })),
  )
  const signed = await Promise.all([...others, generateKey()].map(signedBy))
  const setup = { genuine: [...json.map(({ bytes }) => bytes), ...signed], own, random }
  const keys = [...keyring, own.verifyingKey, ...others.map(({ verifyingKey }) => verifyingKey)]
  return {
    keyring: keys.map((key) => (typeof key === 'string' ? Buffer.from(key, 'hex') : key)),
    cases: Array.from({ length: count }, () => caseOf(setup)),
  }
}

async function signedBy({ signingKey }: KeyPair): Promise<Buffer> {
  await using sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
  return Buffer.from((await sdk.create(Buffer.from('edge-7'))).message)
}

function caseOf(setup: Setup): Case {
  const { genuine, random } = setup
  const isCbor = random.below(2) === 1
  const written = (one: Buffer) => (isCbor ? Buffer.from(codec.encode(one)) : one)
  const [one, other] = [random.pick(genuine), written(random.pick(genuine))]
  const whole = written(one)
  const message = random.pick([
    () => whole,
    () => whole,
    () => whole,
    () => alterBytes(whole, other, random),
    () => items(whole, other, isCbor, random),
    () => signedAnew(items(whole, other, isCbor, random), one, isCbor, setup),
    () => signedAnew(items(whole, other, isCbor, random), one, isCbor, setup),
  ])()
  const isBatch = one.includes('alvarium.AnnotationBatch/1') || other.includes('alvarium.AnnotationBatch/1')
  return { message, isCbor, payload: isBatch || random.below(3) > 0 ? undefined : random.pick(PAYLOADS) }
}

/** Alters a message along its grammar, with parts of another. */
function items(message: Buffer, other: Buffer, isCbor: boolean, random: Random): Buffer {
  if (isCbor) {
    const tools = { random, donor: treeOfCbor(other), spellings: CBOR_SPELLINGS }
    return cborOf(alter(treeOfCbor(message), tools).tree)
  }
  const tools = { random, donor: treeOfJson(other.toString()), spellings: JSON_SPELLINGS }
  return Buffer.from(jsonOf(alter(treeOfJson(message.toString()), tools).tree))
}

/**
 * Replaces the signer and the signature by those of our own key. Only the signer changes if the message cannot be
 * signed.
 */
function signedAnew(altered: Buffer, one: Buffer, isCbor: boolean, { own }: Setup): Buffer {
  const { signer, signature } = JSON.parse(one.toString()).content
  const spelt = (hex: string) => (isCbor ? Buffer.from(hex, 'hex') : Buffer.from(hex))
  const renamed = replaced(altered, spelt(signer), spelt(own.keyId))
  try {
    const identity = identityBytes(renamed, isCbor ? { codec } : {})
    const signed = Buffer.from(signBytes(own.signingKey, identity)).toString('hex')
    return replaced(renamed, spelt(signature), spelt(signed))
  } catch (error) {
    if (error instanceof AlvariumError) return renamed
    throw error
  }
}

function replaced(bytes: Buffer, from: Buffer, to: Buffer): Buffer {
  const at = bytes.indexOf(from)
  return at < 0 ? bytes : Buffer.concat([bytes.subarray(0, at), to, bytes.subarray(at + from.length)])
}
