// @internal: a broker shows only by chance which bundles wait for a lease, and how leases take turns
import { AlvariumError, generateKey } from 'alvarium-sdk'
import { issueLease } from 'alvarium-sdk/trust'
import { expect, it, onTestFinished } from 'vitest'
import type { ReceivedMessage } from '../../dist/transport/streams/mqtt/inbox.js'
import { LeaseIntake } from '../../dist/verifying/consume/leases.js'
import { leaseFrom, subject } from '../support/leases.js'
import { messageFrom, trustOf } from '../support/trust.js'
import { countedTurns } from '../support/turns.js'

type User = ConstructorParameters<typeof LeaseIntake>[0]

it('a subscription verifies many leases of unknown signers without blocking the event loop', async () => {
  const stranger = generateKey().signingKey
  const message = await issueLease(stranger, { subject: generateKey().signingKey })
  const user = { trust: { keyring: await trustOf() }, known: [], onLease: undefined } as unknown as User
  const intake = new LeaseIntake({ ...user, window: () => ({ prefetch: 1000, maxObserved: 1000 }) })
  const some = Array.from({ length: 100 }, () => ({ message }) as unknown as ReceivedMessage)
  const codes: string[] = []
  const turns = await countedTurns(3)
  const supplied = [some, []].values()
  const source = { take: async () => supplied.next().value ?? [] }
  expect(await intake.take(source, async (_, { code }) => void codes.push(code))).toEqual([])
  turns.end()
  expect(codes).toEqual(some.map(() => 'SIGNER_UNKNOWN'))
  expect(turns.count).toBeGreaterThan(10)
})

it('if its lease has ended, a received bundle waits for a proof of its time only in a subscription that delivers leases', async () => {
  const arrivalOf = (message: Uint8Array) =>
    ({ message, setAside: () => {}, ack: () => {} }) as ReceivedMessage
  const user = { trust: { keyring: await trustOf() }, known: [], onLease: undefined, hasLogs: false }
  const window = () => ({ prefetch: 1000, maxObserved: 1000 })
  const intake = new LeaseIntake({ ...user, window, logger: console })
  onTestFinished(() => intake.close())
  const supplied = [[arrivalOf(await leaseFrom())], []].values()
  await intake.take({ take: async () => supplied.next().value ?? [] }, async () => {})
  const late = arrivalOf(await messageFrom({ signingKey: subject.signingKey }))
  const holds = () => intake.park(late, new AlvariumError('SIGNER_EXPIRED', 'the lease has ended'))
  expect(await holds()).toBe(false)
  intake.deliverLeases()
  expect(await holds()).toBe(true)
})
