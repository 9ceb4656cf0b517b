import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import type { Store } from 'alvarium-sdk/store'
import { expect, it } from 'vitest'
import { patient } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { onOneDatabase } from './databases.js'

const HOUR = 3_600_000
const START = Date.UTC(2026, 10, 24)
/** Messages of a signer in an hour, with a checkpoint for each four. */
const HOURLY = 8

interface SignedRun {
  readonly verifyingKey: Uint8Array
  readonly messages: readonly Uint8Array[]
  readonly notes: readonly Uint8Array[]
}

/** Signs the messages and checkpoints of one run of a signer, which lasts for some hours. */
async function signRun(hours: number, batch = 1): Promise<SignedRun> {
  const { signingKey, verifyingKey } = generateKey()
  const [stream, notes] = [memory(), memory()]
  const own = checkpoints({ stream: notes, everyMs: HOUR, every: 4 })
  const batched = batch > 1 ? { batch: { ...patient, maxBundles: batch } } : {}
  const options = { signingKey, annotators: [source()], stream, checkpoints: own, ...batched }
  const sdk = await openSdk(options)
  for (let at = 0; at < hours * HOURLY; at++) {
    await sdk.createMany(Array.from({ length: batch }, (_, one) => utf8(`${at} ${one}`)))
  }
  await sdk.close()
  return { verifyingKey, messages: stream.messages, notes: notes.messages }
}

/** Stores what came in each hour, but for some messages and checkpoints. A checkpoint comes with the next four messages. */
async function ingestHours(
  store: Store,
  { messages, notes }: SignedRun,
  lost: readonly Uint8Array[] = [],
): Promise<void> {
  for (let hour = 0; hour * HOURLY < messages.length; hour++) {
    const end = (hour + 1) * HOURLY
    const some = messages.slice(end - HOURLY, end)
    const lists = notes.slice((end - HOURLY) / 4, end < messages.length ? end / 4 : undefined)
    const came = [...some, ...lists].filter((message) => !lost.includes(message))
    await store.ingest(came.map((message) => ({ message, receivedAt: START + hour * HOUR })))
  }
}

const since = START + 3 * HOUR

onOneDatabase((database) => {
  const stored = async (one: SignedRun, lost: readonly (Uint8Array | undefined)[] = []): Promise<Store> => {
    const store = await database.open({ keyring: [one.verifyingKey] })
    await ingestHours(store, one, lost as Uint8Array[])
    return store
  }

  // claim: store-57
  it('store.missing({ since }) reads only the messages received since then, and the last checkpoint before that time', async () => {
    const store = await stored(await signRun(4, 150))
    const [report] = (await store.missing({ since })).signers
    expect(report).toMatchObject({ verdict: 'complete in part', outcome: 'holds', since: new Date(since) })
    expect(report?.says).toMatch(
      /^all that the checkpoints of [\da-f]{32} list that came since 2026-11-24T03/,
    )
    expect(report?.runs).toMatchObject([{ size: 32, before: 16 }])
    expect(report?.messages).toBeLessThan(20)
    const [whole] = (await store.missing()).signers
    expect(whole).toMatchObject({ verdict: 'complete', messages: 32 })
    expect(whole).not.toHaveProperty('since')
  })

  it.each(['message', 'checkpoint'])(
    'store.missing({ since }) reports the loss of a later %s as store.missing() does',
    async (lost) => {
      const one = await signRun(4)
      const store = await stored(one, [lost === 'message' ? one.messages[25] : one.notes[7]])
      const { signers } = await store.missing({ since })
      expect(signers).toEqual((await store.missing()).signers)
      expect(signers[0]?.verdict).toBe(lost === 'message' ? 'incomplete' : 'unknown')
    },
  )

  // claim: store-58
  it('store.missing({ since }) does not report a message that was lost before that time', async () => {
    const one = await signRun(4)
    const store = await stored(one, [one.messages[2]])
    expect((await store.missing({ since })).signers).toMatchObject([{ verdict: 'complete in part' }])
    expect((await store.missing()).signers).toMatchObject([{ verdict: 'incomplete' }])
  })

  it('store.missing({ since }) reports an earlier loss that a late checkpoint reveals', async () => {
    const one = await signRun(4)
    const store = await stored(one, [one.notes[2], one.messages[2]])
    await store.ingest([{ message: one.notes[2] as Uint8Array, receivedAt: since + HOUR }])
    expect((await store.missing({ since: since + 1 })).signers).toMatchObject([{ verdict: 'incomplete' }])
  })

  // claim: store-59
  it('store.missing({ since }) leaves out signers without a checkpoint received since then', async () => {
    const store = await stored(await signRun(3))
    expect(await store.missing({ since })).toEqual({ signers: [] })
    expect((await store.missing({ since: since - HOUR })).signers).toHaveLength(1)
    expect((await store.missing()).signers).toHaveLength(1)
  })

  it('store.missing({ since }) returns signers page by page, and refuses the option witnesses', async () => {
    const some = [await signRun(1), await signRun(1), await signRun(1)]
    const store = await database.open({ keyring: some.map((one) => one.verifyingKey) })
    for (const one of some) await ingestHours(store, one)
    const first = await store.missing({ since: START, limit: 2 })
    const second = await store.missing({ since: START, limit: 2, after: first.next })
    expect([first.signers.length, second.signers.length, second.next]).toEqual([2, 1, undefined])
    const witnesses = ['w+0011223344556677+none']
    expect(await codeOf(() => store.missing({ since: START, witnesses }))).toBe('CONFIG_INVALID')
  })
})
