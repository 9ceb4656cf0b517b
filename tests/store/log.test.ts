// @each-database

import { generateKey, signBytes, source, verifyBatch } from 'alvarium-sdk'
import { verifyLogConsistency, verifyLogProof } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { keyring, opened } from '../support/sdk.js'
import { onEachDatabase } from './databases.js'

const { signingKey } = generateKey()
const log = { origin: 'example.com/store-1', signingKey }

async function batch(count: number, name = 'reading') {
  const { sdk, stream } = await opened([source()])
  await sdk.createMany(Array.from({ length: count }, (_, at) => utf8(`${name} ${at}`)))
  await sdk.close()
  const bundles = await Promise.all(stream.messages.map((message) => verifyBatch(message, { keyring })))
  return { messages: stream.messages, ids: bundles.flat().map(({ id }) => id) }
}

onEachDatabase((database) => {
  it('store.checkpoint signs the number of entries in the log, and the root over them', async () => {
    const store = await database.open({ log })
    await store.ingest((await batch(3)).messages)
    const checkpoint = await store.checkpoint()
    expect(checkpoint).toMatchObject({
      origin: log.origin,
      size: 3,
      root: expect.stringMatching(/^[\da-f]{64}$/),
    })
    expect(checkpoint.note).toMatch(
      /^example\.com\/store-1\n3\n[A-Za-z0-9+/]{43}=\n\n— example\.com\/store-1 \S+\n$/,
    )
    expect(await store.checkpoint()).toEqual(checkpoint)
  })

  it('store.prove proves that an entry is in the log, for each entry of a log of several tiles', async () => {
    const store = await database.open({ log })
    const vkey = store.vkey as string
    const first = await batch(300)
    await store.ingest(first.messages)
    const older = await store.checkpoint()
    const second = await batch(70, 'later')
    await store.ingest(second.messages)
    expect(await store.prove(second.ids[0] as string)).toBe(undefined)
    const newer = await store.checkpoint()
    const ids = [...first.ids, ...second.ids]
    for (const at of [0, 1, 254, 255, 256, 299, 300, 369]) {
      const id = ids[at] as string
      const proof = (await store.prove(id)) as string
      expect(verifyLogProof(proof, { id, vkey })).toMatchObject({ index: at, size: 370, root: newer.root })
      const another = ids[(at + 1) % ids.length] as string
      expect(await codeOf(() => verifyLogProof(proof, { id: another, vkey }))).toBe('PROOF_INVALID')
      const moved = proof.replace(`index ${at}\n`, `index ${at + 1}\n`)
      expect(await codeOf(() => verifyLogProof(moved, { id, vkey }))).toBe('PROOF_INVALID')
    }
    const growth = await store.proveGrowth(older.note)
    const given = { older: older.note, newer: newer.note, path: growth?.path ?? [], vkey }
    expect(growth?.checkpoint).toBe(newer.note)
    verifyLogConsistency(given)
    expect(await codeOf(() => verifyLogConsistency({ ...given, path: given.path.slice(1) }))).toBe(
      'PROOF_INVALID',
    )
    expect(await codeOf(() => verifyLogConsistency({ ...given, newer: older.note, older: newer.note }))).toBe(
      'PROOF_INVALID',
    )
  })

  it('verifyLogConsistency refuses another log of the same size', async () => {
    const notes: string[] = []
    for (const name of ['one', 'other']) {
      const store = await database.open({ log })
      await store.ingest((await batch(3, name)).messages)
      const { note, size } = await store.checkpoint()
      notes.push(note)
      expect(size).toBe(3)
      await store.close()
      await database.query('drop schema alvarium cascade')
    }
    const { vkey = '' } = await database.open({ log })
    const [older, newer] = notes as [string, string]
    verifyLogConsistency({ older, newer: older, path: [], vkey })
    for (const path of [[], ['00'.repeat(32)]])
      expect(await codeOf(() => verifyLogConsistency({ older, newer, path, vkey }))).toBe('PROOF_INVALID')
  })

  it('the log of a store has the same root if the store writes its tiles in several steps', async () => {
    const whole = await database.open({ log })
    await whole.ingest((await batch(600)).messages)
    const { root } = await whole.checkpoint()
    await whole.close()
    await database.query('delete from alvarium.tile')
    await database.query('delete from alvarium.checkpoint')
    for (const size of [1, 255, 256, 257, 512, 599, 600]) {
      await database.query('update alvarium.head set leaves = $1', [size])
      const store = await database.open({ log })
      expect((await store.checkpoint()).size).toBe(size)
      if (size === 600) expect((await store.checkpoint()).root).toBe(root)
      await store.close()
    }
  })

  it('a store signs its log after a number of entries, and again when it is closed', async () => {
    const store = await database.open({ log: { ...log, every: 2, everyMs: 3_600_000 } })
    const sizes = async () =>
      (await database.query('select size from alvarium.checkpoint order by size')).map(({ size }) =>
        Number(size),
      )
    await store.ingest((await batch(1, 'a')).messages)
    expect(await sizes()).toEqual([])
    await store.ingest((await batch(1, 'b')).messages)
    expect(await sizes()).toEqual([2])
    await store.ingest((await batch(3, 'c')).messages)
    expect(await sizes()).toEqual([2, 5])
    await store.ingest((await batch(1, 'd')).messages)
    await store.close()
    expect(await sizes()).toEqual([2, 5, 6])
  })

  it('a store signs no further checkpoint after its tiles were altered, even if messages are ingested later', async () => {
    const store = await database.open({ log })
    await store.ingest((await batch(300)).messages)
    await store.checkpoint()
    await database.query('update alvarium.tile set hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0))')
    expect(await codeOf(() => store.checkpoint())).toBe('STORE_DAMAGED')
    await store.ingest((await batch(1, 'later')).messages)
    expect(await codeOf(() => store.checkpoint())).toBe('STORE_DAMAGED')
    await store.close().catch(() => undefined)
  })

  it('a store signs its log when it is closed if the signer failed earlier', async () => {
    const signer = generateKey()
    let isAway = true
    const sign = async (bytes: Uint8Array) => {
      if (isAway) throw new Error('the key is away')
      return signBytes(signer.signingKey, bytes)
    }
    const kms = { verifyingKey: signer.verifyingKey, sign }
    const store = await database.open({ log: { ...log, signingKey: kms, every: 3, everyMs: 3_600_000 } })
    await store.ingest((await batch(3)).messages)
    isAway = false
    await store.close()
    expect(await database.query('select size::integer from alvarium.checkpoint')).toEqual([{ size: 3 }])
  })

  it('a store signs its log every `everyMs` milliseconds if there are new entries', async () => {
    const store = await database.open({ log: { ...log, everyMs: 100 } })
    await store.ingest((await batch(1)).messages)
    await expect
      .poll(async () => (await database.query('select size from alvarium.checkpoint')).length)
      .toBe(1)
  })

  // claim: algorithms-7
  it('a store refuses options with which it cannot sign, and signs nothing without a key', async () => {
    const store = await database.open()
    expect(store.vkey).toBe(undefined)
    expect(await codeOf(() => store.checkpoint())).toBe('CONFIG_INVALID')
    expect(await codeOf(() => store.prove('ab'))).toBe('CONFIG_INVALID')
    for (const origin of ['', 'with space', 'with+plus']) {
      expect(await codeOf(() => database.open({ log: { origin, signingKey } }))).toBe('CONFIG_INVALID')
    }
    const p256 = await generateKey({ algorithm: 'P-256' })
    const other = { ...log, signingKey: p256.signingKey }
    expect(await codeOf(() => database.open({ log: other }))).toBe('CONFIG_INVALID')
  })
})
