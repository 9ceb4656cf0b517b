// @alone

import {
  AlvariumError,
  cbor,
  classic,
  generateKey,
  identityBytes,
  memory,
  openSdk,
  type SdkOptions,
  type StreamProvider,
  signBytes,
  source,
} from 'alvarium-sdk'
import { checkpoints, type VerifiedCheckpoint, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { pool } from 'alvarium-sdk/pool'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fromHex, textOf } from '../support/bytes.js'
import { loggedSdk } from '../support/checkpoints.js'
import { deferred } from '../support/deferred.js'
import { digest } from '../support/digest.js'
import { openLogged } from '../support/leased.js'
import { trustOf } from '../support/trust.js'

const payload = Uint8Array.of(1)
const idsOf = (some: readonly VerifiedCheckpoint[]) =>
  some.flatMap(({ entries }) => entries.map(({ id }) => id))
/** Returns a message's expected entry in a list, computed by FORMAT.md independently. */
const entryOf = (message: Uint8Array) =>
  digest('sha256', Uint8Array.from([0, ...identityBytes(message)]))
    .slice(0, 16)
    .toLowerCase()

afterEach(() => {
  vi.useRealTimers()
})

describe('an SDK with checkpoints', () => {
  const signer = () => {
    const { signingKey, verifyingKey } = generateKey()
    return { verifyingKey, sign: async (identity: Uint8Array) => signBytes(signingKey, identity) }
  }

  it('publishes further checkpoints although an earlier one is never acknowledged', async () => {
    const { signingKey } = generateKey()
    const asked: number[] = []
    const logged = deferred<AlvariumError>()
    const silent: StreamProvider = {
      publish: () => new Promise<void>((resolve) => void (asked.push(1) > 1 && resolve())),
    }
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (at: object) => logged.resolve(Reflect.get(at, 'err')),
    }
    const own = checkpoints({ stream: silent, every: 1 })
    const options = { annotators: [source()], stream: memory(), logger, streamTimeoutMs: 1 }
    const sdk = await openSdk({ signingKey, ...options, checkpoints: own })
    await sdk.create(payload)
    expect((await logged.promise).code).toBe('STREAM_TIMEOUT')
    await sdk.close()
    expect(asked.length).toBeGreaterThan(1)
  })

  it.each<[string, Partial<SdkOptions>]>([
    ['single calls', {}],
    ['a batch', { batch: { maxBundles: 2 } }],
    ['CBOR', { codec: cbor() }],
  ])('lists the messages that it signs, in order: %s', async (_, options) => {
    const { sdk, messages, read } = await loggedSdk(options, { every: 3 })
    for (let at = 0; at < 2; at++)
      await Promise.all([1, 2, 3, 4].map((one) => sdk.create(Uint8Array.of(at, one))))
    await sdk.createMany([payload, payload])
    await sdk.close()
    const all = await read()
    const json = options.codec ? messages.map((message) => cbor().decode(message)) : messages
    expect(idsOf(all)).toEqual(json.map(entryOf))
    expect(all.map(({ number }) => number)).toEqual(all.map((_, at) => at))
    for (const [at, { from }] of all.entries()) {
      if (at > 0) expect(from).toMatchObject({ size: all[at - 1]?.size, root: all[at - 1]?.root })
    }
    expect(all.map(({ isLast }) => isLast)).toEqual([...Array(all.length - 1).fill(false), true])
    expect([all[0]?.size, all.at(-1)?.pending]).toEqual([0, []])
  })

  it.each([
    ['an external signer', async () => signer()],
    ['a P-256 key', async () => await generateKey({ algorithm: 'P-256' })],
  ])('signs its checkpoints with the key of its bundles: %s', async (_, make) => {
    const made = await make()
    const signingKey = 'sign' in made ? made : made.signingKey
    const { sdk, notes, messages } = await loggedSdk({ signingKey }, { every: 2 })
    for (let at = 0; at < 3; at++) await sdk.create(payload)
    await sdk.createMany([payload, payload])
    await sdk.close()
    const keyring = [made.verifyingKey]
    const all = await Promise.all(notes.map((note) => verifyCheckpoint(note, { keyring })))
    expect(idsOf(all)).toEqual(messages.map(entryOf))
    expect(all.flatMap(({ entries }) => entries.map(({ bundles }) => bundles))).toEqual([1, 1, 1, 2])
  })

  // claim: completeness-7
  it('lists messages that workers sign, alone or in batches, in the order of arrival', async () => {
    const workers = await pool({ workers: 2 })
    const { sdk, messages, read } = await loggedSdk({ pool: workers }, { every: 8 })
    await Promise.all(Array.from({ length: 40 }, (_, at) => sdk.create(Uint8Array.of(at))))
    await sdk.createMany([payload, payload])
    await sdk.create(payload)
    await sdk.close()
    await workers.close()
    const all = await read()
    expect(idsOf(all)).toEqual(messages.map(entryOf))
    expect(all.at(-1)).toMatchObject({ size: 42, isLast: true, pending: [], refused: [] })
    const leaves = messages.map((message) => Uint8Array.from([0, ...identityBytes(message)]))
    expect(all.at(-1)?.root).toBe(rootOf(leaves.map((leaf) => digest('sha256', leaf).toLowerCase())))
  })

  it('lists the log entries of messages that workers sign under a lease', async () => {
    const workers = await pool({ workers: 1 })
    const { sdk, messages, notes, leases } = await openLogged({}, { every: 8 }, { pool: workers })
    await Promise.all(Array.from({ length: 10 }, (_, at) => sdk.create(Uint8Array.of(at))))
    await sdk.close()
    await workers.close()
    const options = { keyring: await trustOf(), leases }
    const all = await Promise.all(notes.map((note) => verifyCheckpoint(note, options)))
    const leaves = all.flatMap(({ entries }) => entries.map(({ leaf }) => leaf?.slice(0, 16)))
    expect(leaves).toEqual(messages.map(entryOf))
  })

  it('lists the messages that the stream refused, and those that are still pending', async () => {
    const answers = [deferred<void>(), deferred<void>(), deferred<void>()]
    const given = answers.values()
    const stream: StreamProvider = { publish: () => given.next().value?.promise }
    const { sdk, read, notes } = await loggedSdk({ stream }, { every: 3 })
    const calls = [1, 2, 3].map((one) => sdk.create(Uint8Array.of(one)))
    await vi.waitFor(() => expect(notes.length).toBe(2))
    expect((await read())[1]?.pending).toEqual([{ first: 0, last: 2 }])
    answers[1]?.reject(new AlvariumError('STREAM_TIMEOUT', 'no answer'))
    for (const at of [0, 2]) answers[at]?.resolve()
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    await sdk.close()
    expect((await read()).at(-1)).toMatchObject({ size: 3, pending: [], refused: [{ first: 1, last: 1 }] })
  })

  it('lists refused and pending messages of calls that are made one after the other', async () => {
    const answers = [deferred<void>(), deferred<void>()]
    const given = answers.values()
    const stream: StreamProvider = { publish: () => given.next().value?.promise }
    const { sdk, read, notes } = await loggedSdk({ stream }, { every: 1 })
    const refused = sdk.create(payload)
    await vi.waitFor(() => expect(notes.length).toBe(2))
    answers[0]?.reject(new AlvariumError('STREAM_TIMEOUT', 'no answer'))
    await expect(refused).rejects.toMatchObject({ code: 'STREAM_TIMEOUT' })
    answers[1]?.resolve()
    await sdk.create(payload)
    await sdk.close()
    const all = await read()
    expect(all[1]?.pending).toEqual([{ first: 0, last: 0 }])
    expect(all.flatMap((one) => one.refused)).toEqual([{ first: 0, last: 0 }])
    expect(all.at(-1)).toMatchObject({ size: 2, pending: [] })
  })

  it('lists messages in an outbox as pending until the stream has accepted them', async () => {
    const arrivals = [deferred<void>(), deferred<void>()]
    const given = arrivals.values()
    const stream: StreamProvider = { publish: () => ({ delivered: given.next().value?.promise }) }
    const { sdk, read, notes } = await loggedSdk({ stream }, { every: 2 })
    await sdk.create(payload)
    await sdk.create(payload)
    await vi.waitFor(() => expect(notes.length).toBe(2))
    expect((await read())[1]?.pending).toEqual([{ first: 0, last: 1 }])
    arrivals[0]?.resolve()
    arrivals[1]?.reject(new Error('dropped'))
    await arrivals[1]?.promise.catch(() => {})
    await sdk.close()
    expect((await read()).at(-1)).toMatchObject({ pending: [], refused: [{ first: 1, last: 1 }] })
  })

  it('lists as refused the message of a cancelled call, and a message that could not be signed', async () => {
    const { signingKey, verifyingKey } = generateKey()
    const waiting = [deferred<void>(), deferred<void>()]
    const given = waiting.values()
    let asked = 0
    const sign = async (identity: Uint8Array) => {
      if (textOf(identity).startsWith('alvarium.')) {
        asked++
        await given.next().value?.promise
      }
      return signBytes(signingKey, identity)
    }
    const { sdk, notes } = await loggedSdk({ signingKey: { verifyingKey, sign } })
    const controller = new AbortController()
    const cancelled = sdk.create(payload, { signal: controller.signal })
    await vi.waitFor(() => expect(asked).toBe(1))
    const unsigned = sdk.create(payload)
    await vi.waitFor(() => expect(asked).toBe(2))
    controller.abort(new Error('enough'))
    await expect(cancelled).rejects.toThrow('enough')
    waiting[0]?.resolve()
    waiting[1]?.reject(new Error('the module is gone'))
    await expect(unsigned).rejects.toMatchObject({ code: 'SIGNER_FAILED' })
    await sdk.close()
    const last = await verifyCheckpoint(notes.at(-1) as Uint8Array, { keyring: [verifyingKey] })
    expect(last).toMatchObject({ size: 2, pending: [], refused: [{ first: 0, last: 1 }] })
  })

  // claim: completeness-1
  it('signs a checkpoint everyMs after the previous checkpoint if there are new messages', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { sdk, notes } = await loggedSdk({}, { everyMs: 10_000 })
    await sdk.create(payload)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(notes.length).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(notes.length).toBe(2)
    await vi.advanceTimersByTimeAsync(100_000)
    expect(notes.length).toBe(2)
    await sdk.close()
  })

  it('names the previous run if the application passes the last checkpoint of that run', async () => {
    const first = await loggedSdk()
    await first.sdk.create(payload)
    await first.sdk.close()
    const [last] = (await first.read()).slice(-1)
    const { signingKey, keyring } = first
    const { sdk, notes } = await loggedSdk({ signingKey }, { after: first.notes.at(-1) as Uint8Array })
    await sdk.close()
    const before = { run: last?.run, size: 1, root: last?.root }
    const read = notes.map(async (note) => (await verifyCheckpoint(note, { keyring })).after)
    expect(await Promise.all(read)).toEqual([before, before])
  })

  it("does not name a run of a different signing key as the previous run, even if it is given that run's last checkpoint", async () => {
    const first = await loggedSdk()
    await first.sdk.create(payload)
    await first.sdk.close()
    const { sdk, read } = await loggedSdk({}, { after: first.notes.at(-1) as Uint8Array })
    await sdk.close()
    expect((await read()).map(({ after }) => after)).toEqual([undefined, undefined])
  })

  // claim: completeness-9, own-code-10
  it('continues, and logs an error, if a checkpoint cannot be published or its stream cannot be closed', async () => {
    const errors: string[] = []
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (_: unknown, text = '') => void errors.push(text),
    }
    const stream = {
      publish: () => Promise.reject(new Error('gone')),
      close: () => Promise.reject(new Error('gone')),
    }
    const { sdk, messages } = await loggedSdk({ logger }, { stream })
    await sdk.create(payload)
    await sdk.close()
    expect(messages.length).toBe(1)
    const unpublished = expect.stringContaining('a checkpoint could not be published')
    expect(errors).toEqual([unpublished, unpublished, 'checkpoints.stream.close: failed: gone'])
  })

  // claim: completeness-8
  it('refuses a classic codec, and checkpoints without a stream', async () => {
    const { signingKey } = generateKey()
    const common = { annotators: [source()], stream: memory(), signingKey }
    const own = () => checkpoints({ stream: memory() })
    const refusal = {
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('checkpoints: cannot be combined with'),
    }
    const codec = classic({ signingKey, dialect: 'go' })
    await expect(openSdk({ ...common, codec, checkpoints: own() })).rejects.toMatchObject(refusal)
    expect(() => checkpoints({} as never)).toThrow(/checkpoints.stream/)
    expect(() => checkpoints({ stream: memory(), every: 8193 })).toThrow(/every/)
    expect(() => checkpoints({ stream: memory(), after: payload })).toThrow(/message: expected/)
  })

  it('does not open if the stream of its checkpoints cannot connect, and closes its main stream', async () => {
    const { signingKey } = generateKey()
    const stream = memory()
    const broken = { publish: () => {}, connect: () => Promise.reject(new Error('no route')) }
    const options = { annotators: [source()], stream, signingKey }
    await expect(openSdk({ ...options, checkpoints: checkpoints({ stream: broken }) })).rejects.toMatchObject(
      {
        code: 'STREAM_UNREACHABLE',
        message: 'checkpoints.stream.connect: failed: no route',
      },
    )
    await (await openSdk(options)).close()
  })
})

/** Returns the root by the definition in RFC 9162 §2.1.1. */
function rootOf(leaves: readonly string[]): string {
  if (leaves.length === 1) return leaves[0] as string
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1))
  const both = [leaves.slice(0, split), leaves.slice(split)].map((side) => [...fromHex(rootOf(side))])
  return digest('sha256', Uint8Array.from([1, ...both.flat()])).toLowerCase()
}
