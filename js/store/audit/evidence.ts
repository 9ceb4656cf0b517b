import { toHex } from '../../foundation/base/bytes/hex.js'
import { verdictIn } from '../../foundation/base/errors.js'
import { type ReadMessage, readIfClassic } from '../../verifying/classic/read-message.js'
import { claimedBundles } from '../../verifying/verify/large.js'
import { decodeToJson } from '../../verifying/verify/readable.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { type Entry, entryOf } from '../ingest/entry.js'
import { type ReceivedMessage, receivedIn } from '../ingest/message-ids.js'
import { type Refusal, type VerifySettings, verifyAll } from '../ingest/verify-all.js'
import { bytesIn, numberIn, numbers } from '../rows/columns.js'
import { groupsOf } from '../rows/groups.js'
import { sha256All } from '../rows/payload-name.js'
import { type Findings, placeIn } from './findings.js'
import type { UntrustedSigners } from './signers.js'

interface NumberedEvidence extends ReceivedMessage {
  readonly seq: number
}

/** A stored message, with its bundles by their index in the message. A batch has up to 65,536 bundles. */
export interface StatedMessage {
  readonly entries: ReadonlyMap<number, Entry>
  /** True if the signature was verified. Otherwise the signer is unknown, and the entries are unverified claims. */
  readonly isVerified: boolean
  /** Message of another SDK. Each annotation verifies on its own, so `entries` has only the valid ones. */
  readonly classic: ReadMessage | undefined
}

export type StatedMessages = ReadonlyMap<number, StatedMessage>

const NOTHING: StatedMessage = { entries: new Map(), isVerified: true, classic: undefined }

export interface MessageAudit {
  readonly session: Session
  readonly findings: Findings
  readonly untrusted: UntrustedSigners
  readonly settings: VerifySettings
}

export async function readStatements(audit: MessageAudit, seqs: readonly number[]): Promise<StatedMessages> {
  if (seqs.length === 0) return new Map()
  const rows = await audit.session.query(EVIDENCE, [numbers(seqs)])
  const messages = rows.map((row): NumberedEvidence => ({ seq: numberIn(row, 'seq'), ...receivedIn(row) }))
  const digests = sha256All(messages.map(({ message }) => message))
  for (const [at, { seq }] of messages.entries()) {
    const place = placeIn('evidence', seq, 'digest')
    audit.findings.compare(place, toHex(digests[at] as Uint8Array), toHex(bytesIn(rows[at] as Row, 'digest')))
  }
  return messagesIn(audit, messages)
}

const EVIDENCE = `
  select seq, received, digest, message
  from unnest($1::text::bigint[]) as given (seq) join alvarium.evidence using (seq)`

async function messagesIn(
  audit: MessageAudit,
  messages: readonly NumberedEvidence[],
): Promise<StatedMessages> {
  const { found, refused } = await verifyAll(messages, audit.settings)
  const statements = new Map<number, StatedMessage>(messages.map(({ seq }) => [seq, NOTHING]))
  const seqs = new Map(messages.map(({ seq, message }) => [message, seq]))
  const byMessage = groupsOf(found.map(({ entry, evidence }) => [evidence.message, entry] as const))
  for (const [message, entries] of byMessage) {
    const classic = entries[0]?.action === undefined ? readIfClassic(message) : undefined
    const byPlace = new Map(entries.map((entry) => [entry.place, entry]))
    statements.set(seqs.get(message) as number, { entries: byPlace, isVerified: true, classic })
  }
  for (const refusal of refused) {
    const seq = seqs.get(refusal.message) as number
    const claimed = await claimedBy(audit, refusal)
    if (claimed) statements.set(seq, claimed)
    else {
      const difference = { expected: 'one that verifies', got: refusal.error.message }
      audit.findings.add({ ...placeIn('evidence', seq, 'message'), ...difference })
    }
  }
  return statements
}

/** Reads the unverified bundles of a message if its signer is unknown. Otherwise returns undefined. */
async function claimedBy(
  { settings, untrusted }: MessageAudit,
  { message, error }: Refusal,
): Promise<StatedMessage | undefined> {
  try {
    if (error.code !== 'SIGNER_UNKNOWN') return undefined
    // Annotations of other SDKs do not name their signers, so take the names from rows that the log covers.
    const classic = readIfClassic(message)
    if (classic) return { ...NOTHING, isVerified: false, classic }
    const bundles = await claimedBundles(decodeToJson(message, settings.codec))
    for (const { signer } of bundles.slice(0, 1)) untrusted.add('SIGNER_UNKNOWN', signer)
    const entries = bundles.map((bundle, place) => {
      return [place, entryOf({ ...bundle, payloadChecked: false }, place)] as const
    })
    return { entries: new Map(entries), isVerified: false, classic: undefined }
  } catch (refusal) {
    verdictIn(refusal)
    return undefined
  }
}
