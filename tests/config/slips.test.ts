import {
  AlvariumError,
  type Annotator,
  extractBundle,
  identityBytes,
  Keyring,
  mqtt,
  openSdk,
  source,
  subscribe,
  tls,
  toHex,
  verifyBatch,
  verifyClassic,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { key, keyring, lastOf, opened } from '../support/sdk.js'

const payload = utf8('hello')
const { sdk, stream } = await opened([source()])
await sdk.create(payload)
const message = lastOf(stream)

/** Removes the type, because arguments of JavaScript callers have none. */
const any = (value: unknown) => value as never
const complaint = async (call: () => unknown) => {
  try {
    await call()
  } catch (error) {
    if (error instanceof AlvariumError) return `${error.code} ${error.message}`
    if (error instanceof TypeError) return `TypeError ${error.message}`
  }
  throw new Error('expected an error of ours')
}

describe('a misspelt or missing option', () => {
  const slips: [string, () => unknown, string][] = [
    [
      'openSdk',
      () => openSdk(any({ annotator: [], stream })),
      'annotator: is not a known option (annotators?)',
    ],
    [
      'openSdk',
      () => openSdk(any({ signingkey: 'x', stream })),
      'signingkey: is not a known option (signingKey?)',
    ],
    ['mqtt', () => mqtt(any({ url: 'ws://a', topc: 't' })), 'stream.topc: is not a known option (topic?)'],
    [
      'mqtt, whose password is nothing for a log',
      () => mqtt(any({ url: 'ws://a', topic: 't', pasword: 'hunter2' })),
      'stream.pasword: is not a known option (password?)',
    ],
    [
      'subscribe',
      () => subscribe(any({ url: 'ws://a', topic: 't', keyrng: [] })),
      'keyrng: is not a known option (keyring?)',
    ],
    [
      'subscribe',
      () => subscribe(any({ url: 'ws://a', topic: 't', keyring, prefetsh: 1 })),
      'prefetsh: is not a known option (prefetch?)',
    ],
    [
      'verifyMessage',
      () => verifyMessage(message, any({ keyring, paylaod: payload })),
      'paylaod: is not a known option (payload?)',
    ],
    [
      'verifyMessages',
      () => verifyMessages([message], any({ keyring, kodec: 1 })),
      'kodec: is not a known option (codec?)',
    ],
    [
      'verifyBatch',
      () => verifyBatch(message, any({ keyring, pol: 1 })),
      'pol: is not a known option (pool?)',
    ],
    [
      'verifyClassic',
      () => verifyClassic(message, any({ keyrings: [] })),
      'keyrings: is not a known option (keyring?)',
    ],
    [
      'extractBundle',
      () => extractBundle(message, 0, any({ codek: 1 })),
      'codek: is not a known option (codec?)',
    ],
    [
      'identityBytes',
      () => identityBytes(message, any({ codek: 1 })),
      'codek: is not a known option (codec?)',
    ],
    [
      'a keyring',
      () => new Keyring([], any({ maxTablesBytes: 1 })),
      'keyring.maxTablesBytes: is not a known option (maxTableBytes?)',
    ],
  ]
  // claim: config-1
  it.each(slips)(
    'of %s is named in the error, together with the intended option',
    async (_, call, expected) => {
      expect(await complaint(call)).toContain(`CONFIG_INVALID ${expected}`)
    },
  )

  it('is named in the error without a suggestion if no option resembles it', async () => {
    const text = 'colour: is not a known option'
    expect(await complaint(() => openSdk(any({ colour: 'red' })))).toBe(`CONFIG_INVALID ${text}`)
    const long = 'keyring'.repeat(100_000)
    expect(await complaint(() => verifyMessage(message, any({ [long]: 1 })))).not.toContain('?')
  })

  it('named `payload` is refused by verifyBatch and verifyMessages, which do not have this option', async () => {
    const [options, expected] = [any({ keyring, payload }), 'CONFIG_INVALID payload: is not a known option']
    expect(await complaint(() => verifyBatch(message, options))).toContain(expected)
    expect(await complaint(() => verifyMessages([message], options))).toContain(expected)
  })

  it.each([
    ['verifyMessage', (none: never) => verifyMessage(message, none)],
    ['verifyBatch', (none: never) => verifyBatch(message, none)],
    ['verifyMessages', (none: never) => verifyMessages([message], none)],
    ['verifyClassic', (none: never) => verifyClassic(message, none)],
    ['subscribe', (none: never) => subscribe(none)],
  ])('is named in the error when %s gets no options', async (_, call) => {
    for (const none of [undefined, null, 'keyring']) {
      expect(await complaint(() => call(any(none)))).toMatch(
        /^CONFIG_INVALID options: expected an object with keyring, .*, got (undefined|null|a string)$/,
      )
    }
  })
})

describe('a promise in place of its value', () => {
  it.each([
    ['signing key', () => openSdk(any({ signingKey: Promise.resolve(), annotators: [], stream }))],
    ['trusted key', () => new Keyring([any(Promise.resolve())])],
    ['keyring', () => verifyMessage(message, any({ keyring: Promise.resolve([]) }))],
    ['payload', () => sdk.create(any(Promise.resolve(payload)))],
    ['message', () => verifyMessage(any(Promise.resolve(message)), { keyring })],
  ])('causes an error that says to await the promise: %s', async (_, call) => {
    expect(await complaint(call)).toMatch(/got a Promise: await it$/)
  })
})

describe('a call of the SDK', () => {
  it('reports an input for tls that is not a socket', async () => {
    const { sdk } = await opened([tls()])
    const failed = vi.fn()
    sdk.addEventListener('annotatorerror', ({ error }) => failed(error.message))
    const { bundle } = await sdk.create(payload, { tls: any({}) })
    expect(bundle.annotations).toMatchObject([{ kind: 'tls', isSatisfied: false }])
    expect(failed.mock.calls).toEqual([
      [expect.stringContaining("the call's tls: expected a socket, got an Object")],
    ])
  })
})

describe('two annotators of the same kind', () => {
  const opening = async (annotators: ReturnType<typeof source>[]) => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const { sdk } = await opened(annotators, { logger })
    const { bundle } = await sdk.create(payload)
    return { kinds: bundle.annotations.map(({ kind }) => kind), warnings: logger.warn.mock.calls }
  }

  it('are both called, and one warning names the kind', async () => {
    const { kinds, warnings } = await opening([source(), source(), source()])
    const text = 'annotators: two annotators have the same kind, and nobody can tell their answers apart'
    expect({ kinds, warnings }).toEqual({ kinds: ['src', 'src', 'src'], warnings: [[{ kind: 'src' }, text]] })
  })

  it('cause no warning if one annotator is renamed', async () => {
    const other: Annotator<string> = { ...source(), kind: 'src-2' }
    expect(await opening([source(), other] as never)).toEqual({ kinds: ['src', 'src-2'], warnings: [] })
  })
})

describe('openSdk without annotators', () => {
  it('warns once that its bundles contain no checks of payloads', async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    await opened([], { logger })
    const text = 'annotators: an empty array, so bundles say nothing about payloads'
    expect(logger.warn.mock.calls).toEqual([[{}, text]])
  })
})

describe('the name of an unknown event', () => {
  it.each<[string, { addEventListener(type: never, listener: () => void): void }, string]>([
    ['an SDK', sdk, 'annotatorerror'],
    ['an mqtt stream', mqtt({ url: 'ws://localhost', topic: 't' }), 'online, offline'],
    [
      'a subscription',
      subscribe({ url: 'ws://localhost', topic: 't', durable: false, keyring }),
      'online, offline, rejected, incomplete',
    ],
  ])('is refused by %s with the valid names', async (_, target, events) => {
    const text = await complaint(() => target.addEventListener(any('rejectd'), () => {}))
    expect(text).toContain(`TypeError type: expected ${events}, got "rejectd"`)
  })

  it('is refused with a suggestion of the intended name', async () => {
    const bundles = subscribe({ url: 'ws://localhost', topic: 't', durable: false, keyring })
    expect(await complaint(() => bundles.addEventListener(any('rejectd'), () => {}))).toContain('(rejected?)')
  })
})

describe('an option whose value may be a secret', () => {
  const { signingKey } = key
  const complaintAbout = (hash: string) =>
    complaint(() => openSdk(any({ signingKey, stream, hash, annotators: [source()] })))

  // claim: security-15
  it.each([
    ['40 characters', 'one two '.repeat(5)],
    ['an @ after other characters', 'me:sesame@hall'],
    ['16 letters and digits in a row', 'is abcdefgh12345678'],
  ])('is described in an error by its length if it has %s', async (_, hash) => {
    expect(await complaintAbout(hash)).toMatch(`got a string of ${hash.length} characters`)
  })

  it.each([
    ['39 characters', 'one two '.repeat(5).slice(1)],
    ['an @ at its beginning', '@hall'],
    ['15 letters and digits in a row', 'is abcdefgh1234567'],
    ['16 letters in a row', 'is abcdefghijklmnop'],
  ])('is quoted in an error if it has %s', async (_, hash) => {
    expect(await complaintAbout(hash)).toMatch(`got "${hash}"`)
  })
})

describe('a private key in place of a public key', () => {
  it.each([
    ['64 bytes', () => key.signingKey],
    ['128 hexadecimal digits', () => toHex(key.signingKey)],
  ])('is recognized by its length of %s', async (what, privateKey) => {
    const text = `KEY_INVALID verifyingKey: expected a public key, got ${what}, which looks like a private key`
    expect(await complaint(() => new Keyring([privateKey()]))).toBe(text)
  })
})

it('an error about a classic message names verifyClassic', async () => {
  const classic = utf8('{"action":"create","messageType":"contracts.AnnotationList","content":"e30="}')
  expect(await complaint(() => verifyMessage(classic, { keyring }))).toMatch(
    /^MESSAGE_MALFORMED .*got "contracts.AnnotationList", of an SDK that verifyClassic reads$/,
  )
})
