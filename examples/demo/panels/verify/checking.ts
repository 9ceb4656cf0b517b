/** The verifier's checks, in its order (crate/FORMAT.md, Verification): the first that fails ends it. */
import type { Inspection } from '../../inspection.ts'

export interface Step {
  readonly name: string
  /** What it says when it fails. */
  readonly code: string
  /** What it asks. */
  readonly question: string
}

export const STEPS: readonly Step[] = [
  { name: 'Structure', code: 'MESSAGE_MALFORMED', question: 'Is it a sound message?' },
  { name: 'Signer known', code: 'SIGNER_UNKNOWN', question: 'Do you trust its signer?' },
  { name: 'Signature', code: 'SIGNATURE_INVALID', question: 'Is it what the signer signed?' },
  { name: 'Payload', code: 'PAYLOAD_MISMATCH', question: 'Is it about this payload?' },
]

export type Mark = 'passed' | 'failed' | 'not reached' | 'not asked'

/** What is known of a message beside the check that failed. */
export interface Asked {
  /** Whether a payload was given: else the last check is not asked. */
  readonly hasPayload: boolean
  /** Whether it is of another SDK: these name no signer, so that every trusted key is tried. */
  readonly isClassic?: boolean
  /** Whether its key came with it, so that nobody has said whose it is. */
  readonly isStrange?: boolean
}

/**
 * What became of each check.
 *
 * @param failed - the code that verification failed with, if it did
 */
export function marksOf(
  failed: string | undefined,
  { hasPayload, isClassic = false, isStrange = false }: Asked,
): Mark[] {
  const stop = failed === undefined ? STEPS.length : STEPS.findIndex(({ code }) => code === failed)
  return STEPS.map(({ code }, n) => {
    if (code === 'PAYLOAD_MISMATCH' && !hasPayload) return 'not asked'
    if (code === 'SIGNER_UNKNOWN' && isClassic) return 'not asked'
    if (n === stop) return 'failed'
    if (code === 'SIGNER_UNKNOWN' && isStrange) return 'not asked'
    return n < stop ? 'passed' : 'not reached'
  })
}

/** Whether the kind is of another SDK. */
export function isClassic(kind: Inspection['kind']): boolean {
  return ['Go', 'Java', 'Rust', 'Python'].includes(kind)
}

/**
 * Why a check fails, for somebody who does not know its code.
 *
 * @param changed - names of the fields that the visitor has altered
 */
export function reasonOf(code: string, changed: readonly string[]): string {
  switch (code) {
    case 'MESSAGE_MALFORMED':
      return 'This is not a valid message, so nothing else in it is checked.'
    case 'SIGNER_UNKNOWN':
      return 'It names a signer that this verifier does not trust.'
    case 'SIGNATURE_INVALID':
      return invalid(changed)
    case 'PAYLOAD_MISMATCH':
      return 'The message is genuine, but it is about other data: the hash of this payload is not the message’s payload key.'
    case 'KEY_INVALID':
      return 'One of the public keys below cannot be read, so nothing was checked.'
    default:
      return 'It could not be checked.'
  }
}

function invalid(changed: readonly string[]): string {
  const fields = [...new Set(changed)].filter((name) => name !== 'payload')
  if (fields.length === 0) return 'The signature is not one over what the message says.'
  if (fields.join() === 'signature')
    return 'This is not the signature that the signer made over these fields.'
  const named = new Intl.ListFormat('en').format(fields)
  return `The signer signed something else: the signature covers every field, and ${named} ${fields.length > 1 ? 'are' : 'is'} not as it was.`
}
