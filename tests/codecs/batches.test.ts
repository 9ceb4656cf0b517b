import {
  AlvariumError,
  cbor,
  extractBundle,
  memory,
  openSdk,
  source,
  verifyBatch,
  verifyMessage,
} from 'alvarium-sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyBatch } from '../support/any-batch.js'
import { fromHex, textOf, utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { runs } from '../support/runs.js'
import { key, keyring } from '../support/sdk.js'
import { goldenCborBatches } from '../support/vectors.js'

const codec = cbor()
const { cases, publicKey } = goldenCborBatches()
const goldenKeyring = [fromHex(publicKey)]

/** Verifies a message. Returns its bundles, or the code of the refusal. */
const verdictOf = (message: Uint8Array, options: object) =>
  verifyBatch(message, options as never).catch((error: AlvariumError) => error.code)

describe('a batch in CBOR', () => {
  // claim: format-79
  it.each(cases)(
    'has the bytes of the golden file, and verifies as the batch in JSON does: $name',
    async (one) => {
      const message = utf8(one.message)
      const bytes = fromHex(one.cbor)
      expect(codec.encode(message)).toEqual(bytes)
      expect(textOf(codec.decode(bytes))).toBe(one.message)
      const bundles = await verifyBatch(bytes, { keyring: goldenKeyring, codec })
      expect(bundles.map(({ id }) => id)).toEqual(one.ids)
      expect(bundles).toEqual(await verifyBatch(message, { keyring: goldenKeyring }))
    },
  )

  // claim: format-18
  it('has the same content and verifies in the same way as the batch in JSON, for random batches', async () => {
    await fc.assert(
      fc.asyncProperty(anyBatch, async (message) => {
        const bytes = codec.encode(message)
        expect(textOf(codec.decode(bytes))).toBe(textOf(message))
        expect(bytes.length).toBeLessThan(message.length)
        const bundles = await verifyBatch(message, { keyring })
        expect(await verifyBatch(bytes, { keyring, codec })).toEqual(bundles)
      }),
      runs(500),
    )
  })

  it.each(cases)('does not verify after a change to any byte: $name', async (one) => {
    const bytes = fromHex(one.cbor)
    for (const [at, byte] of bytes.entries()) {
      for (const bit of [at % 8, (at + 3) % 8]) {
        const verdict = await verdictOf(bytes.with(at, byte ^ (1 << bit)), { keyring: goldenKeyring, codec })
        expect(['MESSAGE_MALFORMED', 'SIGNATURE_INVALID', 'SIGNER_UNKNOWN']).toContain(verdict)
      }
    }
  })

  it('is refused unless its bytes are exactly those that the codec writes', async () => {
    const change = fc.record({
      at: fc.nat(),
      length: fc.nat(40),
      to: fc.nat(),
      bytes: fc.uint8Array({ maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(anyBatch, change, async (message, { at, length, to, bytes }) => {
        const whole = codec.encode(message)
        const from = at % whole.length
        const doubled = whole.subarray(to % whole.length, (to % whole.length) + length)
        for (const piece of [bytes, doubled]) {
          const altered = Buffer.concat([whole.subarray(0, from), piece, whole.subarray(from + length)])
          if (altered.equals(whole)) continue
          expect(typeof (await verdictOf(altered, { keyring, codec }))).toBe('string')
          try {
            expect(Buffer.from(codec.encode(codec.decode(altered)))).toEqual(altered)
          } catch (error) {
            expect(error).toBeInstanceOf(AlvariumError)
          }
        }
      }),
      runs(1000),
    )
  })

  // claim: format-80
  it('yields the same extracted bundles as the batch in JSON', async () => {
    const { message, cbor: hex, ids } = cases[1] as (typeof cases)[number]
    for (const [index, id] of ids.entries()) {
      const evidence = extractBundle(fromHex(hex), index, { codec })
      expect(codec.decode(evidence)).toEqual(extractBundle(utf8(message), index))
      expect((await verifyMessage(evidence, { keyring: goldenKeyring, codec })).id).toBe(id)
    }
  })

  // claim: batches-7
  it('has on average fewer than 60 bytes per bundle with one annotation, even if the calls are seconds apart', async () => {
    const stream = memory()
    const annotators = [source()]
    const sdk = await openSdk({
      signingKey: key.signingKey,
      annotators,
      stream,
      codec,
      host: 'edge-7',
      tag: 'line-4',
    })
    await sdk.createMany(Array.from({ length: 256 }, (_, at) => utf8(`${at}`)))
    await sdk.close()
    const [message] = stream.messages as [Uint8Array]
    expect(message.length / 256).toBeLessThan(45)
    const batch = JSON.parse(textOf(codec.decode(message)))
    for (const [at, bundle] of batch.content.bundles.entries()) {
      bundle.timestamp = new Date(Date.UTC(2026, 10, 20, 10, 0, at)).toISOString().replace('Z', '123Z')
      bundle.annotations[0].id = `01M7W6C3${String(at).padStart(3, '0')}3ZH28HK8HAPCXW8`
    }
    expect(codec.encode(utf8(JSON.stringify(batch))).length / 256).toBeLessThan(60)
  })

  it('is refused if its message would be longer than 16 MiB in JSON, although it is shorter in CBOR', async () => {
    const kinds = Array.from({ length: 32 }, (_, at) => ({
      kind: `${at}`.padEnd(255, 'k'),
      isSatisfied: () => true,
    }))
    const stream = memory()
    const sdk = await openSdk({
      signingKey: key.signingKey,
      annotators: kinds,
      stream,
      codec,
      tag: 't'.repeat(1024),
    })
    await sdk.createMany([utf8('a'), utf8('b')])
    await sdk.close()
    const [message] = stream.messages as [Uint8Array]
    // The second row has 35 items: the number of its shared members, 32 ids, time and key.
    const row = message.slice(Buffer.from(message).lastIndexOf(Buffer.of(0x98, 35, 0)))
    const rows = Buffer.concat([message, ...Array.from({ length: 60_000 }, () => row)])
    const head = Buffer.from(message).indexOf(Buffer.of(0x10, 0x82)) + 1
    const altered = Buffer.concat([
      rows.subarray(0, head),
      Buffer.of(0x99, 0xea, 0x62),
      rows.subarray(head + 1),
    ])
    const refused = await verifyBatch(altered, { keyring, codec }).catch((error) => error)
    expect([refused.code, refused.message]).toEqual([
      'MESSAGE_MALFORMED',
      expect.stringContaining('expected at most 16777216 bytes in JSON, got more'),
    ])
  })

  it('is refused with an error that names the malformed field', async () => {
    const [one] = cases as [(typeof cases)[number]]
    const hex = one.cbor.replace('781b323032362d', '781b323032362e')
    expect(await codeOf(() => codec.decode(fromHex(hex)))).toBe('MESSAGE_MALFORMED')
    expect(() => codec.decode(fromHex(hex))).toThrow(/bundles\[0\]: timestamp: expected/)
  })
})
