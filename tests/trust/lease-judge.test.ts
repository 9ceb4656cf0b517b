// @internal: the public way takes two issuers and a log of checkpoints for one condition
import { expect, it } from 'vitest'
import { LeaseKey } from '../../dist/evidence/trust/leases/lease-key.js'
import { assertInTime, PolicyPermits } from '../../dist/evidence/trust/permits/policy-permits.js'
import { readPolicy } from '../../dist/evidence/trust/policy/read-policy.js'
import { key } from '../support/sdk.js'
import { policyOf } from '../support/trust.js'

const at = (time: string) => Date.parse(`2026-11-20T${time}Z`)

it('the log size and root in a lease do not count if the issuer of the lease was revoked before the lease arrived', async () => {
  const verdictOf = async (receivedAt: number) => {
    const { policy } = await readPolicy(policyOf({ revoked: { since: '2026-11-20T12:00:00Z' } }))
    const from = '2026-11-20T10:00:00Z'
    const lease = {
      issuer: key.keyId,
      subject: '',
      name: '',
      serial: '1',
      from,
      until: '2026-11-20T11:00:00Z',
    }
    const judged = new LeaseKey(new PolicyPermits(policy).keyOf(key.keyId), lease)
    const refusal = judged.refusalOf(
      (limits, ...times) => assertInTime(limits, at('10:30:00'), 'at', ...times),
      receivedAt,
      at('10:45:00'),
    )
    return refusal?.code
  }
  expect(await verdictOf(at('11:59:00'))).toBeUndefined()
  expect(await verdictOf(at('12:00:00'))).toBe('SIGNER_REVOKED')
})
