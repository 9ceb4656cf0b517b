import { isSame } from '../base/bytes/same.js'
import { expected, isVerdict, malformed, textOf } from '../base/errors.js'
import { safeLogger } from '../base/logger.js'
import type { JudgingPolicy, JudgingPolicyFile } from '../judge/policy.js'
import { openPolicy, Trust } from '../trust/opened.js'
import { jsonIn } from './json.js'
import { SCORE, TRUST } from './parts.js'
import { readPackPolicy } from './scoring.js'

/** The author's score policy. @throws AlvariumError `MESSAGE_MALFORMED` */
export function scoreIn(content: Uint8Array): Promise<JudgingPolicy> {
  return ofPack(SCORE, async () => {
    const policy = readPackPolicy((await jsonIn(SCORE, content)) as JudgingPolicyFile)
    // So its SHA-256 is the digest of the policy.
    if (isSame(content, new TextEncoder().encode(policy.json))) return policy
    throw malformed(
      SCORE,
      `the canonical JSON of the policy, ${policy.json.length} characters`,
      'another spelling',
    )
  })
}

/** The author's trust policy. @throws AlvariumError `MESSAGE_MALFORMED` */
export function trustIn(content: Uint8Array): Promise<Trust> {
  // Nobody else has what was just parsed, so there is no copy to be made of it at once.
  return ofPack(TRUST, async () => {
    const policy = await jsonIn(TRUST, content)
    // Other forms of a policy, such as a JSON Web Key Set, have no place in the schema.
    if (!('signers' in Object(policy))) throw malformed(TRUST, 'an object with signers', 'another value')
    assertFewKeys(policy, 'MESSAGE_MALFORMED')
    return new Trust(await openPolicy(policy), safeLogger(undefined))
  })
}

/** FORMAT.md, Limits: public keys in a pack's trust policy. To read one takes longer than to verify a message. */
const MAX_KEYS = 4_096

/** Asserts that a trust policy, which nothing has checked yet, is read in little time. @throws AlvariumError with this code */
export function assertFewKeys(policy: unknown, code: 'MESSAGE_MALFORMED' | 'CONFIG_INVALID'): void {
  const lengthOf = (list: unknown) => (Array.isArray(list) ? list.length : 0)
  const { signers }: { signers?: unknown } = Object(policy)
  const all: unknown[] = Array.isArray(signers) ? signers : []
  const count = all.reduce((sum: number, one) => sum + lengthOf(Object(one).keys), 0)
  if (count <= MAX_KEYS) return
  const few = `at most ${MAX_KEYS} public keys, those of signers with messages in the pack`
  throw expected(code, 'trust', few, `${count}`)
}

/** What is wrong with a policy of the pack is wrong with the pack, and not with what it was given. */
async function ofPack<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isVerdict(error) || error.code === 'MESSAGE_MALFORMED') throw error
    throw malformed(name, 'a policy that can be read', textOf(error), error)
  }
}
