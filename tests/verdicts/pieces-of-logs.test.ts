import { verifyBatch, verifyMessage } from 'alvarium-sdk'
import { Completeness, type VerifiedCheckpoint, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { readTrust } from 'alvarium-sdk/trust'
import { it } from 'vitest'
import { leaseBy, type Party, stateOf } from '../support/by-hand.js'
import { kind } from '../support/pieces.js'
import { at, device, issuer, KEYRING, logOf, MESSAGE, policyOf, RUN, stranger, trusting } from './evidence.js'

// For each function that checks logs: its verdict holds with all of its evidence, but not with any one piece of it
// changed.

it.each<readonly [string, () => Promise<void>]>([
  [
    'verifyCheckpoint',
    kind({
      cases: async () => [
        { note: logOf('a').notes[1] as Uint8Array, keyring: trusting() },
        { note: logOf('b', 7).notes[1] as Uint8Array, keyring: trusting(stranger) },
      ],
      verdict: async ({ note, keyring }) => ({ holds: await verifyCheckpoint(note, { keyring }) }),
      reasons: { note: MESSAGE, keyring: KEYRING },
      holdsAfter: ['note of another'],
    }),
  ],
  [
    'Completeness',
    kind({
      cases: async () => {
        const evidence = (name: string, end: number, party: Party) => {
          const { notes, messages } = logOf(name, end)
          return { notes, messages, keyring: trusting(party) }
        }
        return [evidence('a', 6, device), evidence('b', 7, stranger)]
      },
      verdict: async ({ notes, messages, keyring }) => {
        const found = new Completeness()
        for (const note of notes ?? []) found.addCheckpoint(await verifyCheckpoint(note, { keyring }))
        for (const one of messages ?? []) found.addMessage(one, await verifyBatch(one, { keyring }))
        const [report] = found.report()
        if (report?.outcome === 'holds') return { holds: report }
        return { reason: `${report?.says} ${report?.needs}` }
      },
      isDeep: false,
      reasons: { notes: MESSAGE, messages: MESSAGE, keyring: KEYRING },
    }),
  ],
  [
    'verifyMessage by a log that a lease states',
    kind({
      cases: async () => {
        const evidence = async (name: string, owner: Party, subject: Party) => {
          const { log, notes, messages } = logOf(name)
          const [from, middle, until] = ['10:00', '10:45', '11:45'].map(
            (time) => `2026-11-20T${time}:00Z`,
          ) as [string, string, string]
          const lease = await leaseBy(issuer, subject, from, middle)
          const stating = await leaseBy(issuer, device, middle, until, { log: stateOf(RUN, log) })
          const [message] = messages as [Uint8Array]
          return { message, notes, leases: [lease, stating], trusted: trusting(owner) }
        }
        return [await evidence('a', issuer, device), await evidence('b', stranger, stranger)]
      },
      verdict: async ({ message, notes, leases, trusted }) => {
        const keyring = await readTrust(policyOf(trusted))
        try {
          const early = { keyring, leases, receivedAt: new Date(at(31)) }
          const verified = await Promise.allSettled((notes ?? []).map((one) => verifyCheckpoint(one, early)))
          const checkpoints: VerifiedCheckpoint[] = verified.flatMap((one) =>
            one.status === 'fulfilled' ? one.value : [],
          )
          const late = { keyring, leases, receivedAt: new Date('2026-11-20T18:00:00Z') }
          const bundle = await verifyMessage(message, { ...late, checkpoints })
          const time = bundle.signedBy?.time
          return time === 'logged' ? { holds: bundle } : { reason: `${time}` }
        } finally {
          await keyring.close()
        }
      },
      isDeep: false,
      reasons: { message: /./, notes: /./, leases: /./, trusted: /./ },
    }),
  ],
])('%s needs each piece of its evidence about a log', (_, check) => check())
