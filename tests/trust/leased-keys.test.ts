import { memory, openSdk, verifyMessage } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { leased, readLease } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { openLeased } from '../support/leased.js'
import { key } from '../support/sdk.js'
import { trustOf } from '../support/trust.js'

const payload = utf8('21.4')

// claim: trust-25
it('an SDK with a leased key signs and verifies with a worker pool', async () => {
  await using workers = await pool({ workers: 1 })
  const { sdk, leases, hsm } = await openLeased({}, { pool: workers })
  const { message } = await sdk.create(payload)
  await sdk.close()
  const options = { keyring: await trustOf(), leases, pool: workers }
  expect((await verifyMessage(message, options)).signedBy?.name).toBe('gateway-1')
  expect(hsm.asked).toBe(1)
})

it('two SDKs that are opened with the same leased() have different leased keys', async () => {
  const leases: Uint8Array[] = []
  const signingKey = leased(key.signingKey, { onLease: (lease) => leases.push(lease) })
  for (let count = 0; count < 2; count++) {
    await (await openSdk({ signingKey, annotators: [], stream: memory() })).close()
  }
  expect(new Set(leases.map((lease) => readLease(lease).keyId)).size).toBe(2)
})
