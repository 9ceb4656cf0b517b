// @each-database

import { AlvariumError, cbor, classic, generateKey, memory, openSdk, source } from 'alvarium-sdk'
import type { Message } from 'alvarium-sdk/store'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { loggedSdk } from '../support/checkpoints.js'
import { failure } from '../support/failure.js'
import { onEachDatabase, type TestDatabase } from './databases.js'

/** Returns eight messages, and their checkpoints: one for each four, and the last one. */
async function logged(options: Parameters<typeof loggedSdk>[0] = {}) {
  const { sdk, keyring, messages, notes } = await loggedSdk(options, { every: 4 })
  for (let at = 0; at < 8; at++) await sdk.create(utf8(`payload ${at}`))
  await sdk.close()
  return { keyring, messages: [...messages], notes: [...notes] }
}

async function storeOf(
  database: TestDatabase,
  keyring: Awaited<ReturnType<typeof logged>>['keyring'],
  given: readonly Message[],
) {
  const store = await database.open({ keyring })
  await store.ingest(given)
  return store
}

describe('store.missing()', () => {
  onEachDatabase((database) => {
    // claim: store-9
    it('names missing messages by position until they arrive', async () => {
      const { keyring, messages, notes } = await logged()
      const store = await storeOf(database, keyring, [
        ...messages.filter((_, at) => at !== 2 && at !== 3),
        ...notes,
      ])
      const [report] = (await store.missing()).signers
      expect(report).toMatchObject({ verdict: 'incomplete', missing: [{ first: 2, last: 3, bundles: 2 }] })
      await store.ingest(messages)
      const whole = await store.missing()
      expect(whole.signers).toMatchObject([
        { verdict: 'complete', messages: 8, missing: [], prunedOrMissing: 0, isWhole: true },
      ])
      expect(whole.next).toBeUndefined()
    })

    // claim: store-13
    it('counts messages as unknown, and not as missing, if the checkpoint that lists them is missing too', async () => {
      const { keyring, messages, notes } = await logged()
      const store = await storeOf(database, keyring, [...messages, ...notes.slice(0, 2)])
      expect((await store.missing()).signers).toMatchObject([{ verdict: 'unknown', unknown: 4, missing: [] }])
    })

    it('includes messages of batches, with the number of bundles', async () => {
      const { sdk, keyring, messages, notes } = await loggedSdk({ batch: { maxBundles: 4 } }, { every: 1 })
      await sdk.createMany(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(utf8))
      await sdk.close()
      const store = await storeOf(database, keyring, [...messages.slice(1), ...notes])
      expect((await store.missing()).signers).toMatchObject([
        { verdict: 'incomplete', missing: [{ first: 0, last: 0, bundles: 4 }] },
      ])
      await store.ingest(messages)
      expect((await store.missing()).signers).toMatchObject([{ verdict: 'complete' }])
    })

    // claim: store-11
    it('counts stored messages even if the store trusts no public key any more', async () => {
      const single = await logged()
      const { sdk, keyring, messages, notes } = await loggedSdk({ batch: { maxBundles: 4 } }, { every: 1 })
      await sdk.createMany(['a', 'b', 'c', 'd'].map(utf8))
      await sdk.close()
      const all = [...single.messages.slice(1), ...single.notes, ...messages, ...notes]
      await storeOf(database, [...single.keyring, ...keyring], all)
      const { signers } = await (await database.open({ keyring: [] })).missing()
      expect(signers.map(({ verdict, messages }) => `${verdict} ${messages}`).sort()).toEqual([
        'complete 1',
        'incomplete 7',
      ])
    })

    it('works for bundles with inputs, messages in CBOR, and batches that arrive in parts', async () => {
      const { sdk, keyring, messages, notes } = await loggedSdk({ codec: cbor(), batch: {} }, { every: 2 })
      const readings = Array.from({ length: 5_000 }, (_, at) => utf8(`${at}`))
      await sdk.createMany(readings.slice(0, 1_100))
      await sdk.mutate(readings, utf8('report'))
      await sdk.close()
      const store = await database.open({ keyring, codec: cbor() })
      await store.ingest([...messages, ...notes])
      expect((await store.missing()).signers).toMatchObject([
        { verdict: 'complete', messages: messages.length, unlisted: [] },
      ])
    })

    it('returns the verdict "unknown" if the checkpoints list more messages than maxMessages, even if fewer are stored', async () => {
      const { keyring, messages, notes } = await logged()
      const store = await storeOf(database, keyring, [...messages.slice(0, 2), ...notes])
      expect((await store.missing({ maxMessages: 7 })).signers).toMatchObject([
        { verdict: 'unknown', isWhole: false, missing: [] },
      ])
      expect((await store.missing({ maxMessages: 8 })).signers).toMatchObject([
        { verdict: 'incomplete', isWhole: true, missing: [{ first: 2, last: 7 }] },
      ])
    })

    // claim: store-12
    it('returns the verdict "unknown" if more messages are stored than maxMessages, even if the checkpoints list fewer', async () => {
      const { keyring, messages, notes } = await logged()
      const store = await storeOf(database, keyring, [...messages, ...notes.slice(0, 2)])
      expect((await store.missing({ maxMessages: 7 })).signers).toMatchObject([
        { verdict: 'unknown', isWhole: false },
      ])
      expect((await store.missing({ maxMessages: 8 })).signers).toMatchObject([
        { verdict: 'unknown', isWhole: true },
      ])
    })

    it('rejects with the reason of its signal', async () => {
      const { keyring, messages, notes } = await logged()
      const store = await storeOf(database, keyring, [...messages, ...notes])
      const reason = new Error('enough')
      await expect(store.missing({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    })

    it('returns an empty list for an empty store', async () => {
      const store = await database.open()
      expect(await store.missing()).toEqual({ signers: [] })
    })

    // claim: store-10
    it('does not list pruned messages, and counts messages that may be from a pruned batch as unknown', async () => {
      const single = await logged()
      const { sdk, keyring, messages, notes } = await loggedSdk({ batch: { maxBundles: 4 } }, { every: 1 })
      await sdk.createMany(['a', 'b', 'c', 'd'].map(utf8))
      await sdk.close()
      const store = await storeOf(database, [...single.keyring, ...keyring], [])
      const all = [...single.messages, ...single.notes, ...messages, ...notes]
      await store.ingest(all.map((message) => ({ message, receivedAt: Date.now() - 1_000 })))
      await store.prune({ before: Date.now() - 500 })
      const { signers } = await store.missing()
      expect(signers.map(({ missing, missingInGaps }) => [missing, missingInGaps])).toEqual([
        [[], 0],
        [[], 0],
      ])
      expect(signers.map(({ verdict, prunedOrMissing }) => `${verdict} ${prunedOrMissing}`).sort()).toEqual([
        'complete 0',
        'unknown 1',
      ])
    })

    it('does not report pruned messages as missing, even if no stored checkpoint lists them', async () => {
      const { keyring, messages, notes } = await logged()
      const store = await storeOf(database, keyring, [])
      const all = [...messages, ...notes.toSpliced(1, 1)]
      await store.ingest(all.map((message) => ({ message, receivedAt: Date.now() - 1_000 })))
      await store.prune({ before: Date.now() - 500 })
      expect((await store.missing()).signers).toMatchObject([
        { verdict: 'unknown', gaps: [{ first: 0, last: 3 }], missing: [], missingInGaps: 0 },
      ])
    })

    it('includes messages that were signed after the pruned ones', async () => {
      const old = await logged()
      const { keyring, messages, notes } = await logged()
      const store = await storeOf(database, [...old.keyring, ...keyring], [])
      const received = Date.now() - 7_200_000
      await store.ingest(old.messages.map((message) => ({ message, receivedAt: received })))
      expect(await store.prune({ before: received + 1 })).toMatchObject({ bundles: 8 })
      await store.ingest([...messages.slice(1), ...notes])
      expect((await store.missing()).signers).toMatchObject([
        { verdict: 'incomplete', prunedOrMissing: 0, missing: [{ first: 0, last: 0 }] },
      ])
    })

    it('does not report the message of a forgotten payload as missing', async () => {
      const { keyring, messages, notes } = await logged()
      const store = await storeOf(database, keyring, [...messages, ...notes])
      expect(await store.forget(utf8('payload 2'))).toMatchObject({ bundles: 1 })
      expect((await store.missing()).signers).toMatchObject([
        { verdict: 'complete', messages: 7, prunedOrMissing: 0, missing: [] },
      ])
    })

    it('excludes classic messages, which are in no log', async () => {
      const { signingKey, verifyingKey } = generateKey()
      const { sdk, messages, notes } = await loggedSdk({ signingKey }, { every: 1 })
      await sdk.create(utf8('ours'))
      await sdk.close()
      const codec = classic({ signingKey, dialect: 'go' })
      const stream = memory()
      const other = await openSdk({ signingKey, annotators: [source()], stream, codec })
      await other.create(utf8('theirs'))
      await other.close()
      const store = await database.open({ keyring: [verifyingKey], classic: true })
      expect(await store.ingest([...messages, ...stream.messages, ...notes])).toMatchObject({ bundles: 2 })
      expect((await store.missing()).signers).toMatchObject([{ verdict: 'complete', messages: 1 }])
    })

    it('returns the signers page by page', async () => {
      const some = [await logged(), await logged(), await logged()]
      const keyring = some.flatMap((one) => one.keyring)
      const store = await storeOf(
        database,
        keyring,
        some.flatMap(({ messages, notes }) => [...messages, ...notes]),
      )
      const first = await store.missing({ limit: 2 })
      const second = await store.missing({ limit: 2, after: first.next })
      expect([first.signers.length, second.signers.length, second.next]).toEqual([2, 1, undefined])
      const ids = [...first.signers, ...second.signers].map(({ signer }) => signer)
      expect(ids).toEqual([...ids].sort())
      const [id = ''] = ids
      expect((await store.missing({ signer: id })).signers.map(({ signer }) => signer)).toEqual([id])
      const refused = await failure(() => store.missing({ signer: 'somebody' }))
      expect(refused).toBeInstanceOf(AlvariumError)
      expect(refused).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('signer') })
    })
  })
})
