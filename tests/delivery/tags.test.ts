import { classic, type SdkOptions, signBytes, source, verifyBatch, verifyClassic } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { verifiedOf } from '../support/classic.js'
import { key, keyring, lastOf, opened, yes } from '../support/sdk.js'

const payload = utf8('hello')
const long = 'é'.repeat(512)
let workers: Awaited<ReturnType<typeof pool>>
beforeAll(async () => {
  workers = await pool({ workers: 1 })
})
afterAll(() => workers.close())

type Settings = Partial<Omit<SdkOptions, 'annotators' | 'stream'>>
const ways: [string, () => Settings][] = [
  ['alone and in parallel', () => ({})],
  ['in batches', () => ({ batch: {} })],
  ['in a pool', () => ({ pool: workers })],
  [
    'by a Signer',
    () => ({
      signingKey: {
        verifyingKey: key.verifyingKey,
        sign: (identity: Uint8Array) => signBytes(key.signingKey, identity),
      },
    }),
  ],
]

describe.each(ways)('the tag of a call that is signed %s', (_, settings) => {
  it('is in all annotations of the call, and in no others', async () => {
    const { sdk, stream } = await opened([source(), yes('mine')], { tag: 'line-4', ...settings() })
    const tags = ['a', undefined, '', long, 'a', undefined]
    const sent = tags.map((tag) => sdk.create(payload, tag === undefined ? {} : { tag }))
    const mutated = sdk.mutate(payload, utf8('hello!'), { tag: 'm' })
    const receipts = await Promise.all([...sent, mutated])
    const said = receipts.map(({ bundle }) => bundle.annotations.map(({ tag }) => tag))
    const expected = ['a', 'line-4', '', long, 'a', 'line-4', 'm']
    expect(said).toEqual(expected.map((tag) => [tag, tag]))
    for (const message of stream.messages) expect(await verifyBatch(message, { keyring })).not.toEqual([])
    await sdk.close()
  })

  it('is not truncated, even in messages with payloads of 65,536 bytes', async () => {
    const { sdk } = await opened([source()], settings())
    const longest = new Uint8Array(65_536)
    const calls = Array.from({ length: 3 }, () => sdk.mutate(longest, longest.slice(), { tag: long }))
    for (const { bundle } of await Promise.all(calls)) expect(bundle.annotations[0]?.tag).toBe(long)
    await sdk.close()
  })
})

describe('the tag of a call', () => {
  it('is in the annotations of all payloads of createMany', async () => {
    const { sdk } = await opened([source()], { tag: 'line-4' })
    const receipts = await sdk.createMany([payload, payload], { tag: 'b' })
    expect(receipts.map(({ bundle }) => bundle.annotations[0]?.tag)).toEqual(['b', 'b'])
  })

  it('is in classic messages too, even at the layer os, which has no tag by default', async () => {
    const { signingKey } = key
    const codec = classic({ signingKey, dialect: 'java' })
    const { sdk, stream } = await opened([source()], { layer: 'os', codec })
    await sdk.create(payload)
    const [before] = verifiedOf(await verifyClassic(lastOf(stream), { keyring }))
    await sdk.mutate(payload, payload, { tag: 'now' })
    const after = verifiedOf(await verifyClassic(lastOf(stream), { keyring }))
    expect([before?.tag, ...after.map(({ tag }) => tag)]).toEqual(['', 'now', 'now'])
  })

  it('is refused if it is invalid, and the next call succeeds', async () => {
    const { sdk } = await opened([source()])
    const refused: [unknown, string][] = [
      [7, 'context.tag: expected a string, got a number'],
      ['é'.repeat(513), 'context.tag: expected at most 1024 bytes, got 1026'],
      ['x'.repeat(1025), 'context.tag: expected at most 1024 bytes, got 1025 characters'],
      ['\ud800', 'context.tag: expected a string without lone surrogates, got "\\ud800"'],
    ]
    // Each tag twice, because the SDK caches the last one.
    for (const [tag, message] of refused.flatMap((one) => [one, one])) {
      await expect(sdk.create(payload, { tag: tag as string })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message,
      })
    }
    await sdk.create(payload)
  })

  it.each([
    ['as 1,024 characters of one byte', 'x'.repeat(1024)],
    ['as 256 characters of four bytes', '🚀'.repeat(256)],
  ])('may have 1,024 bytes in UTF-8, %s', async (_, longest) => {
    const { sdk } = await opened([source()])
    expect((await sdk.create(payload, { tag: longest })).bundle.annotations[0]?.tag).toBe(longest)
    await sdk.close()
  })

  it('may be empty, but not null, even if the SDK or an earlier call has a tag', async () => {
    const { sdk } = await opened([source()], { tag: 'line-4' })
    const tagOf = async (tag: string) => (await sdk.create(payload, { tag })).bundle.annotations[0]?.tag
    expect([await tagOf(''), await tagOf('a'), await tagOf(''), await tagOf('a')]).toEqual(['', 'a', '', 'a'])
    await expect(sdk.create(payload, { tag: null as never })).rejects.toThrow(
      'context.tag: expected a string, got null',
    )
    await sdk.close()
  })
})
