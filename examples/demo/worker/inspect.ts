/** Recognizes and checks messages of all SDKs. */

import type { HashName } from 'alvarium-sdk'
import type { Trust } from 'alvarium-sdk/trust'
import type { Check, ClassicAnswer, Inspection } from '../inspection.ts'
import { type Trusted, trustedIn } from '../key-list.ts'
import type { Trouble } from '../protocol.ts'
import type { By, CheckResult } from './checked.ts'
import { startAlgorithms } from './core.ts'
import {
  AlvariumError,
  type ClassicMessage,
  type Codec,
  cbor,
  json,
  Keyring,
  keyOf,
  outcomeOfCode,
  type VerifiedBundle,
  verifyBatch,
  verifyClassic,
  verifyMessage,
} from './sdk.ts'
import { troubleOf } from './trouble.ts'

type Kind = Inspection['kind']

const DIALECTS = { go: 'Go', java: 'Java', rust: 'Rust', python: 'Python' } as const satisfies Record<
  string,
  Kind
>

/** Maximum number of keys in a check. For a message of another SDK, each key may cost a verification. */
const MOST_KEYS = 50

/** @param trusted - the page's keys, for a check without keys */
export async function inspect(check: Check, trusted: Keyring): Promise<Inspection> {
  if (check.pack) return inspectPack(check.pack, check, trusted)
  const found = described(check.message)
  try {
    return { ...found, ...(await withAlgorithms(() => checkBy(check, trusted, found))) }
  } catch (error) {
    return { ...found, ...failure(troubleOf(error), check.message, found.encoding) }
  }
}

/** Returns the result for a message that did not verify, with the key id of a missing key. */
function failure(trouble: Trouble, message: Uint8Array, encoding: Inspection['encoding']): CheckResult {
  const outcome = outcomeOfCode(trouble.code)
  const { content } = trouble.code === 'SIGNER_UNKNOWN' ? read(message, encoding) : {}
  const signer: unknown = Reflect.get(Object(content), 'signer')
  const needs = typeof signer === 'string' ? `the public key with the key id ${signer}` : NEEDS[trouble.code]
  return { bundles: [], answers: [], outcome, ...(outcome === 'cannot tell' && { needs }), trouble }
}

const NEEDS: Readonly<Record<string, string>> = {
  SIGNER_UNKNOWN: "the sender's public key",
  KEY_INVALID: 'public keys that can be read',
  CONFIG_INVALID: 'a trust policy that can be used',
}

/** Runs a check. Runs it again if a key needs algorithms that are not loaded yet. */
async function withAlgorithms<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof AlvariumError && error.code === 'CORE_UNAVAILABLE')) throw error
    await startAlgorithms()
    return run()
  }
}

type Described = ReturnType<typeof described>

function checkBy(check: Check, trusted: Keyring, found: Described): Promise<CheckResult> {
  return withTrusted(check.keys, trusted, (by) => {
    if (found.kind === 'set' || found.kind === 'proof') return aboutSet(found.kind, check, by.keyring)
    return checked(check, by, found)
  })
}

/** Runs a check with the visitor's keys or policy. @param trusted - the page's keys, used otherwise */
async function withTrusted<T>(
  text: string | undefined,
  trusted: Keyring,
  ask: (by: By) => Promise<T>,
): Promise<T> {
  if (!text?.trim()) return ask({ keyring: trusted })
  const { keys, policy, leases } = trustedIn(text)
  if (policy !== undefined) return ask(await policyOf(policy, leases))
  const keyring = keyringOf(keys, leases)
  try {
    return await ask({ keyring })
  } finally {
    keyring.close()
  }
}

async function aboutSet(kind: 'set' | 'proof', check: Check, keyring: By['keyring']): Promise<CheckResult> {
  // Load the module on demand, because few visitors have a set.
  const sets = await import('./sets.ts')
  return kind === 'set' ? sets.setIn(check, keyring) : sets.proofIn(check, keyring)
}

/** Verifies a pack with the visitor's keys or the pack's own policy, but never with the page's keys. */
async function inspectPack(pack: Blob, { keys }: Check, trusted: Keyring): Promise<Inspection> {
  const found = { kind: 'pack', encoding: 'JSON', bundles: [], answers: [] } as const
  const open = (by: Partial<By>) => import('./packs.ts').then(({ packIn }) => packIn(pack, by.keyring))
  try {
    const opened = () => (keys?.trim() ? withTrusted(keys, trusted, open) : open({}))
    return { ...found, ...(await withAlgorithms(opened)) }
  } catch (error) {
    const trouble = troubleOf(error)
    const outcome = outcomeOfCode(trouble.code)
    return { ...found, outcome, trouble, ...(outcome === 'cannot tell' && { needs: NEEDS[trouble.code] }) }
  }
}

/** Policy of the last check, cached because each letter typed in the message starts another check. */
let last: { readonly policy: string; readonly trust: Trust } | undefined

/** Reads a trust policy with its leases. @throws AlvariumError `CONFIG_INVALID` */
async function policyOf(policy: string, leases: Trusted['leases']): Promise<By> {
  // Load the module on demand, because most visitors have no policy.
  const { readTrust } = await import('alvarium-sdk/trust')
  // Add a line break, because `readTrust` takes a text of one line for the path of a file.
  const trust = last?.policy === policy ? last.trust : await readTrust(`${policy}\n`)
  if (last && last.trust !== trust) await last.trust.close()
  last = { policy, trust }
  return { keyring: trust, leases: leases.map((lease) => new TextEncoder().encode(lease)) }
}

/** Makes a keyring. @throws AlvariumError `KEY_INVALID`; `CONFIG_INVALID` for leases, which need a policy */
function keyringOf(keys: readonly string[], leases: Trusted['leases']): Keyring {
  if (leases.length > 0) {
    throw new AlvariumError('CONFIG_INVALID', 'leases: expected a trust policy beside them, got public keys')
  }
  if (keys.length <= MOST_KEYS) return new Keyring(keys)
  throw new AlvariumError(
    'KEY_INVALID',
    `public keys: expected at most ${MOST_KEYS}, got ${keys.length}: leave some out`,
  )
}

async function checked(
  { message, payload }: Check,
  by: By,
  { encoding, isClassic, kind }: Described,
): Promise<CheckResult> {
  if (isClassic) return answersOf(await verifyClassic(message, { ...by, payload }))
  const options = { ...by, codec: codecOf(encoding) }
  // Compare the payload of a batch here. For a single bundle, the SDK compares it before it applies a policy.
  if (kind !== 'batch')
    return { outcome: 'holds', bundles: [await verifyMessage(message, { ...options, payload })], answers: [] }
  const bundles = await verifyBatch(message, options)
  const trouble = payload && mismatch(bundles, payload)
  return trouble ? failure(trouble, message, encoding) : { outcome: 'holds', bundles, answers: [] }
}

function answersOf({ dialect, outcome, says, needs, annotations }: ClassicMessage): CheckResult {
  const answers = annotations.map((one): ClassicAnswer => {
    if (one.status === 'rejected') return { trouble: troubleOf(one.reason) }
    const { kind, isSatisfied, signer, signedBy } = one.value
    return { kind, isSatisfied, signer, ...(signedBy && { signedBy }) }
  })
  const troubles = answers.flatMap((one) => ('trouble' in one ? [one.trouble] : []))
  // An empty list contains no signature, so no annotation has the deciding error: use `says` then.
  const deciding = troubles.find(({ code }) => outcomeOfCode(code) === outcome)
  const trouble = outcome === 'holds' ? undefined : (deciding ?? { code: 'SIGNER_UNKNOWN', message: says })
  return { kind: DIALECTS[dialect], bundles: [], answers, outcome, needs, ...(trouble && { trouble }) }
}

/** Returns an error if no bundle is about the payload. Hashes the payload at most once with each hash function. */
function mismatch(bundles: readonly VerifiedBundle[], payload: Uint8Array): Trouble | undefined {
  const keys = new Map<HashName, string | undefined>()
  const isAbout = ({ key, hash }: VerifiedBundle) => {
    if (!keys.has(hash)) keys.set(hash, keyIfAny(payload, hash))
    return keys.get(hash) === key
  }
  if (bundles.some(isAbout)) return undefined
  const [only, ...others] = bundles
  const named = others.length > 0 ? 'payload key of any bundle' : `payload key ${only?.key}`
  const text = `payload: does not match the ${named}`
  return troubleOf(new AlvariumError('PAYLOAD_MISMATCH', text))
}

/** Returns the payload key; undefined if the hash does not accept this payload. */
function keyIfAny(payload: Uint8Array, hash: HashName): string | undefined {
  try {
    return keyOf(payload, hash)
  } catch (error) {
    if (error instanceof AlvariumError && error.code === 'PAYLOAD_INVALID') return undefined
    throw error
  }
}

function codecOf(encoding: Inspection['encoding']): Codec {
  return encoding === 'CBOR' ? cbor() : json()
}

/** Returns the message's own description, which the checks have not confirmed yet. */
function described(message: Uint8Array) {
  const encoding = isText(message) ? 'JSON' : 'CBOR'
  const { messageType, content } = read(message, encoding)
  const isClassic = typeof content === 'string'
  return { encoding, isClassic, kind: kindOf(messageType) } as const
}

/** Message types of bundles. Version 2 has inputs. */
const BUNDLES: readonly unknown[] = ['alvarium.AnnotationBundle/1', 'alvarium.AnnotationBundle/2']

function kindOf(messageType: unknown): Kind {
  if (messageType === 'alvarium.Set/1') return 'set'
  if (messageType === 'alvarium.SetProof/1') return 'proof'
  if (messageType === 'alvarium.AnnotationBatch/1') return 'batch'
  if (messageType === 'alvarium.BatchedBundle/1') return 'extracted bundle'
  return BUNDLES.includes(messageType) ? 'bundle' : 'unknown'
}

/** Returns whether a message is JSON, which begins with a brace after white space. CBOR never does. */
function isText(message: Uint8Array): boolean {
  return /^\s*\{/.test(new TextDecoder().decode(message.subarray(0, 64)))
}

function read(message: Uint8Array, encoding: Inspection['encoding']): Record<string, unknown> {
  try {
    const text = codecOf(encoding).decode(message)
    const value: unknown = JSON.parse(new TextDecoder().decode(text))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
