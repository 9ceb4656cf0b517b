import {
  cbor,
  classic,
  extractBundle,
  generateKey,
  type Input,
  Keyring,
  keyOf,
  memory,
  openSdk,
  type Receipt,
  source,
  type VerifiedBundle,
  verifyBatch,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { pool } from 'alvarium-sdk/pool'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patient } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { failure, typeError } from '../support/failure.js'
import { key, keyring, opened } from '../support/sdk.js'

const named = (payload: Uint8Array, hash: 'sha256' | 'md5' | 'none' = 'sha256') => ({
  hash,
  key: keyOf(payload, hash),
})
const readings = (count: number) => Array.from({ length: count }, (_, at) => utf8(`{"celsius":${at}}`))
const average = utf8('average')
const A_SET = { set: 'ab'.repeat(32) }
const KEYS = ['action', 'key', 'inputs', 'hash', 'host', 'layer', 'signer'] as const
const claims = (bundle: Partial<VerifiedBundle>) => KEYS.map((name) => bundle[name])

describe('a mutate of many payloads', () => {
  it('publishes one message, whose bundle lists all payloads as inputs, in order', async () => {
    const { sdk, stream, verified } = await opened([source()])
    const inputs = readings(1000)
    const receipt = await sdk.mutate(inputs, average)
    const bundle = await verified(average)
    expect(stream.messages).toHaveLength(1)
    expect(bundle.inputs).toEqual(inputs.map((input) => named(input)))
    expect(bundle.previousKey).toBeUndefined()
    expect(bundle.id).toBe(receipt.id)
    expect(receipt.bundle.inputs).toEqual(bundle.inputs)
    expect(bundle.annotations.map(({ kind }) => kind)).toEqual(['src'])
    await sdk.close()
  })

  it('accepts payload names, bundles and sets as inputs, and the same input twice', async () => {
    const { sdk, verified } = await opened([])
    await sdk.create(utf8('a'))
    const bundle = await verified()
    await sdk.mutate(new Set([bundle, named(utf8('é'), 'none'), A_SET, utf8('b')]), average)
    const names: Input[] = [named(utf8('a')), named(utf8('é'), 'none'), A_SET, named(utf8('b'))]
    expect((await verified()).inputs).toEqual(names)
    await sdk.mutate([utf8('b'), utf8('b')], average)
    expect((await verified()).inputs).toEqual([named(utf8('b')), named(utf8('b'))])
    await sdk.close()
  })

  it('has the same content alone, in a batch, from a pool, in CBOR, and with a P-256 key', async () => {
    await using workers = await pool({ workers: 1 })
    const ec = await generateKey({ algorithm: 'P-256' })
    const ways = await Promise.all([
      opened([source()]),
      opened([source()], { pool: workers }),
      opened([source()], { batch: { ...patient, maxBundles: 1 } }),
      opened([source()], { codec: cbor() }),
    ])
    await using elsewhere = await openSdk({
      signingKey: ec.signingKey,
      annotators: [source()],
      stream: memory(),
      host: 'edge-7',
    })
    const input = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.uint8Array({ maxLength: 9 }).map((bytes) => named(bytes)),
      fc.constant(A_SET),
    )
    const inputs = fc.array(input, { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(inputs, fc.uint8Array(), async (given, output) => {
        const receipts = await Promise.all(ways.map(({ sdk }) => sdk.mutate(given, output)))
        const [alone, ...others] = receipts as [Receipt, ...Receipt[]]
        for (const other of others) expect(claims(other.bundle)).toEqual(claims(alone.bundle))
        for (const [at, { message, index, id }] of receipts.entries()) {
          const codec = at === 3 ? cbor() : undefined
          const [whole] = await verifyBatch(message, { keyring, codec })
          expect([claims(whole ?? {}), whole?.id]).toEqual([claims(alone.bundle), id])
          const [together] = await verifyMessages([message], { keyring, codec, pool: workers })
          expect(together).toEqual({ status: 'fulfilled', value: [whole] })
          if (at !== 2) continue
          expect(await verifyMessage(extractBundle(message, index), { keyring })).toEqual(whole)
        }
        const { message } = await elsewhere.mutate(given, output)
        const bundle = await verifyMessage(message, { keyring: [ec.verifyingKey], payload: output })
        expect(claims({ ...bundle, signer: '' })).toEqual(claims({ ...alone.bundle, signer: '' }))
      }),
      { numRuns: 25 },
    )
    await Promise.all(ways.map(({ sdk }) => sdk.close()))
  })

  it('is added to a batch with other calls', async () => {
    const { sdk, stream } = await opened([], { batch: { ...patient, maxBundles: 4 } })
    const receipts = await Promise.all([
      sdk.mutate(readings(3), average),
      sdk.create(utf8('a')),
      sdk.mutate([A_SET], average),
      sdk.mutate(utf8('a'), average),
    ])
    const bundles = await verifyBatch(stream.messages[0] as Uint8Array, { keyring })
    const inputs = receipts.map(({ index }) => bundles[index]?.inputs)
    expect(inputs).toEqual([readings(3).map((one) => named(one)), undefined, [A_SET], undefined])
    expect(receipts.map(({ index }) => bundles[index]?.id)).toEqual(receipts.map(({ id }) => id))
    await sdk.close()
  })

  it('counts its inputs towards the limit of a batch, so that the next call begins another batch', async () => {
    const { sdk, stream } = await opened([], { batch: { ...patient, maxBytes: 20_000 } })
    const both = [sdk.create(utf8('a')), sdk.mutate(readings(500), average), sdk.create(utf8('b'))]
    const counted = async () => {
      const messages = stream.messages.map((message) => verifyBatch(message, { keyring }))
      return (await Promise.all(messages)).map(({ length }) => length)
    }
    await both[1]
    await sdk.close()
    await Promise.all(both)
    expect(await counted()).toEqual([2, 1])
    expect((stream.messages[0] as Uint8Array).length).toBeLessThan(20_000)
  })

  it('is one message in the checkpoints, like any other call', async () => {
    const signed = memory()
    const { sdk } = await opened([], { checkpoints: checkpoints({ stream: signed }) })
    await sdk.mutate(readings(5), average)
    await sdk.close()
    expect(new TextDecoder().decode(signed.messages.at(-1))).toContain('\\n1\\n')
  })

  it('verifies with 8,000 inputs and an Ed25519 or P-256 key, but not if one input is altered', async () => {
    const ec = await generateKey({ algorithm: 'P-256' })
    for (const { signingKey, verifyingKey } of [key, ec]) {
      await using sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
      const inputs = readings(8000)
      const { message, id } = await sdk.mutate(inputs, average)
      const trusted = new Keyring([verifyingKey])
      const bundle = await verifyMessage(message, { keyring: trusted, payload: average })
      expect([bundle.id, bundle.inputs]).toEqual([id, inputs.map((one) => named(one))])
      const text = new TextDecoder().decode(message)
      const first = bundle.inputs?.[7000] as { key: string }
      const altered = utf8(text.replace(first.key, named(utf8('another')).key))
      expect((await failure(() => verifyMessage(altered, { keyring: trusted }))).code).toBe(
        'SIGNATURE_INVALID',
      )
      expect((await failure(() => verifyMessage(message, { keyring: [] }))).code).toBe('SIGNER_UNKNOWN')
    }
  })

  it('verifies even if its message is long and contains the annotations before the inputs', async () => {
    const { sdk } = await opened([source()])
    for (const [count, spaces] of [
      [2, 300_000],
      [2000, 100_000],
      [4000, 0],
    ] as const) {
      const { message, id } = await sdk.mutate(readings(count), average)
      const { content, ...around } = JSON.parse(new TextDecoder().decode(message))
      const { annotations, ...others } = content
      const text = JSON.stringify({ ...around, content: { annotations, ...others } })
      const spaced = text.replace('[', `[${' '.repeat(spaces)}`)
      expect((await verifyMessage(utf8(spaced), { keyring })).id).toBe(id)
    }
    await sdk.close()
  })

  it('accepts a source as its output', async () => {
    const { sdk, verified } = await opened([source()])
    await sdk.mutate(readings(2), new Blob([average]))
    expect((await verified(average)).inputs).toEqual(readings(2).map((one) => named(one)))
    await sdk.close()
  })

  it('hashes inputs that are bytes with the hash of the SDK', async () => {
    for (const hash of ['md5', 'none'] as const) {
      const { sdk, verified } = await opened([], { hash })
      await sdk.mutate([utf8('a'), utf8('b')], average)
      expect((await verified(average)).inputs).toEqual([named(utf8('a'), hash), named(utf8('b'), hash)])
      await sdk.close()
    }
  })

  it('accepts an input of 65,536 bytes with hash none, whatever the characters', async () => {
    const { sdk, verified } = await opened([])
    for (const key of ['a'.repeat(65_536), `${'€'.repeat(21_845)}a`]) {
      await sdk.mutate([{ hash: 'none', key }], average)
      expect((await verified()).inputs).toEqual([{ hash: 'none', key }])
    }
    await sdk.close()
  })

  it('rejects an invalid input, and names its position', async () => {
    const { sdk, stream } = await opened([])
    const rejected = async (inputs: unknown) => {
      const { code, message } = await failure(() => sdk.mutate(inputs as Uint8Array[], average))
      return `${code} ${message}`
    }
    expect(await rejected([])).toBe('PAYLOAD_INVALID inputs: needs at least one payload')
    expect(await rejected([{ hash: 'sha256', key: 'ab' }])).toContain(
      'PAYLOAD_INVALID inputs[0].key: expected a sha256 key',
    )
    expect(await rejected([A_SET, { hash: 'sha1', key: '' }])).toContain('PAYLOAD_INVALID inputs[1].hash')
    expect(await rejected([{ set: 'AB'.repeat(32) }])).toContain('PAYLOAD_INVALID inputs[0].set')
    for (const key of ['\ud800', 'a'.repeat(65_537), '€'.repeat(21_846), '€'.repeat(65_536)])
      expect(await rejected([{ hash: 'none', key }])).toContain('PAYLOAD_INVALID inputs[0].key')
    expect((await typeError(() => sdk.mutate([1] as never, average))).message).toContain(
      'inputs[0]: expected a Uint8Array',
    )
    expect((await typeError(() => sdk.mutate('ab' as never, average))).message).toContain('oldPayload')
    expect((await typeError(() => sdk.mutate(new Uint16Array(2) as never, average))).message).toContain(
      'oldPayload',
    )
    expect((await typeError(() => sdk.mutate(readings(1), 'x' as never))).message).toContain('newPayload')
    const many = Array.from({ length: 65_537 }, () => A_SET)
    expect(await rejected(many)).toContain('at most 65536 payloads')
    const long = Array.from({ length: 300 }, () => ({ hash: 'none', key: 'x'.repeat(60_000) }))
    expect(await rejected(long)).toContain('PAYLOAD_INVALID inputs: expected at most')
    expect(stream.messages).toHaveLength(0)
    await sdk.close()
  })

  it('ends when its signal aborts, and is refused after close()', async () => {
    const { sdk } = await opened([])
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(sdk.mutate(readings(3), average, { signal })).rejects.toThrow('enough')
    await sdk.close()
    expect((await failure(() => sdk.mutate(readings(3), average))).code).toBe('STREAM_CLOSED')
  })

  it('can be a classic message only if it has one input, with the same hash', async () => {
    const { sdk, stream } = await opened([source()], {
      codec: classic({ signingKey: key.signingKey }),
      tag: '',
    })
    await sdk.mutate([utf8('a')], average)
    const { content } = JSON.parse(new TextDecoder().decode(stream.messages[0]))
    expect(atob(content)).toContain(keyOf(utf8('a')))
    for (const inputs of [[utf8('a'), utf8('b')], [A_SET], [named(utf8('a'), 'md5')]]) {
      expect((await failure(() => sdk.mutate(inputs, average))).code).toBe('CONFIG_INVALID')
    }
    await sdk.close()
  })
})
