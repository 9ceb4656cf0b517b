import { verifyMessage } from 'alvarium-sdk'
import { verifyCheckpoint } from 'alvarium-sdk/completeness'
import { readTrust } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { leaseBy, stateOf } from '../support/by-hand.js'
import { textOf, utf8 } from '../support/bytes.js'
import { packed } from '../support/packs.js'
import {
  clock,
  first,
  forkedNotes,
  holder,
  leases,
  log,
  messages,
  notes,
  owner,
  policy,
  reportOn,
  run,
} from '../support/two-issuers.js'

// claim: completeness-25
it('a log whose messages are permitted by leases of two issuers is complete, and is attributed to one of the issuers', async () => {
  const reports = await reportOn(messages, notes)
  expect(reports.map(({ signer, verdict }) => [signer, verdict])).toEqual([[owner, 'complete']])
})

it('a pack with leases of two issuers for one key has a complete log', async () => {
  const about = { log: { signer: holder.keyId, run, from: 0, until: 4 } }
  const { verdict } = await packed(messages, { about, trust: policy, leases, checkpoints: notes })
  expect(verdict.whole.word).toBe('whole by log')
  expect(verdict.logs.map((one) => one.verdict)).toEqual(['complete'])
})

it('a forked log is detected, though each of its two checkpoints is permitted by the lease of a different issuer', async () => {
  const reports = await reportOn(messages, forkedNotes)
  expect(reports).toMatchObject([{ signer: owner, forks: [{ size: 1 }], verdict: 'incomplete' }])
})

it('a late message in a log whose root a lease contains is accepted even if another lease permits only another host', async () => {
  const narrow = await leaseBy(first, holder, clock(0), clock(30), { hosts: ['another'] })
  const stating = await leaseBy(first, holder, clock(29), clock(59), { log: stateOf(run, log.slice(0, 1)) })
  const keyring = await readTrust(policy)
  const stated = await verifyCheckpoint(notes[0] as Uint8Array, { keyring, leases })
  const given = { keyring, checkpoints: [stated], receivedAt: new Date('2027-01-01') }
  for (const order of [
    [narrow, leases[0]],
    [leases[0], narrow],
  ] as Uint8Array[][]) {
    const { signedBy } = await verifyMessage(messages[0] as Uint8Array, {
      ...given,
      leases: [...order, stating],
    })
    expect(signedBy?.time).toBe('logged')
  }
  await keyring.close()
})

it('copies of a lease do not displace another lease of the same key', async () => {
  const narrow = await leaseBy(first, holder, clock(5), clock(30), { hosts: ['another'] })
  const keyring = await readTrust(policy)
  const given = [...leases, ...Array<Uint8Array>(8).fill(narrow)]
  const { signedBy } = await verifyMessage(messages[0] as Uint8Array, { keyring, leases: given })
  expect(signedBy?.id).toBe(first.keyId)
  await keyring.close()
})

it('a copy of a lease with an altered signature is refused in a pack, before or after the genuine lease', async () => {
  const [lease] = leases
  const altered = utf8(
    textOf(lease).replace(
      /"signature":"./,
      (begin) => `${begin.slice(0, -1)}${begin.endsWith('0') ? '1' : '0'}`,
    ),
  )
  const about = { query: 'anything' }
  for (const given of [
    [lease, altered],
    [altered, lease],
  ]) {
    const { verdict } = await packed(messages.slice(0, 1), { about, trust: policy, leases: given })
    expect(verdict.lines.leases).toEqual({ verified: 1, refused: 1, unknownSigner: 0 })
  }
})
