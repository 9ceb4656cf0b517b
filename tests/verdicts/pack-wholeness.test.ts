import { toHex } from 'alvarium-sdk'
import { bundlesName, type MakePackOptions, type VerifiedPack, verifyPack } from 'alvarium-sdk/packs'
import { proveMember, sealSet } from 'alvarium-sdk/sets'
import { type PolicySigner, readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { type Crafted, craftedBundle, craftedCheckpoint, type Holder, runOf } from '../support/crafted.js'
import { about, packed, payload, signer } from '../support/packs.js'

// Attacks on "these are all", written from FORMAT.md and packs.md.

const [device, store, other] = ['device', 'store', 'other'].map((name) => signer(name))
type Signer = typeof device & {}

/** Returns a policy with these signers, by name, and their rules. */
const policyFor = (rules: Readonly<Record<string, Partial<PolicySigner>>>) => ({
  signers: Object.entries(rules).map(([name, rest]) => {
    const { verifyingKey } = { device, store, other }[name] as Signer
    return { name, keys: [toHex(verifyingKey)], ...rest }
  }),
})

const CONFIRMING = policyFor({ device: {}, store: { confirms: true }, other: {} })

/** Returns the verdict of a reader with this policy on a pack of these messages. */
async function found(
  messages: readonly Uint8Array[],
  options: Omit<MakePackOptions, 'trust'>,
  policy = CONFIRMING,
): Promise<VerifiedPack> {
  const { bytes } = await packed(messages, { ...options, trust: policy })
  const keyring = await readTrust(policy)
  try {
    return await verifyPack(bytes, { keyring })
  } finally {
    await keyring.close()
  }
}

const told = ({ outcome, verdict: { whole } }: VerifiedPack) => [outcome, whole.word, whole.missing]

describe('a pack about a part of a log', () => {
  const run = runOf('a')
  const bundles = ['0', '1', '2', '3'].map((text) =>
    craftedBundle(device as Holder & Signer, { about: text }),
  )
  const leaves = bundles.map(({ leaf }) => leaf)
  const messagesOf = (some: readonly Crafted[]) => some.map(({ message }) => message)
  const range = (from: number, until: number) => ({
    log: { signer: device?.keyId as string, run, from, until },
  })
  const note = (more: object, holder = device as Signer) =>
    craftedCheckpoint(holder, { run, number: 0, leaves, ...more })

  it('is "whole by log" if it contains the message of every position that the checkpoints list', async () => {
    const pack = await found(messagesOf(bundles), { about: range(0, 4), checkpoints: [note({ end: true })] })
    expect(told(pack)).toEqual(['holds', 'whole by log', 0])
    expect(pack.verdict.whole).toMatchObject({ by: device?.keyId, refused: 0, undecided: 0 })
    expect(pack.says).toContain('whole by log: checkpoints of device list all of these messages')
  })

  // claim: packs-36
  it.each(['pending', 'refused'])(
    'is not "whole by log" if a dropped message is "%s" in the only checkpoint',
    async (fate) => {
      const pack = await found(messagesOf(bundles.slice(1)), {
        about: range(0, 4),
        checkpoints: [note({ [fate]: '0-3' })],
      })
      expect(told(pack)).toEqual(['does not hold', 'not shown', 1])
      const { refused, undecided } = pack.verdict.whole
      expect([refused, undecided]).toEqual(fate === 'refused' ? [1, 0] : [0, 1])
    },
  )

  it('counts an absent message as missing, with an undecided fate, if the last checkpoint calls the message "pending"', async () => {
    const first = craftedCheckpoint(device as Signer, { run, number: 0, leaves, pending: '2' })
    const pack = await found(messagesOf(bundles.toSpliced(2, 1)), {
      about: range(0, 4),
      checkpoints: [first],
    })
    expect(told(pack)).toEqual(['does not hold', 'not shown', 1])
    expect(pack.missing).toMatchObject([{ run, first: 2, last: 2, fate: 'undecided' }])
  })

  it('is not "whole by log" beyond the positions that checkpoints list', async () => {
    const half = craftedCheckpoint(device as Signer, { run, number: 0, leaves: leaves.slice(0, 2) })
    const pack = await found(messagesOf(bundles.slice(0, 2)), { about: range(0, 4), checkpoints: [half] })
    expect(told(pack)).toEqual(['cannot tell', 'not shown', 0])
    expect(pack.needs).toContain('checkpoints')
  })

  it('is not "whole by log" if a checkpoint between two others was removed', async () => {
    const [first, , third] = [1, 2, 4].map((size, number) =>
      note({ number, leaves: leaves.slice(0, size), fromSize: [0, 1, 2][number] }),
    )
    const pack = await found(messagesOf(bundles), {
      about: range(0, 4),
      checkpoints: [first, third] as never,
    })
    expect(told(pack)[1]).toBe('not shown')
  })

  it('has the outcome "does not hold" if two checkpoints of the signer contradict each other', async () => {
    const twin = craftedBundle(device as Signer, { about: 'twin' })
    const forked = note({ leaves: [...leaves.slice(0, 3), twin.leaf] })
    const options = { about: range(0, 4), checkpoints: [note({}), forked] }
    const pack = await found(messagesOf([...bundles, twin]), options)
    expect(told(pack).slice(0, 2)).toEqual(['does not hold', 'not shown'])
    expect(pack.says).toContain('told its log in two ways')
  })

  it('is not "whole by log" if its checkpoints are of another signer or run', async () => {
    const elsewhere = [note({}, other as Signer), note({ run: runOf('b') })]
    const pack = await found(messagesOf(bundles), { about: range(0, 4), checkpoints: elsewhere })
    expect(told(pack).slice(0, 2)).toEqual(['cannot tell', 'not shown'])
  })

  it('is not "whole by log" if only a checkpoint of another signer calls the missing message "refused"', async () => {
    const pack = await found(messagesOf(bundles.slice(1)), {
      about: range(0, 4),
      checkpoints: [note({}), note({ number: 1, fromSize: 4, refused: '0' }, other as Signer)],
    })
    expect(told(pack)).toEqual(['does not hold', 'not shown', 1])
    expect(pack.verdict.whole).toMatchObject({ refused: 0, undecided: 0 })
  })

  it('has the same verdict whatever the order of its checkpoints, forked or not', async () => {
    const forked = note({ leaves: [...leaves.slice(0, 3), craftedBundle(device as Signer).leaf] })
    for (const notes of [
      [note({}), forked],
      [note({ pending: '1' }), note({ refused: '1' })],
    ]) {
      const [one, same] = await Promise.all(
        [notes, notes.toReversed()].map((checkpoints) =>
          found(messagesOf(bundles.toSpliced(1, 1)), { about: range(0, 4), checkpoints }),
        ),
      )
      expect(one?.verdict).toEqual(same?.verdict)
    }
  })
})

describe('a pack about a payload', () => {
  const good = craftedBundle(device as Signer)
  const bad = craftedBundle(device as Signer, { action: 'transit', says: { tls: false } })
  const name = bundlesName(about.payload) as string
  const both = [good.message, bad.message]
  const ids = (...some: readonly Crafted[]) => some.map(({ id }) => id)
  const sealed = async (given: readonly string[], holder = store, more: object = {}) =>
    (await sealSet(given, { signingKey: (holder as Signer).signingKey, name, ...more })).message

  it('is "whole by seal" if a signer with confirms: true in the policy has signed a set of exactly its bundles', async () => {
    const pack = await found(both, { about, sets: [await sealed(ids(good, bad))] })
    expect(told(pack)).toEqual(['holds', 'whole by seal', 0])
    expect(pack.verdict.whole.by).toBe(store?.keyId)
    expect(pack.says).toContain('whole by seal: a set that store has signed lists exactly these bundles')
  })

  // claim: packs-35
  it('is not "whole by seal" if only the older of two seals lists exactly its bundles', async () => {
    const seals = [await sealed(ids(good)), await sealed(ids(good, bad))]
    for (const sets of [seals, seals.toReversed()]) {
      expect(told(await found([good.message], { about, sets }))).toEqual(['does not hold', 'not shown', 1])
    }
  })

  it('is "whole by seal" if the newer of two seals lists exactly its bundles', async () => {
    const sets = [await sealed(ids(good)), await sealed(ids(good, bad))]
    expect(told(await found(both, { about, sets }))).toEqual(['holds', 'whole by seal', 0])
  })

  // claim: packs-34
  it('is not "whole by seal" if the device that signed its bundles also signed the seal, unless the policy permits that', async () => {
    const sets = [await sealed(ids(good), device)]
    const pack = await found([good.message], { about, sets })
    expect(told(pack)).toEqual(['holds', 'not shown', 0])
    expect(pack.says).toContain('device')
    expect(pack.says).toContain('confirms')
    const allowed = policyFor({ device: { confirms: true } })
    expect(told(await found([good.message], { about, sets }, allowed))[1]).toBe('whole by seal')
  })

  it('is not "whole by seal" for a reader who has public keys and no policy', async () => {
    const { bytes } = await packed([good.message], {
      about,
      trust: CONFIRMING,
      sets: [await sealed(ids(good))],
    })
    const keyring = [device, store, other].map((one) => (one as Signer).verifyingKey)
    const pack = await verifyPack(bytes, { keyring })
    expect(told(pack)).toEqual(['holds', 'not shown', 0])
    expect(pack.says).toContain('confirms')
  })

  it('is not "whole by seal" if a stranger signed the seal, whatever name the stranger has', async () => {
    const stranger = signer('store')
    const sets = [await sealed(ids(good), stranger)]
    const pack = await found([good.message], { about, sets })
    expect(told(pack).slice(0, 2)).toEqual(['cannot tell', 'not shown'])
  })

  it('is not "whole by seal" if a set of another trusted signer lists more bundles', async () => {
    const sets = [await sealed(ids(good)), await sealed(ids(good, bad), device)]
    expect(told(await found([good.message], { about, sets }))).toEqual(['does not hold', 'not shown', 1])
  })

  it('is not "whole by seal" if a second seal of the same size lists a different bundle', async () => {
    const sets = [await sealed(ids(good)), await sealed(ids(bad), other)]
    expect(told(await found([good.message], { about, sets }))).toEqual(['does not hold', 'not shown', 1])
  })

  it('is not "whole by seal" if the seal lists fewer bundles than the pack has', async () =>
    expect(told(await found(both, { about, sets: [await sealed(ids(good))] }))).toEqual([
      ...['holds', 'not shown', 0],
    ]))

  it('is not "whole by seal" if the set has another name than the seals of this payload', async () => {
    const elsewhere = { name: bundlesName({ hash: 'sha256', key: 'AB'.repeat(32) }) as string }
    for (const sets of [
      [await sealed(ids(good), store, elsewhere)],
      [await sealed(ids(good), store, { name: ` ${name}` })],
      [await sealed(ids(good), store, { name: `${name} ` })],
      [await sealed(ids(good), store, { name: name.toLowerCase() })],
    ]) {
      expect(told(await found([good.message], { about, sets }))).toEqual(['holds', 'not shown', 0])
    }
  })

  it('is not "whole by seal" if the seal is a salted set, whose items cannot be compared', async () => {
    const sets = [await sealed(ids(good), store, { salt: new Uint8Array(32) })]
    expect(told(await found([good.message], { about, sets }))).toEqual(['holds', 'not shown', 0])
    const larger = [
      await sealed(ids(good)),
      await sealed(ids(good, bad), store, { salt: new Uint8Array(32) }),
    ]
    expect(told(await found([good.message], { about, sets: larger }))).toEqual([
      'does not hold',
      'not shown',
      1,
    ])
  })

  it('is not "whole by seal" if its seal lists no bundles, and its messages are about other payloads', async () => {
    const elsewhere = craftedBundle(device as Signer, { about: 'another' })
    const pack = await found([elsewhere.message], { about, sets: [await sealed([], device)] })
    expect(told(pack)[1]).toBe('not shown')
  })

  it('is not "whole by seal" if the policy does not permit the signer of the seal to sign it', async () => {
    const forbidden = policyFor({ device: {}, store: { confirms: true, sets: ['training-*'] } })
    const pack = await found([good.message], { about, sets: [await sealed(ids(good))] }, forbidden)
    expect(told(pack).slice(0, 2)).toEqual(['does not hold', 'not shown'])
  })

  it('has the outcome "holds", and reports that a checkpoint lists absent messages, which may be about anything', async () => {
    const [mine, another] = [good, craftedBundle(device as Signer, { about: 'another' })]
    const note = craftedCheckpoint(device as Signer, {
      run: runOf('a'),
      number: 0,
      leaves: [mine.leaf, another.leaf],
      end: true,
    })
    const pack = await found([mine.message], { about, checkpoints: [note] })
    expect(told(pack)).toEqual(['holds', 'not shown', 0])
    expect(pack.says).toContain('checkpoints list 1 message that is not here')
    expect(pack.missing).toMatchObject([{ keyId: device?.keyId, first: 1, last: 1, fate: 'missing' }])
  })
})

describe('a pack about a set', () => {
  it('is "whole by proofs" if each payload has a bundle and a proof of membership in the signed set', async () => {
    const bundle = craftedBundle(device as Signer)
    const { message, set, list } = await sealSet([payload], { signingKey: (store as Signer).signingKey })
    const proofs = [{ set: set.id, key: about.payload.key, proof: proveMember(list, payload) }]
    const options = { about: { set: set.id }, sets: [message], proofs }
    const pack = await found([bundle.message], options)
    expect(told(pack)).toEqual(['holds', 'whole by proofs', 0])
    expect(pack.verdict.whole.by).toBe(store?.keyId)
    expect(told(await found([bundle.message], { ...options, proofs: [] }))).toEqual([
      ...['does not hold', 'not shown', 1],
    ])
    expect(told(await found([], options)).slice(1)).toEqual(['not shown', 1])
    expect(told(await found([bundle.message], { ...options, sets: [] })).slice(0, 2)).toEqual([
      ...['does not hold', 'not shown'],
    ])
    expect(told(await found([bundle.message], { about: { set: set.id } }))).toEqual([
      ...['cannot tell', 'not shown', 0],
    ])
  })
})
