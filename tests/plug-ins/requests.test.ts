// @own-process: it counts unhandled rejections of the process
import { cbor, json, openSdk, source, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { pkiHttp, type Rfc9421Options, signRequest, verifyRequest } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { quiet } from '../support/deferred.js'
import { failure } from '../support/failure.js'
import { keys, signer } from '../support/requests.js'
import { key, keyring, opened } from '../support/sdk.js'
import { always, each, FAULTS, faulty, outcomeOf, unhandledRejections } from './faults.js'

const body = utf8('hello')
const plain = { method: 'POST', url: 'https://example.com/a', headers: {} }
async function request() {
  const headers = await signRequest(plain, { ...signer, format: 'rfc9421', nonce: 'once', body })
  return { ...plain, headers }
}
const judging = (fault: (typeof FAULTS)[number]): Rfc9421Options => ({
  format: 'rfc9421',
  keys,
  isNonceFresh: faulty(fault),
  nonceTimeoutMs: 50,
})

describe('verifyRequest', () => {
  it.each([
    ...each('isNonceFresh', {
      throws: 'nonce: expected an answer from isNonceFresh, got an error: oops',
      rejects: 'nonce: expected an answer from isNonceFresh, got an error: oops',
      hangs: 'nonce: expected an answer from isNonceFresh, got no answer within 50 ms',
      'returns a symbol': 'nonce: expected true or false from isNonceFresh, got a symbol',
    }),
  ])('refuses a request when %s %s: %s', async (_, fault, message) => {
    const unhandled = unhandledRejections()
    const error = await failure(async () => verifyRequest(await request(), { ...judging(fault), body }))
    expect([error.code, error.message]).toEqual(['SIGNATURE_INVALID', message])
    await quiet()
    expect(unhandled).toEqual([])
  })

  // claim: http-6
  it.each(FAULTS)('does not satisfy the annotator pki-http when isNonceFresh %s', async (fault) => {
    const { sdk, verified } = await opened([pkiHttp(judging(fault))])
    await sdk.transit(body, { 'pki-http': await request() })
    expect((await verified(body)).annotations[0]?.isSatisfied).toBe(false)
    await sdk.close()
  })
})

describe('verification of a message', () => {
  it.each(each('codec.decode', always('MESSAGE_MALFORMED')))(
    'rejects if %s() %s, with the code %s',
    async (_, fault, code) => {
      const unhandled = unhandledRejections()
      const codec = { ...json(), decode: faulty(fault) }
      expect(await outcomeOf(() => verifyMessage(body, { keyring, codec }))).toBe(code)
      expect(await verifyMessages([body], { keyring, codec })).toMatchObject([{ reason: { code } }])
      await quiet()
      expect(unhandled).toEqual([])
    },
  )
})

// claim: own-code-6
describe('a getter of an object in the options of openSdk', () => {
  const thrown = faulty('throws')
  const options = { signingKey: key.signingKey, annotators: [source()], stream: { publish: () => {} } }
  it.each([
    [
      'an option',
      {
        get host(): string {
          return thrown()
        },
      },
      'CONFIG_INVALID',
    ],
    [
      'the kind of an annotator',
      {
        annotators: [
          {
            get kind() {
              return thrown()
            },
            isSatisfied: () => true,
          },
        ],
      },
      'CONFIG_INVALID',
    ],
    [
      'the key of a signer',
      {
        signingKey: {
          get verifyingKey() {
            return thrown()
          },
          sign: () => body,
        },
      },
      'KEY_INVALID',
    ],
    [
      'the content type of a codec',
      {
        codec: {
          ...cbor(),
          get contentType() {
            return thrown()
          },
        },
      },
      'CONFIG_INVALID',
    ],
    [
      'a method of a logger',
      {
        logger: {
          get debug() {
            return thrown()
          },
        },
      },
      'CONFIG_INVALID',
    ],
  ])(
    'makes openSdk reject with CONFIG_INVALID or KEY_INVALID if the getter throws: %s',
    async (_, faultyOptions, code) => {
      const all = Object.defineProperties({ ...options }, Object.getOwnPropertyDescriptors(faultyOptions))
      expect(await outcomeOf(() => openSdk(all as never))).toBe(code)
    },
  )

  it('is read when the SDK is opened, and not again in each call', async () => {
    let reads = 0
    const shifty = {
      get kind() {
        return reads++ < 20 ? 'own' : thrown()
      },
      isSatisfied: () => true,
    }
    const { sdk } = await opened([shifty])
    for (let call = 0; call < 30; call++) await sdk.create(body, { own: 1 } as never)
    await sdk.close()
  })
})
