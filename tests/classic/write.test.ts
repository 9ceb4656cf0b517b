// @node-only: the same core reads the same bytes in every engine

import {
  type ClassicDialect,
  type ClassicOptions,
  classic,
  type Layer,
  memory,
  openSdk,
  type Sdk,
  source,
  tls,
  verifyClassic,
} from 'alvarium-sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import {
  DIALECTS,
  everyCase,
  keyringOf,
  listOf,
  signerOf,
  signingKeyOf,
  verdicts,
  verifiedOf,
} from '../support/classic.js'
import { codeOf, failure } from '../support/failure.js'
import { resigned } from '../support/messages.js'
import { runs } from '../support/runs.js'
import { key, keyring, yes } from '../support/sdk.js'
import { golden } from '../support/vectors.js'

const payload = utf8('hello')
const { signingKey } = key

it('classic() writes the time of a leap second (:60) into annotation ids as the first second of the next minute', async () => {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [], stream })
  const { message } = await sdk.mutate(utf8('hell'), payload)
  await sdk.close()
  const atLeap = resigned(message, ({ content }) => {
    content['timestamp'] = '2016-12-31T23:59:60.5Z'
  })
  const encoded = await classic({ signingKey, dialect: 'go' }).encode(atLeap)
  const { annotations } = await verifyClassic(encoded as Uint8Array, { keyring, payload })
  // 1483228800500 ms, the first second of 2017, in Crockford's base 32.
  expect(annotations[0]).toMatchObject({ reason: { code: 'PAYLOAD_MISMATCH' } })
  expect(JSON.parse(atob(JSON.parse(textOf(encoded as Uint8Array)).content)).items[0].id).toMatch(
    /^01B5BN6SFM/,
  )
})

describe.each(DIALECTS)('messages that the SDK writes in the %s dialect', (dialect) => {
  const messageType = everyCase.find(([, whose]) => whose === dialect)?.[2].messageType

  async function opened(options: object = {}) {
    const stream = memory()
    const codec = classic({ signingKey, dialect })
    const annotators = [source(), { ...yes('no'), isSatisfied: () => false }, yes('tls')]
    const sdk = await openSdk({ signingKey, annotators, stream, codec, host: 'edge-7', tag: '', ...options })
    return { sdk, stream }
  }

  it('verify with the payload, and contain the content of the bundle', async () => {
    const { sdk, stream } = await opened()
    for (const action of ['create', 'transit', 'publish'] as const) {
      const { bundle, message } = await sdk[action](payload)
      expect(stream.messages.at(-1)).toBe(message)
      expect(JSON.parse(textOf(message)).messageType).toBe(messageType)
      const verified = await verifyClassic(message, { keyring, payload })
      expect(verified).toMatchObject({ action, dialect })
      const expected = bundle.annotations.map(({ id, kind, isSatisfied }) => ({ id, kind, isSatisfied }))
      expect(verifiedOf(verified)).toMatchObject(expected)
      for (const annotation of verifiedOf(verified)) {
        expect(annotation).toMatchObject({ host: 'edge-7', hash: 'sha256', signer: key.keyId })
        expect(Date.parse(annotation.timestamp)).toBe(Date.parse(bundle.timestamp))
      }
    }
  })

  // claim: format-35
  it('begin with an src annotation about the original payload if they are about a mutate', async () => {
    const { sdk } = await opened()
    const previousPayload = utf8('before')
    const { bundle, message } = await sdk.mutate(previousPayload, payload)
    const verified = await verifyClassic(message, { keyring, payload, previousPayload })
    const [src, no] = bundle.annotations
    expect(verified.annotations).toHaveLength(3)
    expect(verifiedOf(verified)).toMatchObject([
      { kind: 'src', isSatisfied: true, payloadChecked: true },
      { id: src?.id, kind: 'src', payloadChecked: true },
      { id: no?.id, kind: 'no', isSatisfied: false },
    ])
    const [first, second] = verifiedOf(verified)
    expect(first?.key).not.toBe(second?.key)
    expect(first?.id.slice(0, 10)).toBe(second?.id.slice(0, 10))
    expect(first?.id).not.toBe(second?.id)
    expect(JSON.parse(listOf(message)).items).toHaveLength(3)
  })

  it('have no annotations if the SDK has no annotators, except the one that a mutate adds', async () => {
    const { sdk } = await opened({ annotators: [] })
    const { message } = await sdk.create(payload)
    expect(await verifyClassic(message, { keyring, payload })).toMatchObject({ dialect, annotations: [] })
    const { message: mutate } = await sdk.mutate(payload, payload)
    expect(await verdicts(mutate, { keyring, payload })).toEqual(['verified'])
  })

  it.each(['sha256', 'md5', 'none'] as const)(
    'verify with their payload, and with no other payload, if the hash is %s',
    async (hash) => {
      const { sdk } = await opened({ hash })
      const { message } = await sdk.create(payload)
      expect(await verdicts(message, { keyring, payload })).toEqual(['verified', 'verified', 'verified'])
      const other = await verdicts(message, { keyring, payload: utf8('other') })
      expect(new Set(other)).toEqual(new Set(['PAYLOAD_MISMATCH']))
    },
  )

  it('verify with any host, kind and payload', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 })
    const kind = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter((one) => one !== 'signal')
    const check = fc.asyncProperty(text, kind, text, async (host, kind, text) => {
      const { sdk } = await opened({ host, hash: 'none', annotators: [yes(kind)] })
      const { message } = await sdk.create(utf8(text))
      const verified = verifiedOf(await verifyClassic(message, { keyring, payload: utf8(text) }))
      expect(verified).toMatchObject([{ host, kind, payloadChecked: true }])
      await sdk.close()
    })
    await fc.assert(check, runs(300))
  })

  // claim: format-36
  it.each(golden().cases.filter(({ bundle }) => dialect !== 'python' || bundle.layer === 'app'))(
    'are the same bytes each time the same bundle is encoded: $name',
    ({ message }) => {
      const codec = classic({ signingKey: signingKeyOf('go'), dialect })
      // Python's classic messages have no place for a tag.
      const plain = utf8(message.replaceAll(/"tag":"(\\"|[^"])*"/g, '"tag":""'))
      expect(codec.encode(plain)).toEqual(codec.encode(plain))
    },
  )
})

describe('tags in classic messages', () => {
  /** Returns the tags of the first annotation in a classic message, and in the receipt's bundle. */
  async function tagsOf(dialect: ClassicDialect, options: object) {
    const codec = classic({ signingKey, dialect })
    const sdk = await openSdk({
      signingKey,
      annotators: [yes('a')],
      stream: memory(),
      codec,
      host: 'edge-7',
      ...options,
    })
    const { message, bundle } = await sdk.create(payload)
    const [annotation] = verifiedOf(await verifyClassic(message, { keyring }))
    await sdk.close()
    return [annotation?.tag, bundle.annotations[0]?.tag]
  }

  it.each<[ClassicDialect, Layer, string]>([
    ['go', 'os', 'edge-7'],
    ['go', 'host', 'edge-7'],
    ['java', 'os', ''],
    ['java', 'host', ''],
    ['rust', 'os', ''],
    ['rust', 'host', ''],
    ['rust', 'cicd', ''],
  ])('are by default those that the %s SDK writes at layer %s', async (dialect, layer, tag) => {
    expect(await tagsOf(dialect, { layer })).toEqual([tag, tag])
    expect(await tagsOf(dialect, { layer, tag: 'mine' })).toEqual(['mine', 'mine'])
  })

  it.each(['go', 'java', 'rust'] as const)(
    'in the %s dialect, are also in the src annotation of a mutate if the SDK options set the tag',
    async (dialect) => {
      const codec = classic({ signingKey, dialect })
      const sdk = await openSdk({ signingKey, annotators: [tls()], stream: memory(), codec, tag: 'v1' })
      const { message } = await sdk.mutate(utf8('before'), payload)
      const verified = verifiedOf(await verifyClassic(message, { keyring }))
      expect(verified).toMatchObject([{ kind: 'src', tag: 'v1' }])
    },
  )

  it.each(['go', 'java', 'rust'] as const)(
    'in the %s dialect, are in every annotation of a mutate if the call passes a tag',
    async (dialect) => {
      const codec = classic({ signingKey, dialect })
      const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), codec, tag: 'v1' })
      const { message } = await sdk.mutate(utf8('before'), payload, { tag: 'batch-7' })
      const verified = verifiedOf(await verifyClassic(message, { keyring }))
      expect(verified.map(({ tag }) => tag)).toEqual(['batch-7', 'batch-7'])
    },
  )

  it.each(['go', 'java', 'rust'] as const)(
    'in the %s dialect, are in the src annotation of a mutate even if the SDK has no annotators',
    async (dialect) => {
      const codec = classic({ signingKey, dialect })
      const sdk = await openSdk({ signingKey, annotators: [], stream: memory(), codec, tag: 'v1' })
      const tagOf = async (context: object) => {
        const { message } = await sdk.mutate(utf8('before'), payload, context)
        return verifiedOf(await verifyClassic(message, { keyring })).map(({ tag }) => tag)
      }
      expect(await tagOf({ tag: 'batch-7' })).toEqual(['batch-7'])
      expect(await tagOf({ tag: '' })).toEqual([''])
      expect(await tagOf({})).toEqual(['v1'])
    },
  )
})

describe('an SDK with the codec classic()', () => {
  it.each<[ClassicDialect, string[]]>([
    ['go', []],
    ['java', ['in-range']],
    ['rust', []],
    ['python', ['sbom', 'in-range']],
  ])(
    'in the %s dialect, warns of each annotator kind that no consumer knows: %j',
    async (dialect, unknown) => {
      const warned: unknown[] = []
      const quiet = () => {}
      const warn = (context: object, text?: string) => warned.push([Reflect.get(context, 'kind'), text])
      const codec = classic({ signingKey, dialect })
      const annotators = [source(), yes('pki-http'), yes('sbom'), yes('in-range')]
      const logger = { debug: quiet, info: quiet, warn, error: quiet }
      const sdk = await openSdk({ signingKey, annotators, stream: memory(), codec, tag: '', logger })
      expect(warned).toEqual(
        unknown.map((kind) => [kind, expect.stringContaining(`by the ${dialect} SDK know (tpm, pki, `)]),
      )
      await sdk.close()
    },
  )
})

describe('a classic message with the hash "none"', () => {
  it.each<[ClassicDialect, string, string]>([
    ['go', 'héllo', 'HÉLLO'],
    ['go', 'straße', 'STRAßE'],
    ['go', 'ŉ ǰ ﬁ', 'ŉ ǰ ﬁ'],
    ['go', 'ᾳ ᾀ ῳ', 'ᾼ ᾈ ῼ'],
    ['go', 'ǆ ǅ ı ſ', 'Ǆ Ǆ I S'],
    ['go', '𐐨🚀', '𐐀🚀'],
    ['java', 'straße', 'straße'],
    ['rust', 'ABC', 'ABC'],
    ['python', 'ABC', 'ABC'],
  ])('in the %s dialect, about the payload %s, has the payload key %s', async (dialect, text, expected) => {
    const codec = classic({ signingKey, dialect })
    const options = { annotators: [source()], stream: memory(), tag: '', codec }
    const sdk = await openSdk({ signingKey, hash: 'none', ...options })
    const { message } = await sdk.create(utf8(text))
    const verified = verifiedOf(await verifyClassic(message, { keyring, payload: utf8(text) }))
    expect(verified).toMatchObject([{ key: expected, payloadChecked: true }])
  })
})

// claim: batches-4, migrating-8
describe('a call that a classic message cannot express', () => {
  const many = Array.from({ length: 32 }, (_, at) => yes(`a${at}`))

  it.each<[string, ClassicDialect, object, (sdk: Sdk) => Promise<unknown>, string]>([
    [
      'a call of createMany',
      'java',
      {},
      (sdk) => sdk.createMany([payload]),
      'classic messages cannot hold batches',
    ],
    [
      'a tag in the Python dialect',
      'python',
      {},
      (sdk) => sdk.create(payload, { tag: 'v1' }),
      'tag: classic messages of python have no tag',
    ],
    [
      'a tag of a mutate in the Python dialect, without annotators',
      'python',
      { annotators: [] },
      (sdk) => sdk.mutate(payload, payload, { tag: 'v1' }),
      'tag: classic messages of python have no tag',
    ],
    [
      'a message of more than 2 MiB',
      'go',
      { hash: 'none', annotators: many },
      (sdk) => sdk.create(utf8('x'.repeat(65_536))),
      'at most 2097152 bytes',
    ],
  ])('is refused with CODEC_FAILED because of %s', async (_, dialect, options, act, text) => {
    const codec = classic({ signingKey, dialect })
    const fixed = { signingKey, annotators: [source()], stream: memory(), tag: '', codec }
    const sdk = await openSdk({ ...fixed, ...options })
    const { code, message } = await failure(() => act(sdk))
    expect(code).toBe('CODEC_FAILED')
    expect(message).toContain(text)
  })
})

describe('an SDK option that classic messages cannot have', () => {
  it.each<[string, ClassicDialect, object, string]>([
    ['a batch', 'go', { batch: {} }, 'batch: cannot be combined with the codec classic()'],
    [
      'a tag in the Python dialect',
      'python',
      { tag: 'v1' },
      'tag: cannot be combined with the codec classic(): messages of python have no tag',
    ],
    [
      'a layer other than app in the Python dialect',
      'python',
      { layer: 'os' },
      'layer: cannot be combined with the codec classic(): messages of python have no layer',
    ],
  ])('is refused with CONFIG_INVALID when the SDK is opened: %s', async (_, dialect, options, text) => {
    const codec = classic({ signingKey, dialect })
    const fixed = { signingKey, annotators: [source()], stream: memory(), codec }
    const { code, message } = await failure(() => openSdk({ ...fixed, ...options }))
    expect(code).toBe('CONFIG_INVALID')
    expect(message).toContain(text)
    codec.close()
  })
})

describe('the codec classic() with a signing key', () => {
  const bundle = utf8(golden().cases[0]?.message ?? '')

  it("signs annotations with the codec's key, whatever key signs the bundle", async () => {
    const codec = classic({ signingKey: signingKeyOf('java') })
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), codec })
    const { message } = await sdk.create(payload)
    expect(await verdicts(message, { keyring, payload })).toEqual(['SIGNER_UNKNOWN'])
    const both = [key.verifyingKey, ...keyringOf('java')]
    const [annotation] = verifiedOf(await verifyClassic(message, { keyring: both, payload }))
    expect(annotation?.signer).toBe(signerOf('java'))
  })

  it('refuses to encode after close(), and may be closed twice', async () => {
    const codec = classic({ signingKey })
    codec.encode(bundle)
    codec.close()
    codec.close()
    const { code, message } = await failure(() => codec.encode(bundle))
    expect(code).toBe('CODEC_FAILED')
    expect(message).toContain('codec: was closed')
  })

  it('refuses to decode, because no bundle can be read from a classic message', async () => {
    const { code, message } = await failure(() => classic({ signingKey }).decode(bundle))
    expect(code).toBe('CONFIG_INVALID')
    expect(message).toContain('verifyClassic')
  })

  it.each<[string, object, string]>([
    ['without a key', {}, 'CONFIG_INVALID'],
    ['with an unknown dialect', { signingKey, dialect: 'cobol' }, 'CONFIG_INVALID'],
    ['with an unknown option', { signingKey, dialects: ['go'] }, 'CONFIG_INVALID'],
    ['with an invalid key', { signingKey: new Uint8Array(31) }, 'KEY_INVALID'],
  ])('cannot be created %s', async (_, options, code) => {
    expect(await codeOf(() => classic(options as ClassicOptions))).toBe(code)
  })
})
