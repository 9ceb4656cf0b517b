import { AlvariumError, Keyring, type Verification, verifyMessages } from 'alvarium-sdk'
import {
  Completeness,
  isCheckpoint,
  type SignerReport,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from 'alvarium-sdk/completeness'
import { verdictBytes, verifyPack } from 'alvarium-sdk/packs'
import { readLease, readTrust, type Trust } from 'alvarium-sdk/trust'
import { fromBase64, fromHex, textOf } from '../support/bytes.js'

/** A reader's rules for the keys that it trusts. Times are RFC 3339. */
export interface ReaderPolicy {
  /** Key ids of the signers that may confirm completeness. */
  readonly confirming: readonly string[]
  /** The end of each signer's time, by its key id. */
  readonly ends: Readonly<Record<string, string>>
  /** The time of each lease's revocation, by serial. */
  readonly revoked: Readonly<Record<string, string>>
  /** Issuers of the revoked leases, by serial. */
  readonly issuers: Readonly<Record<string, string>>
  /** Tolerated lateness in milliseconds. */
  readonly late: number
}

/** Evidence for a reader: all bytes in base64. */
export interface Question {
  /** Public keys in hexadecimal, by key id. */
  readonly keys: Readonly<Record<string, string>>
  /** Rules for these keys. Default: none. */
  readonly policy?: ReaderPolicy
  readonly pack?: string
  /** Lines of an archive, or of an export of a store. */
  readonly lines?: readonly { readonly message: string; readonly received?: string }[]
}

/** Returns the verdict on evidence as canonical JSON, the same text wherever it is computed. */
export async function ourVerdict(question: Question): Promise<string> {
  const keyring = await readerOf(question)
  try {
    if (question.pack !== undefined) return await packVerdict(fromBase64(question.pack), keyring)
    return canonical(await archiveVerdict(question.lines ?? [], keyring))
  } finally {
    await keyring.close()
  }
}

type Reader = Keyring | Trust

async function readerOf({ keys, policy }: Question): Promise<Reader> {
  if (!policy) return new Keyring(Object.values(keys).map(fromHex))
  const { confirming, ends, issuers, revoked, late } = policy
  const signers = Object.entries(keys).map(([name, key]) => ({
    name,
    keys: [key],
    confirms: confirming.includes(name),
    ...(ends[name] !== undefined && { until: ends[name] }),
    revokedLeases: Object.entries(revoked).flatMap(([serial, since]) =>
      issuers[serial] === name ? [{ serial, since }] : [],
    ),
  }))
  return readTrust({ signers, acceptLateMs: late })
}

async function packVerdict(pack: Uint8Array, keyring: Reader): Promise<string> {
  try {
    const { verdict, matchesStoredVerdict } = await verifyPack(pack, { keyring })
    return `${matchesStoredVerdict} ${textOf(verdictBytes(verdict))}`
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  if (error instanceof AlvariumError) return error.code
  throw error
}

interface Line {
  readonly message: Uint8Array
  readonly received: Date | undefined
}

async function archiveVerdict(given: NonNullable<Question['lines']>, keyring: Reader) {
  const lines: Line[] = given.map(({ message, received }) => ({
    message: fromBase64(message),
    received: received === undefined ? undefined : new Date(received),
  }))
  const beside = keyring instanceof Keyring ? {} : await besideIn(lines.map(({ message }) => message))
  const completeness = new Completeness()
  const words: (string | object)[] = []
  const verified = await verifiedBy(lines, (received) => ({ keyring, ...beside, receivedAt: received }))
  for (const [at, { message, received }] of lines.entries()) {
    const outcome = verified[at]
    if (isLease(message)) words.push(leaseWord(message))
    else if (isCheckpoint(message)) {
      const options = { keyring, ...beside, receivedAt: received }
      words.push(await checkpointWord(completeness, () => verifyCheckpoint(message, options)))
    } else words.push(messageWord(completeness, message, outcome as Verification))
  }
  const reports = completeness.report().filter(({ runs }) => runs.length > 0)
  return {
    lines: words,
    reports: reports.map(inWords).sort((one, other) => (one.signer < other.signer ? -1 : 1)),
  }
}

const LEASE = '{"messageType":"alvarium.Lease/1"'
const isLease = (message: Uint8Array) => textOf(message.subarray(0, LEASE.length)) === LEASE

/** Returns leases, and all checkpoints whose signatures verify: they count for a message on any line. */
async function besideIn(messages: readonly Uint8Array[]) {
  const leases = messages.filter(isLease)
  const subjects = new Keyring()
  for (const lease of leases) {
    const subject = subjectOf(lease)
    if (subject) subjects.add(subject)
  }
  const checkpoints: VerifiedCheckpoint[] = []
  for (const note of messages.filter(isCheckpoint)) {
    const verified = await verifyCheckpoint(note, { keyring: subjects }).catch(codeOf)
    if (typeof verified === 'object') checkpoints.push(verified)
  }
  return { leases, checkpoints }
}

function subjectOf(lease: Uint8Array): Uint8Array | undefined {
  try {
    return fromHex(readLease(lease).subject)
  } catch {
    return undefined
  }
}

/** Verifies all messages with one time of receipt in one call. */
async function verifiedBy(
  lines: readonly Line[],
  optionsOf: (received: Date | undefined) => Parameters<typeof verifyMessages>[1],
): Promise<Verification[]> {
  const verified: Verification[] = []
  for (const time of new Set(lines.map(({ received }) => received?.getTime()))) {
    const some = lines.flatMap((line, at) => (line.received?.getTime() === time ? [{ ...line, at }] : []))
    const outcomes = await verifyMessages(
      some.map(({ message }) => message),
      optionsOf(some[0]?.received),
    )
    for (const [place, { at }] of some.entries()) verified[at] = outcomes[place] as Verification
  }
  return verified
}

function leaseWord(lease: Uint8Array): string {
  try {
    return readLease(lease).serial
  } catch (error) {
    return codeOf(error)
  }
}

async function checkpointWord(completeness: Completeness, verify: () => Promise<VerifiedCheckpoint>) {
  try {
    const checkpoint = await verify()
    completeness.addCheckpoint(checkpoint)
    const { number, size, signer, signedBy } = checkpoint
    return { number, size, ...byOf(signer, signedBy) }
  } catch (error) {
    return codeOf(error)
  }
}

function messageWord(completeness: Completeness, message: Uint8Array, outcome: Verification) {
  if (outcome.status === 'rejected') return codeOf(outcome.reason)
  const [first] = outcome.value
  if (!first) throw new Error('a message without bundles')
  completeness.addMessage(message, outcome.value)
  return { ids: outcome.value.map(({ id }) => id), ...byOf(first.signer, first.signedBy) }
}

function byOf(signer: string, signedBy: VerifiedCheckpoint['signedBy']) {
  return { signer: signedBy?.id ?? signer, time: signedBy?.time ?? 'none' }
}

const countOf = (ranges: readonly { readonly first: number; readonly last: number }[]) =>
  ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)

function inWords({ signer, verdict, missing, refused, pending, unknown, ...more }: SignerReport) {
  return {
    signer,
    verdict,
    missing: countOf(missing),
    refused,
    undecided: pending,
    unknown,
    inGaps: more.missingInGaps,
    gaps: more.gaps.length,
    unlisted: more.unlisted.length,
    forks: more.forks.length,
    beginnings: more.runs.filter(({ before }) => before > 0).length,
  }
}

/** Writes JSON as RFC 8785 does, for objects with names in ASCII and whole numbers. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`
}
