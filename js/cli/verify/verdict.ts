import {
  AlvariumError,
  type ClassicMessage,
  type Keyring,
  type VerifiedBundle,
  verifyMessages,
} from 'alvarium-sdk/verify'
import { readIfClassic } from '../../classic/read-message.js'
import { verifyRead } from '../../classic/verify-classic.js'
import type { Found } from '../messages/read.js'
import type { AskedPayload } from './asked-payload.js'

/** What became of a message. */
export type Verdict = { readonly place: string } & (
  | { readonly is: 'verified'; readonly format: 'bundle'; readonly bundles: readonly VerifiedBundle[] }
  | { readonly is: 'verified' | 'refused'; readonly format: 'classic'; readonly classic: ClassicMessage }
  /** `unknown`: nobody in the keyring could say. */
  | {
      readonly is: 'refused' | 'unknown'
      readonly format: 'none'
      readonly error: AlvariumError
      readonly message?: Uint8Array
    }
)

/** Whom to trust, and about what. */
export interface Trust {
  readonly keyring: Keyring
  readonly payload?: AskedPayload
}

/** Verifies messages of whatever kind, in less time together than one by one. */
export async function verdictsOn(found: readonly Found[], trust: Trust): Promise<Verdict[]> {
  const readable = found.flatMap(({ message }) => (message instanceof AlvariumError ? [] : [message]))
  const outcomes = (await verifyMessages(readable, { keyring: trust.keyring })).values()
  const verdicts: Verdict[] = []
  for (const { place, message } of found) {
    if (message instanceof AlvariumError) verdicts.push(refused(place, message))
    else verdicts.push(await verdictOn(place, message, outcomes.next().value as Outcome, trust))
  }
  return verdicts
}

type Outcome = Awaited<ReturnType<typeof verifyMessages>>[number]

async function verdictOn(
  place: string,
  message: Uint8Array,
  outcome: Outcome,
  trust: Trust,
): Promise<Verdict> {
  if (outcome.status === 'fulfilled') return aboutPayload(place, outcome.value, trust.payload)
  const error = outcome.reason as AlvariumError
  const classic = error.code === 'MESSAGE_MALFORMED' ? await classicIn(message, trust) : undefined
  if (!classic) return refused(place, error, message)
  const { annotations } = classic
  // Of a message without annotations nothing is signed.
  const isGood = annotations.length > 0 && annotations.every(({ status }) => status === 'fulfilled')
  return { place, is: isGood ? 'verified' : 'refused', format: 'classic', classic }
}

function refused(place: string, error: AlvariumError, message?: Uint8Array): Verdict {
  const is = error.code === 'SIGNER_UNKNOWN' ? 'unknown' : 'refused'
  return { place, is, format: 'none', error, ...(message && { message }) }
}

/** Only what says that it is one is tried: each key may cost a verification. */
async function classicIn(
  message: Uint8Array,
  { keyring, payload }: Trust,
): Promise<ClassicMessage | undefined> {
  try {
    const read = readIfClassic(message)
    return read && (await verifyRead(read, keyring, { payload: payload?.bytes }))
  } catch (error) {
    if (error instanceof AlvariumError && error.code === 'MESSAGE_MALFORMED') return undefined
    throw error
  }
}

/** Of a batch, one bundle has to be about the payload. */
function aboutPayload(place: string, bundles: readonly VerifiedBundle[], payload?: AskedPayload): Verdict {
  if (!payload) return { place, is: 'verified', format: 'bundle', bundles }
  const checked = bundles.map((bundle) => ({ ...bundle, payloadChecked: payload.isOf(bundle) }))
  if (checked.some(({ payloadChecked }) => payloadChecked))
    return { place, is: 'verified', format: 'bundle', bundles: checked }
  const text = 'payload: expected the one that this message is about, by its key, got another'
  return refused(place, new AlvariumError('PAYLOAD_MISMATCH', text))
}
