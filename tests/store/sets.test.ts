// @each-database

import { keyOf, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { memberProofs, verifyPack } from 'alvarium-sdk/packs'
import { readPolicy } from 'alvarium-sdk/score'
import { sealSet, verifySet } from 'alvarium-sdk/sets'
import type { Store } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { packed } from '../support/packs.js'
import { key, keyring, opened } from '../support/sdk.js'
import { onEachDatabase } from './databases.js'

const model = utf8('model')
const images = Array.from({ length: 40 }, (_, at) => utf8(`image ${at}`))

/** Stores statements about all images, a bad one about one of them, and the model made from their set. */
async function trained(store: Store, bad: number) {
  const stream = memory()
  const bytesOf = (payload?: Uint8Array) => new TextDecoder().decode(payload)
  const isSatisfied = ({ payload }: { payload: Uint8Array | undefined }) =>
    bytesOf(payload) !== `image ${bad}`
  const sharp = { kind: 'sharp', needs: 'payload' as const, isSatisfied }
  const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source(), sharp], stream })
  await sdk.createMany(images)
  const sealed = await sealSet(images, { signingKey: key.signingKey, name: 'training-7' })
  await sdk.mutate([{ set: sealed.set.id }], model)
  await sdk.close()
  await store.ingest(stream.messages)
  return sealed
}

onEachDatabase((database) => {
  it.each([
    [-1, 1],
    [7, 0],
  ])(
    'a model made from a set has a score only if the list of the set is given (bad image: %i, score: %i)',
    async (bad, score) => {
      const store = await database.open()
      const { message, set, list } = await trained(store, bad)
      const policy = { version: 1, required: ['sharp'] } as const
      expect((await store.score(model, { policy: await readPolicy(policy) })).score).toBe('unknown')
      const sets = new Map([[set.id, list.keys()]])
      const { why, ...scored } = await store.why(model, { policy: await readPolicy(policy), sets })
      expect([scored.score, why.ancestors.length, why.gaps]).toEqual([score, images.length, []])

      const messages = []
      for await (const one of store.export()) messages.push(one.message)
      const proofs = [...memberProofs(await verifySet(message, { keyring }), list)]
      const about = { payload: { hash: 'sha256', key: keyOf(model) } } as const
      const trust = { signers: [{ name: 'trainer', keys: [toHex(key.verifyingKey)] }] }
      const pack = await packed(messages, { about, trust, score: policy, sets: [message], proofs })
      expect(await verifyPack(pack.bytes, { keyring })).toMatchObject({
        outcome: 'holds',
        verdict: { score },
      })
    },
  )

  it('a payload has the score 0 if it was made from a set that lists a payload about which no bundle is stored', async () => {
    const store = await database.open()
    const { set, list } = await trained(store, -1)
    const heard = keyOf(utf8('never heard of'))
    const { score, why } = await store.why(model, { sets: new Map([[set.id, [...list.keys(), heard]]]) })
    expect([score, why.ancestors.length]).toEqual([0, images.length + 1])
    expect(why.ancestors[0]).toEqual({ hash: 'sha256', key: heard, depth: 1, score: 0 })
  })

  it("store.score counts the inputs of a set's payloads as ancestors", async () => {
    const store = await database.open()
    const { set, list } = await trained(store, 7)
    const sets = new Map([[set.id, list.keys()]])
    const { sdk, stream } = await opened([source()])
    await sdk.mutate([{ set: 'ab'.repeat(32) }], utf8('image 8'))
    await sdk.close()
    await store.ingest(stream.messages)
    const { why } = await store.why(model, { sets })
    expect(why.gaps).toEqual([{ hash: 'sha256', key: keyOf(utf8('image 8')), gap: 'set' }])
  })

  it('store.score counts the payloads of a set towards the limit, and not the set', async () => {
    const store = await database.open()
    const { set, list } = await trained(store, -1)
    // Each key counts once, however often it is listed.
    const sets = new Map([[set.id, [...list.keys(), ...list.keys()]]])
    const scores = [images.length - 1, images.length].map((limit) => store.score(model, { sets, limit }))
    expect((await Promise.all(scores)).map(({ score }) => score)).toEqual(['unknown', 1])
  })

  it('store.score refuses the keys of a set as an iterator, which would be empty the second time', async () => {
    const store = await database.open()
    const named = (keys: unknown) => new Map([['ab'.repeat(32), keys]])
    for (const [sets, message] of [
      [{ ab: [] }, 'a Map of payload keys by set id'],
      [new Map([['AB', []]]), 'ids of sets, 64 lower-case hexadecimal digits, got a string'],
      [named('text'), 'such as keys() of its KeyList, got a string'],
      [named(7), 'such as keys() of its KeyList, got a number'],
      [named([].values()), 'such as keys() of its KeyList, got an iterator, which can be read only once'],
    ]) {
      const refused = store.score(model, { sets: sets as never })
      await expect(refused).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(String(message)),
      })
    }
  })
})
