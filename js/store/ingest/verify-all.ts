import { type AlvariumError, verdictIn } from '../../foundation/base/errors.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import type { LeaseBook, LoggedMessages, TrustPolicy } from '../../signing/keys/trust-policy.js'
import type { Codec } from '../../transport/codecs/codec.js'
import { verifyIfClassic } from '../../verifying/classic/received.js'
import { isSet } from '../../verifying/consume/control-messages.js'
import { isDeadLetter } from '../../verifying/consume/dead-letter.js'
import { type Verification, verifyReceived } from '../../verifying/verify/messages.js'
import { type ControlMessage, KINDS, kindOf, verifyControl } from './control-messages.js'
import { classicEntries, entryOf, type VerifiedEntry } from './entry.js'
import type { ReceivedMessage } from './message-ids.js'

/** Keys and settings by which a store verifies messages. */
export interface VerifySettings {
  readonly keyring: Keyring | TrustPolicy
  readonly codec: Codec | undefined
  readonly classic: boolean
  /** Leases that permit other keys to sign. */
  readonly leases?: LeaseBook | undefined
  /** Verified checkpoints. They can prove that a message was signed before its key or lease expired or was revoked. */
  readonly checkpoints?: readonly LoggedMessages[] | undefined
}

export interface Refusal extends ReceivedMessage {
  readonly error: AlvariumError
}

export interface Verdicts {
  readonly found: VerifiedEntry[]
  readonly refused: Refusal[]
  readonly controlMessages: ControlMessage[]
  /** Number of skipped messages (see `Ingested.skipped`). */
  readonly skipped: number
}

export async function verifyAll(
  receivedMessages: readonly ReceivedMessage[],
  settings: VerifySettings,
): Promise<Verdicts> {
  const controlVerdicts = await verifyControlMessages(receivedMessages, settings)
  const others = receivedMessages.filter((one) => !controlVerdicts.has(one))
  const messages = others.map(({ message }) => message)
  const { keyring, codec, leases, checkpoints } = settings
  const verifying = { keyring, codec, leases, checkpoints }
  const outcomes = await verifyReceived(messages, verifying, (at) => others[at]?.receivedAt)
  const verdicts = {
    found: [] as VerifiedEntry[],
    refused: [] as Refusal[],
    controlMessages: [] as ControlMessage[],
    skipped: 0,
  }
  const rest = outcomes.values()
  for (const evidence of receivedMessages) {
    const verdict =
      controlVerdicts.get(evidence) ??
      (await entriesOf(evidence, rest.next().value as Verification, settings))
    if (verdict === 'skipped') verdicts.skipped++
    else if (Array.isArray(verdict)) for (const one of verdict) verdicts.found.push(one)
    else if ('kind' in verdict) verdicts.controlMessages.push(verdict)
    else verdicts.refused.push({ ...evidence, error: verdict })
  }
  return verdicts
}

/** Verifies leases and checkpoints. Leases come first, because checkpoints can depend on them. */
async function verifyControlMessages(
  receivedMessages: readonly ReceivedMessage[],
  { keyring, leases }: VerifySettings,
): Promise<Map<ReceivedMessage, ControlMessage | 'skipped' | AlvariumError>> {
  const controlMessages = receivedMessages.flatMap((evidence) => {
    const kind = kindOf(evidence.message)
    return kind ? [{ evidence, kind }] : []
  })
  controlMessages.sort((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind))
  const verdicts = new Map<ReceivedMessage, ControlMessage | 'skipped' | AlvariumError>()
  for (const { evidence, kind } of controlMessages) {
    verdicts.set(evidence, await verifyControl(evidence, kind, { keyring, leases }))
  }
  // Verify messages of expired or revoked keys again. A later checkpoint in the list can prove that an
  // earlier one was signed before the expiry or revocation.
  for (const { evidence, kind } of controlMessages) {
    if (!leases?.hasLogs || !isLate(verdicts.get(evidence))) continue
    verdicts.set(evidence, await verifyControl(evidence, kind, { keyring, leases }))
  }
  return verdicts
}

function isLate(verdict: ControlMessage | 'skipped' | AlvariumError | undefined): boolean {
  const code = typeof verdict === 'object' && 'code' in verdict ? verdict.code : undefined
  return code === 'SIGNER_EXPIRED' || code === 'SIGNER_REVOKED'
}

async function entriesOf(
  evidence: ReceivedMessage,
  outcome: Verification,
  { keyring, leases, classic }: VerifySettings,
): Promise<VerifiedEntry[] | 'skipped' | AlvariumError> {
  const { message, receivedAt } = evidence
  if (outcome.status === 'fulfilled') {
    // Copy each property, because an object made by spread is slower to create and to access.
    const receivedMessage: ReceivedMessage =
      outcome.value.length === 1 ? { message, receivedAt, isSingle: true } : evidence
    return outcome.value.map((bundle, place) => ({
      entry: entryOf(bundle, place),
      evidence: receivedMessage,
    }))
  }
  const reason: AlvariumError = outcome.reason
  if (isSet(message) || isDeadLetter(message)) return 'skipped'
  if (!classic || reason.code !== 'MESSAGE_MALFORMED') return reason
  try {
    const found = await verifyIfClassic(message, keyring, { emptyLists: 'reject' }, { receivedAt, leases })
    if (found === undefined) return reason
    return found === 'skipped' ? found : classicEntries(found).map((entry) => ({ entry, evidence }))
  } catch (error) {
    return verdictIn(error)
  }
}
