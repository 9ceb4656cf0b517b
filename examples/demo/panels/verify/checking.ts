/** Checks of the verifier in order (crate/FORMAT.md, Verification). The first failure is the result. */
import type { Inspection } from '../../inspection.ts'

export interface Step {
  readonly name: string
  /** Error codes of a failure of this check. */
  readonly codes: readonly string[]
  readonly question: string
}

export const STEPS: readonly Step[] = [
  { name: 'Structure', codes: ['MESSAGE_MALFORMED'], question: 'Is it a sound message?' },
  { name: 'Signer known', codes: ['SIGNER_UNKNOWN'], question: 'Do you trust its signer?' },
  { name: 'Signature', codes: ['SIGNATURE_INVALID'], question: 'Is it what the signer signed?' },
  { name: 'Payload', codes: ['PAYLOAD_MISMATCH'], question: 'Is it about this payload?' },
  {
    name: 'Policy',
    codes: ['SIGNER_NOT_ALLOWED', 'SIGNER_EXPIRED', 'SIGNER_REVOKED'],
    question: 'May its signer say this, and then?',
  },
]

/** Returns the check that fails with this error code; undefined for other codes. */
export function stepOf(code: string | undefined): Step | undefined {
  return STEPS.find(({ codes }) => code !== undefined && codes.includes(code))
}

export type Mark = 'passed' | 'failed' | 'cannot tell' | 'not reached' | 'not asked'

/** Facts about a message that decide which checks apply. */
export interface Asked {
  /** True if the visitor provided a payload; otherwise its check is skipped. */
  readonly hasPayload: boolean
  /** True for a message of another SDK. It names no signer, so every trusted key is tried. */
  readonly isClassic?: boolean
  /** True if the key was in the link with the message, so that its owner is unknown. */
  readonly isStrange?: boolean
  /** True if there is a trust policy; otherwise its check is skipped. */
  readonly hasPolicy?: boolean
  /** True for a batch. The payload of a batch is compared after the policy is applied. */
  readonly isBatch?: boolean
}

/** Returns the result of each check. @param failed - error code; undefined if the message verified */
export function marksOf(
  failed: string | undefined,
  { hasPayload, isClassic = false, isStrange = false, hasPolicy = false, isBatch = false }: Asked,
): Mark[] {
  const failing = stepOf(failed)
  const stop = failed === undefined ? STEPS.length : failing ? STEPS.indexOf(failing) : -1
  return STEPS.map(({ name }, n) => {
    if (name === 'Payload' && !hasPayload) return 'not asked'
    if (name === 'Policy' && !hasPolicy) return 'not asked'
    if (n === stop) return failed === 'SIGNER_UNKNOWN' ? 'cannot tell' : 'failed'
    if (name === 'Signer known' && isClassic) return 'not asked'
    if (name === 'Signer known' && isStrange) return 'not asked'
    if (name === 'Payload' && isBatch && stop > n && stop < STEPS.length) return 'not reached'
    if (name === 'Policy' && isBatch && failed === 'PAYLOAD_MISMATCH') return 'passed'
    return n < stop ? 'passed' : 'not reached'
  })
}

export function isClassic(kind: Inspection['kind']): boolean {
  return ['Go', 'Java', 'Rust', 'Python'].includes(kind)
}

/** Returns the outcome in a few words. @param code - error code of the failed check, if there is one */
export function headlineOf(
  code: string | undefined,
  isUnsure: boolean,
  holds = code === undefined,
  kind: Inspection['kind'] = 'unknown',
): string {
  if (isUnsure) return 'Cannot tell yet'
  switch (code) {
    case undefined:
      if (!holds) return 'Does not hold'
      return isClassic(kind) ? 'Genuine annotations' : 'Genuine'
    case 'MESSAGE_MALFORMED':
      return kind === 'pack' ? 'Altered or damaged' : 'Not a valid message'
    case 'PAYLOAD_MISMATCH':
      return 'Not about this payload'
    case 'PROOF_INVALID':
      return 'Not proven'
    case 'SIGNER_NOT_ALLOWED':
    case 'SIGNER_EXPIRED':
    case 'SIGNER_REVOKED':
      return 'Not permitted'
    default:
      return 'Altered'
  }
}

/**
 * Explains a failed check in one or two sentences.
 *
 * @param changed - names of the fields that the visitor has altered
 * @param kind - kind of the message, because messages of other SDKs name no signer
 */
export function reasonOf(
  code: string,
  changed: readonly string[],
  kind: Inspection['kind'] = 'unknown',
): string {
  switch (code) {
    case 'MESSAGE_MALFORMED':
      return kind === 'pack'
        ? 'This pack is not as it was made, so nothing else in it is checked.'
        : 'This is not a valid message, so nothing else in it is checked.'
    case 'SIGNER_UNKNOWN':
      return isClassic(kind)
        ? 'None of the public keys here verifies any of it: it was altered, or signed by a key that is not here.'
        : 'No public key of its signer is here, so nobody can tell whether it was altered.'
    case 'SIGNATURE_INVALID':
      return invalid(changed)
    case 'PAYLOAD_MISMATCH':
      return 'The message is genuine, but it was signed for different data: this payload’s hash does not match.'
    case 'SIGNER_NOT_ALLOWED':
      return 'The message is genuine, but the trust policy does not let its signer say this.'
    case 'SIGNER_EXPIRED':
      return 'The message is genuine, but it was not signed in the time that the trust policy gives its signer.'
    case 'SIGNER_REVOKED':
      return 'The trust policy says that this signer is revoked. When the message was received, this page does not know.'
    case 'PROOF_INVALID':
      return 'The proof does not show it of this payload and this set.'
    case 'CONFIG_INVALID':
      return 'The trust policy below cannot be used, so nothing was checked.'
    case 'KEY_INVALID':
      return 'One of the public keys below cannot be read, so nothing was checked.'
    default:
      return 'It could not be checked.'
  }
}

function invalid(changed: readonly string[]): string {
  const fields = [...new Set(changed)].filter((name) => name !== 'payload')
  if (fields.length === 0) return 'The signature does not match the message.'
  if (fields.join() === 'signature')
    return 'This is not the signature that the signer made over these fields.'
  const named = new Intl.ListFormat('en').format(
    fields.map((name) => (name === 'isSatisfied' ? 'an answer (isSatisfied)' : name)),
  )
  return `The signer signed something else: the signature covers every field, and ${named} ${fields.length > 1 ? 'have' : 'has'} changed.`
}
