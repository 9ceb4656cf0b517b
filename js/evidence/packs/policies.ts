import { isSame } from '../../foundation/base/bytes/same.js'
import { describe, expected, isVerdict, malformed, textOf } from '../../foundation/base/errors.js'
import { safeLogger } from '../../foundation/base/logger.js'
import type { ScoringPolicy, ScoringPolicyFile } from '../../verifying/score/policy.js'
import { openPolicy, Trust } from '../trust/open-trust.js'
import { jsonIn } from './file/json.js'
import { SCORE, TRUST } from './file/parts.js'
import { readPackPolicy } from './pack-scores.js'

/** Parses the scoring policy of the pack's author. @throws AlvariumError `MESSAGE_MALFORMED` */
export function scoreIn(content: Uint8Array): Promise<ScoringPolicy> {
  return readOfPack(SCORE, async () => {
    const policy = readPackPolicy((await jsonIn(SCORE, content)) as ScoringPolicyFile)
    // Accept only the canonical spelling, so that the SHA-256 of the part is the digest of the policy.
    if (isSame(content, new TextEncoder().encode(policy.json))) return policy
    throw malformed(
      SCORE,
      `the canonical JSON of the policy, ${policy.json.length} characters`,
      'JSON in another form',
    )
  })
}

/** Parses the trust policy of the pack's author. @throws AlvariumError `MESSAGE_MALFORMED` */
export function trustIn(content: Uint8Array): Promise<Trust> {
  // Use the parsed object without a copy, because no other code has a reference to it.
  return readOfPack(TRUST, async () => {
    const policy = await jsonIn(TRUST, content)
    // Accept only a policy object. The format excludes other forms that the SDK reads, such as a JSON Web Key Set.
    if (!('signers' in Object(policy))) throw malformed(TRUST, 'an object with signers', describe(policy))
    assertFewKeys(policy, 'MESSAGE_MALFORMED')
    return new Trust(await openPolicy(policy), safeLogger(undefined))
  })
}

/** Maximum number of public keys in a pack's policy (FORMAT.md, Limits), because reading a key takes long. */
const MAX_KEYS = 4_096

/** @param policy - policy that was not validated yet. @throws AlvariumError with the given code */
export function assertFewKeys(policy: unknown, code: 'MESSAGE_MALFORMED' | 'CONFIG_INVALID'): void {
  const lengthOf = (list: unknown) => (Array.isArray(list) ? list.length : 0)
  const { signers }: { signers?: unknown } = Object(policy)
  const all: unknown[] = Array.isArray(signers) ? signers : []
  const count = all.reduce((sum: number, one) => sum + lengthOf(Object(one).keys), 0)
  if (count <= MAX_KEYS) return
  throw expected(code, 'trust', `at most ${MAX_KEYS} public keys`, `${count}`)
}

/** Reports errors of reading the pack's policy as faults of the pack, not of the caller's options. */
async function readOfPack<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isVerdict(error) || error.code === 'MESSAGE_MALFORMED') throw error
    throw malformed(name, 'a policy that can be read', textOf(error), error)
  }
}
