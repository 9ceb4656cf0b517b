import { keyOf, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { readPolicy } from 'alvarium-sdk/judge'
import { memberProofs, verifyPack } from 'alvarium-sdk/packs'
import { sealSet, verifySet } from 'alvarium-sdk/sets'
import type { Store } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { packed } from '../support/packs.js'
import { key, keyring } from '../support/sdk.js'
import { onEachDatabase } from './databases.js'

const model = utf8('model')
const images = Array.from({ length: 40 }, (_, at) => utf8(`image ${at}`))

/** What was said of all images, of one of them badly, and of the model that was made from their set. */
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
    [-1, 10_000],
    [7, 0],
  ])(
    'a model made from a set is unknown to the store, and scored by a pack of its export with the list',
    async (bad, score) => {
      const store = await database.open()
      const { message, list } = await trained(store, bad)
      const policy = { version: 1, required: ['sharp'] } as const
      expect((await store.score(model, { policy: await readPolicy(policy) })).score).toBe('unknown')

      const messages = []
      for await (const one of store.export()) messages.push(one.message)
      const proofs = [...memberProofs(await verifySet(message, { keyring }), list)]
      const about = { payload: { hash: 'sha256', key: keyOf(model) } } as const
      const trust = { signers: [{ name: 'trainer', keys: [toHex(key.verifyingKey)] }] }
      const pack = await packed(messages, { about, trust, score: policy, sets: [message], proofs })
      expect(await verifyPack(pack.bytes, { keyring })).toMatchObject({ isGood: true, verdict: { score } })
    },
  )
})
