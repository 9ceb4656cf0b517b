/** Verdicts on sealed sets and proofs. The worker loads this module on demand. */
import { type VerifiedSet, verifyAbsent, verifyMember, verifySet } from 'alvarium-sdk/sets'
import type { Check } from '../inspection.ts'
import { counted, short } from '../ui/text.ts'
import type { By, CheckResult } from './checked.ts'

const NOTHING = { bundles: [], answers: [] } as const

/** Returns the verdict on a sealed set. @throws AlvariumError as `verifySet` does */
export async function setIn({ message }: Check, keyring: By['keyring']): Promise<CheckResult> {
  const set = await verifySet(message, { keyring })
  const keys = counted(set.size, 'payload key')
  return {
    ...NOTHING,
    outcome: 'holds',
    says: `A sealed set of ${keys}, signed by a trusted signer and not altered since.`,
    facts: factsOf(set),
  }
}

function factsOf({ name, size, signer, signedBy, host, timestamp, id }: VerifiedSet) {
  return [
    ['Name', name || 'none'],
    ['Payload keys', String(size)],
    ['Signed by', `${signedBy?.name ?? short(signer, 6)}${host === '' ? '' : ` on ${host}`}`],
    ['Time', timestamp.slice(0, 19).replace('T', ' ')],
    ['Id', short(id)],
  ] as const
}

/**
 * Returns the verdict on a proof that a payload is, or is not, in a sealed set.
 *
 * @throws AlvariumError as `verifySet` does; `PROOF_INVALID` for a wrong proof
 */
export async function proofIn(
  { message, payload, set }: Check,
  keyring: By['keyring'],
): Promise<CheckResult> {
  const lacks = (needs: string) => ({ ...NOTHING, outcome: 'cannot tell' as const, needs, ...UNPROVEN })
  if (!set)
    return lacks('It needs the sealed set that it is about: give that first, and then the proof again.')
  if (!payload) return lacks('It needs the payload that it is about: choose it below as a file.')
  const verified = await verifySet(set, { keyring })
  const { content } = JSON.parse(new TextDecoder().decode(message))
  const isAbsent = content?.says === 'absent'
  if (isAbsent) verifyAbsent(verified, message, payload)
  else verifyMember(verified, message, payload)
  const where = verified.name === '' ? 'in the set' : `in the set “${verified.name}”`
  const says = isAbsent
    ? `This payload is not ${where}, if its signer has sorted it.`
    : `This payload is ${where}.`
  return { ...NOTHING, outcome: 'holds', says, facts: factsOf(verified) }
}

const UNPROVEN = { says: 'A proof shows something only about a payload and a sealed set.' }
