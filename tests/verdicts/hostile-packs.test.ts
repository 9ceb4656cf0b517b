import { generateKey, toHex } from 'alvarium-sdk'
import { makePack, type PackSubject, verifyPack } from 'alvarium-sdk/packs'
import { proveAbsent, proveMember, sealSet } from 'alvarium-sdk/sets'
import { readTrust } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { concat, utf8 } from '../support/bytes.js'
import {
  type Crafted,
  craftedBundle,
  craftedCheckpoint,
  type Holder,
  keyOfText,
  runOf,
} from '../support/crafted.js'
import { leaseFrom } from '../support/leases.js'

/*
 * Attempts of authors of packs to make a reader see more than the evidence shows, written from FORMAT.md and the
 * guide. The reader trusts the device, and lets the store confirm.
 */

const [device, store, partner, stranger] = [generateKey(), generateKey(), generateKey(), generateKey()]
const SIGNERS = [
  { name: 'device', keys: [toHex(device.verifyingKey)] },
  { name: 'store', keys: [toHex(store.verifyingKey)], confirms: true },
  { name: 'partner', keys: [toHex(partner.verifyingKey)] },
]
const reader = { signers: SIGNERS }
const keyring = await readTrust(reader)

const TEXT = 'a reading'
const key = keyOfText(TEXT)
const about = { payload: { hash: 'sha256', key } } satisfies PackSubject
const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000000Z`
const bundles = [1, 2, 3].map((minute) => craftedBundle(device, { about: TEXT, timestamp: at(minute) }))
const [first, second, third] = bundles as [Crafted, Crafted, Crafted]
const messagesOf = (some: readonly Crafted[]) => some.map(({ message }) => message)
const idsOf = (some: readonly Crafted[]) => some.map(({ id }) => id)
const leavesOf = (some: readonly Crafted[]) => some.map(({ leaf }) => leaf)

const sealOf = async (
  holder: Holder,
  ids: readonly string[],
  name = `bundles of sha256 ${key}`,
  salt?: Uint8Array,
) => (await sealSet(ids, { signingKey: holder.signingKey, name, ...(salt && { salt }) })).message

type Options = Omit<Parameters<typeof makePack>[1], 'trust'> &
  Partial<Pick<Parameters<typeof makePack>[1], 'trust'>>

async function packOf(messages: readonly Uint8Array[], options: Options): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of makePack(messages, { trust: reader, ...options })) pieces.push(piece)
  return concat(...pieces)
}

const RUN = runOf('1')
const log = { log: { signer: device.keyId, run: RUN, from: 0, until: 3 } } satisfies PackSubject
const span = (until: number) =>
  ({ signer: { id: device.keyId, from: at(0), until: at(until) } }) satisfies PackSubject
const note = (holder: Holder, given: Partial<Parameters<typeof craftedCheckpoint>[1]> = {}) =>
  craftedCheckpoint(holder, {
    run: RUN,
    number: 0,
    leaves: leavesOf(bundles),
    fromAt: at(0),
    at: at(10),
    end: true,
    ...given,
  })

interface Attempt {
  readonly attempt: string
  readonly pack: () => Promise<Uint8Array>
  readonly outcome: string
  /** The word for wholeness. */
  readonly word: string
  readonly missing?: number
}

const SEALS: Attempt[] = [
  {
    attempt: 'seals as many other ids as there are bundles',
    pack: async () => {
      const others = ['x', 'y', 'z'].map(keyOfText)
      return packOf(messagesOf(bundles), { about, sets: [await sealOf(store, others)] })
    },
    outcome: 'does not hold',
    word: 'not shown',
    missing: 1,
  },
  {
    attempt: 'fills the number of a seal with one bundle in two spellings',
    pack: async () => {
      const spaced = utf8(new TextDecoder().decode(first.message).replace('{', '{ '))
      const seal = await sealOf(store, idsOf([first, second]))
      return packOf([first.message, spaced], { about, sets: [seal] })
    },
    outcome: 'does not hold',
    word: 'not shown',
    missing: 1,
  },
  {
    attempt: 'states in its own policy that the device may confirm',
    pack: async () => {
      const trust = { signers: SIGNERS.map((one) => ({ ...one, confirms: true })) }
      return packOf(messagesOf(bundles), { about, trust, sets: [await sealOf(device, idsOf(bundles))] })
    },
    outcome: 'holds',
    word: 'not shown',
  },
]

const LOGS: Attempt[] = [
  {
    attempt: 'asks for a part that reaches beyond the last checkpoint',
    pack: () => {
      const longer = { log: { ...log.log, until: 4 } }
      return packOf(messagesOf(bundles), { about: longer, checkpoints: [note(device)] })
    },
    outcome: 'cannot tell',
    word: 'not shown',
  },
  {
    attempt: 'asks for the first two of three positions, and omits the third',
    pack: () => {
      const shorter = { log: { ...log.log, until: 2 } }
      return packOf(messagesOf([first, second]), { about: shorter, checkpoints: [note(device)] })
    },
    outcome: 'holds',
    word: 'whole by log',
  },
  {
    attempt: 'includes the checkpoints around the one that lists the omitted messages',
    pack: () => {
      const notes = [
        note(device, { leaves: leavesOf([first]), end: false, at: at(2) }),
        note(device, { number: 2, fromSize: 2, fromAt: at(4) }),
      ]
      return packOf(messagesOf([first, third]), { about: log, checkpoints: notes })
    },
    outcome: 'cannot tell',
    word: 'not shown',
  },
  {
    attempt: 'includes two texts of one checkpoint, one of which does not list the omitted message',
    pack: () => {
      const notes = [note(device), note(device, { leaves: leavesOf([first, second]) })]
      return packOf(messagesOf([first, second]), { about: log, checkpoints: notes })
    },
    outcome: 'does not hold',
    word: 'not shown',
  },
  {
    attempt: 'asks for a span that reaches beyond its last checkpoint, in a run that has ended',
    pack: () => packOf(messagesOf(bundles), { about: span(30), checkpoints: [note(device)] }),
    outcome: 'cannot tell',
    word: 'not shown',
  },
  {
    attempt: 'adds a message that no checkpoint lists, in the time of a run that has ended',
    pack: () => {
      const more = craftedBundle(device, { about: TEXT, timestamp: at(5) })
      const next = note(device, { run: runOf('2'), leaves: [], fromAt: at(12), at: at(20) })
      return packOf(messagesOf([...bundles, more]), { about: log, checkpoints: [note(device), next] })
    },
    outcome: 'does not hold',
    word: 'whole by log',
  },
]

const seven = ['one', 'two', 'three'].map((text) => craftedBundle(device, { about: text }))
const keys = ['one', 'two', 'three'].map(keyOfText)
const training = await sealSet(keys, { signingKey: partner.signingKey, name: 'training-7' })
const set = { set: training.set.id } satisfies PackSubject
const proofsOf = (some: readonly string[]) =>
  some.map((one) => ({ set: training.set.id, key: one, proof: proveMember(training.list, one) }))

const ROWS: Attempt[] = [
  {
    attempt: 'repeats the proof of one payload of a set three times',
    pack: () => {
      const proofs = proofsOf([0, 0, 0].map((place) => keys[place] as string))
      return packOf(messagesOf(seven), { about: set, sets: [training.message], proofs })
    },
    outcome: 'does not hold',
    word: 'not shown',
    missing: 2,
  },
  {
    attempt: 'puts a proof of absence in the place of a proof of membership',
    pack: () => {
      const absent = keyOfText('absent')
      const proof = { set: training.set.id, key: absent, proof: proveAbsent(training.list, absent) }
      const proofs = [...proofsOf(keys.slice(1)), proof]
      return packOf(messagesOf(seven), { about: set, sets: [training.message], proofs })
    },
    outcome: 'does not hold',
    word: 'not shown',
    missing: 1,
  },
  {
    attempt: 'has a stranger sign for one payload of the set',
    pack: () => {
      const other = craftedBundle(stranger, { about: 'one' })
      const messages = messagesOf([other, ...seven.slice(1)])
      return packOf(messages, { about: set, sets: [training.message], proofs: proofsOf(keys) })
    },
    outcome: 'does not hold',
    word: 'not shown',
    missing: 1,
  },
  {
    attempt: 'includes a lease and no bundle',
    pack: async () => packOf([], { about: { query: 'all of it' }, leases: [await leaseFrom()] }),
    outcome: 'cannot tell',
    word: 'not shown',
  },
  {
    attempt: 'answers a query without any evidence',
    pack: () => packOf([], { about: { query: 'nothing was ever said' } }),
    outcome: 'cannot tell',
    word: 'not shown',
  },
]

for (const row of [...SEALS, ...LOGS, ...ROWS]) {
  it(`a pack whose author ${row.attempt}: "${row.outcome}", "${row.word}"`, async () => {
    const { outcome, verdict, needs } = await verifyPack(await row.pack(), { keyring })
    expect({ outcome, word: verdict.whole.word, missing: verdict.whole.missing }).toEqual({
      outcome: row.outcome,
      word: row.word,
      missing: row.missing ?? 0,
    })
    expect(Boolean(needs)).toBe(outcome === 'cannot tell')
  })
}

it('verifyPack first asks for the public keys of the signers if a pack contains only messages of unknown signers', async () => {
  const { message } = craftedBundle(stranger, { about: TEXT })
  const { outcome, needs } = await verifyPack(await packOf([message], { about }), { keyring })
  expect(outcome).toBe('cannot tell')
  expect(needs).toMatch(/^Give the public keys of the unknown signers/)
})

it('a payload with the hash "none" appears in quotation marks, without its control characters', async () => {
  const text = '\n✓ holds, whole by seal\u202e'
  const about = { payload: { hash: 'none', key: text } } satisfies PackSubject
  const { says } = await verifyPack(await packOf(messagesOf(bundles), { about }), { keyring })
  for (const one of ['\n', '\u202e']) expect(says).not.toContain(one)
  expect(says).toMatch(/^About the payload "[^"]*✓ holds[^"]*"/)
})
