import { keyOf, memory, openSdk, source } from 'alvarium-sdk'
import {
  proveAbsent,
  proveInput,
  proveMember,
  proveUpdate,
  sealSet,
  verifyAbsent,
  verifyInput,
  verifyMember,
  verifySet,
  verifyUpdate,
} from 'alvarium-sdk/sets'
import { it } from 'vitest'
import type { Party } from '../support/by-hand.js'
import { utf8 } from '../support/bytes.js'
import { kind } from '../support/pieces.js'
import { device, KEYRING, MESSAGE, stranger, trusting } from './evidence.js'

// For each function that verifies sets: its verdict holds with all of its evidence, but not with any one piece of it
// changed.

const readings = ['a', 'b', 'c', 'd', 'e', 'f'].map(utf8)
const seal = (some: readonly Uint8Array[], more: object = {}) =>
  sealSet(some, { signingKey: device.signingKey, ...more })

it.each<readonly [string, () => Promise<void>]>([
  [
    'verifySet',
    kind({
      cases: async () => [
        { set: (await seal(readings)).message, keyring: trusting() },
        { set: (await seal(readings.slice(1))).message, keyring: trusting(stranger) },
      ],
      verdict: async ({ set, keyring }) => ({ holds: await verifySet(set, { keyring }) }),
      reasons: { set: MESSAGE, keyring: KEYRING },
      holdsAfter: ['set of another'],
    }),
  ],
  [
    'verifySet with its list',
    kind({
      cases: async () => {
        const evidence = async (from: number, party: Party) => {
          const { message, list } = await seal(readings.slice(from))
          return { set: message, list, keyring: trusting(party) }
        }
        return [await evidence(0, device), await evidence(1, stranger)]
      },
      verdict: async ({ set, keyring, list }) => {
        const found = await verifySet(set, { keyring, list })
        return found.sorted === 'checked' ? { holds: found } : { reason: `sorted: ${found.sorted}` }
      },
      reasons: { set: MESSAGE, list: /list|sorted|set/, keyring: KEYRING },
    }),
  ],
  [
    'verifyMember',
    kind({
      cases: async () => {
        const evidence = async (from: number, party: Party) => {
          const salt = new Uint8Array(32).fill(from)
          const { message, list } = await seal(readings.slice(from), { salt })
          const one = readings[from + 1] as Uint8Array
          return { set: message, proof: proveMember(list, one), payload: one, salt, keyring: trusting(party) }
        }
        return [await evidence(0, device), await evidence(1, stranger)]
      },
      verdict: async ({ set, proof, payload: one, salt, keyring }) => ({
        holds: verifyMember(await verifySet(set, { keyring, salt }), proof, one),
      }),
      reasons: {
        set: MESSAGE,
        proof: /proof|payload|set/,
        payload: /payload|proof|set/,
        salt: /salt/,
        keyring: KEYRING,
      },
    }),
  ],
  [
    'verifyAbsent',
    kind({
      cases: async () => {
        const evidence = async (from: number, party: Party) => {
          const { message, list } = await seal(readings.toSpliced(from, 1))
          const one = readings[from] as Uint8Array
          return { set: message, proof: proveAbsent(list, one), payload: one, keyring: trusting(party) }
        }
        return [await evidence(0, device), await evidence(1, stranger)]
      },
      verdict: async ({ set, proof, payload: one, keyring }) => ({
        holds: [keyOf(one), verifyAbsent(await verifySet(set, { keyring }), proof, one)],
      }),
      reasons: { set: MESSAGE, proof: /proof|payload|set/, payload: /payload|proof|set/, keyring: KEYRING },
      // The altered payload is between the same two neighbours.
      holdsAfter: ['payload altered', 'payload cut off'],
    }),
  ],
  [
    'verifyUpdate',
    kind({
      cases: async () => {
        const evidence = async (from: number, party: Party) => {
          const [before, after] = [await seal(readings.slice(from)), await seal(readings.slice(from + 1))]
          const update = await proveUpdate(before.list, after.list)
          return { before: before.message, after: after.message, update, keyring: trusting(party) }
        }
        return [await evidence(0, device), await evidence(1, stranger)]
      },
      verdict: async ({ before, after, update, keyring }) => {
        const [one, other] = [await verifySet(before, { keyring }), await verifySet(after, { keyring })]
        return { holds: await verifyUpdate(one, other, { update }) }
      },
      reasons: { before: MESSAGE, after: MESSAGE, update: /update|proof/, keyring: KEYRING },
    }),
  ],
  [
    'verifyInput',
    kind({
      cases: async () => {
        const evidence = async (from: number, output: string, party: Party) => {
          const stream = memory()
          const sdk = await openSdk({
            signingKey: device.signingKey,
            annotators: [source()],
            stream,
            host: 'edge-7',
          })
          await sdk.mutate(readings.slice(from), utf8(output))
          await sdk.close()
          const proof = await proveInput(stream.messages[0] as Uint8Array, 1)
          return { proof, payload: utf8(output), input: readings[from + 1], keyring: trusting(party) }
        }
        return [await evidence(0, 'average', device), await evidence(1, 'sum', stranger)]
      },
      verdict: async ({ proof, ...options }) => {
        const found = await verifyInput(proof, options)
        if (options.input === undefined) return { reason: 'no input was compared' }
        return found.bundle.payloadChecked ? { holds: found } : { reason: 'no payload was compared' }
      },
      reasons: {
        proof: /proof|Key|signature|signer|payload|timestamp|message/,
        payload: /payload/,
        input: /input/,
        keyring: KEYRING,
      },
    }),
  ],
])('%s needs each piece of its evidence about a set', (_, check) => check())
