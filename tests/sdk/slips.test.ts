import { type Annotator, generateKey, memory, openSdk, pki, type Sdk, source, tls, tpm } from 'alvarium-sdk'
import { pkiHttp } from 'alvarium-sdk/http'
import { afterEach, describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { key, opened, yes } from '../support/sdk.js'

const payload = utf8('hello')
type Loose = Sdk<readonly Annotator[]>

describe("a call's context", () => {
  it.each<[string, object, string]>([
    [
      'an input for a kind that no annotator has',
      { nope: 1 },
      'context.nope: is not the kind of an annotator of this SDK',
    ],
    [
      'an input for a built-in annotator that this SDK does not use',
      { tpm: {} },
      'context.tpm: is not the kind of an annotator of this SDK',
    ],
    [
      'a kind that was misspelt',
      { tsl: 1 },
      'context.tsl: is not the kind of an annotator of this SDK (tls?)',
    ],
    ['a misspelt kind of the application', { 'in-rnage': 1 }, '(in-range?)'],
    ['the name of a property that every object has', { constructor: 4 }, 'context.constructor'],
    ['an invalid signal', { signal: 1 }, 'context.signal: expected an AbortSignal, got a number'],
    [
      'a transfer that is no boolean',
      { transfer: 1 },
      'context.transfer: expected true or false, got a number',
    ],
    [
      'a signal in place of the context',
      new AbortController().signal,
      'context: expected an object, { signal }, got an AbortSignal',
    ],
    ['a number for a context', 7 as unknown as object, 'context: expected an object, got a number'],
    ['null for a context', null as unknown as object, 'context: expected an object, got null'],
  ])('is refused with %s, and the error names the member', async (_, context, got) => {
    const { sdk: typed, stream } = await opened([source(), tls(), yes('in-range')])
    const sdk = typed as unknown as Loose
    const calls = [
      () => sdk.create(payload, context),
      () => sdk.mutate(payload, payload, context),
      () => sdk.createMany([payload], context),
    ]
    for (const call of calls) {
      const { code, message } = await failure(call)
      expect(code).toBe('CONFIG_INVALID')
      expect(message).toContain(got)
    }
    expect(stream.messages).toEqual([])
    await sdk.close()
  })

  it('may contain an undefined input, or an input for a kind in otherKinds', async () => {
    const { signingKey } = generateKey()
    const sdk = await openSdk<readonly Annotator[]>({
      signingKey,
      annotators: [source()],
      otherKinds: ['tls'],
      stream: memory(),
    })
    const { bundle } = await sdk.create(payload, { tls: {}, tpm: undefined })
    expect(bundle.annotations.map(({ kind }) => kind)).toEqual(['src'])
    await sdk.close()
  })
})

describe('an invalid option', () => {
  const wrong = <T>(options: unknown) => options as T
  it.each<[string, () => unknown, string]>([
    [
      'a misspelt option of tls',
      () => tls(wrong({ peerCertficate: 'optional' })),
      'tls.peerCertficate: is not a known option (peerCertificate?)',
    ],
    [
      'an unknown value for an option of tls',
      () => tls(wrong({ peerCertificate: 'none' })),
      'tls.peerCertificate: expected required or optional',
    ],
    [
      'one path in place of a list for tpm',
      () => tpm(wrong({ paths: '/dev/tpm0' })),
      'tpm.paths: expected an array of paths, got',
    ],
    [
      'a misspelt option of tpm',
      () => tpm(wrong({ path: ['/dev/tpm0'] })),
      'tpm.path: is not a known option (paths?)',
    ],
    [
      'an unknown option of pki',
      () => pki(wrong({ verifyingKey: key.verifyingKey, hash: 1 })),
      'pki.hash: is not a known option',
    ],
    [
      'pki without options',
      () => pki(wrong(undefined)),
      'pki: expected an object with verifyingKey, got undefined',
    ],
    [
      'a misspelt option of generateKey',
      () => generateKey(wrong({ algoritm: 'P-256' })),
      'generateKey.algoritm: is not a known option (algorithm?)',
    ],
    [
      'a string in place of the options of generateKey',
      () => generateKey(wrong('P-256')),
      'generateKey: expected an object with algorithm, got a string',
    ],
    [
      'an array of keys without names for pkiHttp',
      () => pkiHttp(wrong({ keys: [key.verifyingKey] })),
      'pkiHttp.keys: expected an object of public keys by name, got an Array',
    ],
    [
      'a key without a name for pkiHttp',
      () => pkiHttp(wrong({ keys: key.verifyingKey })),
      'pkiHttp.keys: expected an object of public keys by name, got a Uint8Array',
    ],
  ])('is named in the error: %s', async (_, act, text) => {
    const { code, message } = await failure(act)
    expect(code).toBe('CONFIG_INVALID')
    expect(message).toContain(text)
  })
})

describe('a property that other code has added to Object.prototype', () => {
  const everything = Object.prototype as unknown as Record<string, unknown>
  afterEach(() => {
    delete everything['hash']
    delete everything['tag']
    delete everything['maxBundles']
    delete everything['nope']
  })

  it('is not used as an option', async () => {
    everything['hash'] = 'md5'
    everything['tag'] = 'of everything'
    everything['maxBundles'] = 'many'
    everything['nope'] = 1
    const sdk = await openSdk({
      signingKey: key.signingKey,
      annotators: [source()],
      stream: memory(),
      batch: {},
    })
    const { bundle } = await sdk.create(payload)
    expect([bundle.hash, bundle.annotations[0]?.tag]).toEqual(['sha256', ''])
    await sdk.close()
  })

  it('is ignored, unlike a property that the class of the options defines', async () => {
    class Options {
      readonly signingKey = key.signingKey
      readonly annotators = [source()]
      readonly stream = memory()
      get hash() {
        return 'md5' as const
      }
    }
    everything['nope'] = 1
    const sdk = await openSdk(new Options())
    expect((await sdk.create(payload)).bundle.hash).toBe('md5')
    await sdk.close()
  })
})
