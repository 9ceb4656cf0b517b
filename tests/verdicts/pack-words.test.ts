import { toHex, VERDICT_WORDS } from 'alvarium-sdk'
import { bundlesName, type MakePackOptions, type VerifiedPack, verifyPack } from 'alvarium-sdk/packs'
import { sealSet } from 'alvarium-sdk/sets'
import { type Policy, readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { craftedBundle, craftedCheckpoint, runOf } from '../support/crafted.js'
import { about, packed, signer } from '../support/packs.js'

// For each word that packs use: a pack with all of its evidence has the word, and loses it with contradicting
// evidence. pieces-of-packs.test.ts removes each single piece.

const [device, store] = [signer('device'), signer('store')]
const bundles = ['a reading', 'another'].map((text, minute) =>
  craftedBundle(device, { about: text, timestamp: `2026-01-01T00:0${minute}:00Z` }),
)
const messages = bundles.map(({ message }) => message)
const leaves = bundles.map(({ leaf }) => leaf)
const [first] = messages as [Uint8Array]

const policy = (confirms: boolean, ...names: string[]): Policy => ({
  signers: [
    { name: 'device', keys: [toHex(device.verifyingKey)] },
    { name: 'store', keys: [toHex(store.verifyingKey)], confirms },
  ].filter(({ name }) => names.length === 0 || names.includes(name)),
})

/** Contents of a pack, and the policies of its author and reader. */
interface Evidence extends Omit<MakePackOptions, 'trust'> {
  readonly messages: readonly Uint8Array[]
  readonly trust: Policy
}

async function packOf({ messages: given, trust, ...options }: Evidence): Promise<VerifiedPack> {
  const { bytes } = await packed(given, { ...options, trust: policy(true) })
  const keyring = await readTrust(trust)
  try {
    return await verifyPack(bytes, { keyring })
  } finally {
    await keyring.close()
  }
}

const run = runOf('a')
const note = (more: object = {}) => craftedCheckpoint(device, { run, number: 0, leaves, end: true, ...more })
const at = (hour: number) => `2026-01-01T0${hour}:00:00.000000Z`
const later = craftedBundle(device, { about: 'of the second run', timestamp: at(1) })
const noteLater = (more: object = {}) =>
  craftedCheckpoint(device, {
    run: runOf('b'),
    number: 0,
    leaves: [later.leaf],
    end: true,
    fromAt: at(2),
    at: at(3),
    after: { run, leaves },
    ...more,
  })

const log: Evidence = {
  messages,
  checkpoints: [note()],
  trust: policy(false),
  about: { log: { signer: device.keyId, run, from: 0, until: 2 } },
}
const chain: Evidence = {
  messages: [...messages, later.message],
  checkpoints: [note(), noteLater()],
  trust: policy(false),
  about: { signer: { id: device.keyId, from: at(0), until: at(3) } },
}

async function sealing(): Promise<Evidence> {
  const name = bundlesName(about.payload) as string
  const { message } = await sealSet([bundles[0]?.id as string], { signingKey: store.signingKey, name })
  return { messages: [first], sets: [message], about, trust: policy(true) }
}

type Without = readonly [piece: string, change: Partial<Evidence> | ((all: Evidence) => Partial<Evidence>)]

describe.each<readonly [word: string, all: () => Evidence | Promise<Evidence>, without: readonly Without[]]>([
  [
    'whole by log',
    () => log,
    [['a checkpoint that lists every position', { checkpoints: [note({ leaves: leaves.slice(0, 1) })] }]],
  ],
  [
    'whole by log',
    () => chain,
    [
      ['the checkpoint of a run', { checkpoints: [note()] }],
      [
        'a run at the beginning of the span',
        { about: { signer: { id: device.keyId, from: '2025-12-31T00:00:00.000000Z', until: at(3) } } },
      ],
    ],
  ],
  [
    'each run whole by log',
    () => ({ ...chain, checkpoints: [note(), noteLater({ after: undefined })] }),
    [
      ['a message of a run', { messages }],
      ['the checkpoint of a run', { checkpoints: [note()] }],
    ],
  ],
  ['whole by seal', sealing, [['confirms: true in the policy', { trust: policy(false) }]]],
])('the word "%s" in the verdict of a pack', (word, all, without) => {
  it('is present with all of its evidence, and has the outcome that FORMAT.md states', async () => {
    const { outcome, says, verdict } = await packOf(await all())
    expect([outcome, verdict.whole.word]).toEqual([VERDICT_WORDS[word as 'verified'], word])
    expect(says).toContain(`; ${word}: `)
  })

  it.each(without)('disappears without %s', async (_, change) => {
    const evidence = await all()
    const less = typeof change === 'function' ? change(evidence) : change
    const { says, verdict } = await packOf({ ...evidence, ...less })
    expect(verdict.whole.word).not.toBe(word)
    expect(says).not.toContain(`; ${word}: `)
    expect(Object.keys(VERDICT_WORDS)).toContain(verdict.whole.word)
  })
})

/** Returns the message with one character of its host or of its hashes changed. */
function altered(message: Uint8Array): Uint8Array {
  return utf8(textOf(message).replace(/"host":"|bundles /, (found) => `${found}x`))
}

describe('the verdict of a pack', () => {
  const linesOf = async (change: Partial<Evidence>) => {
    const { verdict } = await packOf({ messages: [first], about, trust: policy(false), ...change })
    return verdict.lines.messages
  }

  it('loses "verified" if the signer is not trusted, the signature is invalid or the policy does not permit the message', async () => {
    expect(await linesOf({})).toEqual({ verified: 1, refused: 0, unknownSigner: 0 })
    expect(await linesOf({ trust: policy(false, 'store') })).toMatchObject({ verified: 0, unknownSigner: 1 })
    expect(await linesOf({ messages: [altered(first)] })).toMatchObject({ verified: 0, refused: 1 })
    const [only] = policy(false, 'device').signers
    const forbidden = { signers: [{ ...(only as Policy['signers'][number]), actions: [] }] }
    expect(await linesOf({ trust: forbidden })).toMatchObject({ verified: 0, refused: 1 })
  })

  it('changes from "complete" to "incomplete" if a message is removed, and to "unknown" if the first checkpoint is removed', async () => {
    const logOf = async (change: Partial<Evidence>) =>
      (await packOf({ ...log, about: { query: 'x' }, ...change })).verdict.logs.map(({ verdict }) => verdict)
    expect(await logOf({})).toEqual(['complete'])
    expect(await logOf({ messages: [first] })).toEqual(['incomplete'])
    expect(await logOf({ messages: [first], checkpoints: [note({ refused: '1' })] })).toEqual(['incomplete'])
    const tail = craftedCheckpoint(device, { run, number: 1, leaves, fromSize: 1, end: true })
    expect(await logOf({ checkpoints: [tail] })).toEqual(['unknown'])
  })

  it('loses "missing" without the checkpoint that lists the message', async () => {
    const saysOf = async (change: Partial<Evidence>) =>
      (await packOf({ ...log, messages: [first], ...change })).says
    expect(await saysOf({})).toContain('1 is missing')
    expect(await saysOf({ checkpoints: [] })).not.toContain('missing')
  })

  it('loses "consistent" when the pack contradicts itself, and when the reader has a policy', async () => {
    const { bytes } = await packed([first], { about, trust: policy(false) })
    expect((await verifyPack(bytes)).says).toContain('; consistent with itself')
    const contradicting = await packed([altered(first)], { about, trust: policy(false) })
    expect((await verifyPack(contradicting.bytes)).says).not.toContain('; consistent')
    expect((await verifyPack(bytes, { keyring: device.keyring })).says).not.toContain('consistent')
  })
})
