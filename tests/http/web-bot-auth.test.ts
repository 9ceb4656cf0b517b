import { toHex } from 'alvarium-sdk'
import { jwkThumbprint, signRequest, verifyRequest } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { failure } from '../support/failure.js'
import { ALTERATIONS, botRequest, isAcceptedByNpm, makeBotKey, signByNpm } from '../support/web-bot-auth.js'

const AGENT = 'https://bot.example'
const key = makeBotKey()
const keys = { [jwkThumbprint(key.verifyingKey)]: key.verifyingKey }
const options = { profile: 'web-bot-auth', keys } as const
const signing = { profile: 'web-bot-auth', signingKey: key.signingKey } as const

const signedHere = async (more: object = { signatureAgent: AGENT }) => {
  const request = botRequest(1)
  return { ...request, headers: await signRequest(request, { ...signing, ...more }) }
}
const codeOf = async (act: () => unknown) => (await failure(act)).code

// The vectors of draft-meunier-web-bot-auth-architecture: the key of RFC 9421, B.1.4.
const VECTOR_KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU',
  x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
}
const THUMBPRINT = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U'
const URL_OF_VECTORS = 'https://example.com/path/to/resource'
const VECTORS = [
  {
    named: 'without an agent',
    nonce: 'zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A==',
    signature: 'QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBNOADg8aM1MqfCg==',
    covered: '"@authority"',
    agent: {},
  },
  {
    named: 'with an agent in a dictionary',
    nonce: 'n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==',
    signature: 'RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==',
    covered: '"@authority" "signature-agent";key="agent2"',
    agent: { 'Signature-Agent': 'agent2="https://signature-agent.test"' },
  },
]

describe('the examples in the draft of Web Bot Auth', () => {
  it('name the test key of RFC 9421 by the thumbprint that jwkThumbprint returns', () => {
    expect(jwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x: VECTOR_KEY.x })).toBe(THUMBPRINT)
  })

  it.each(VECTORS)(
    'are accepted by verifyRequest, and refused for another host: the example $named',
    async (vector) => {
      const { covered, nonce, signature, agent } = vector
      const input = `(${covered});created=1735689600;keyid="${THUMBPRINT}";alg="ed25519";expires=4889289600;nonce="${nonce}";tag="web-bot-auth"`
      const headers = { ...agent, 'Signature-Input': `sig2=${input}`, Signature: `sig2=:${signature}:` }
      const verifying = {
        profile: 'web-bot-auth',
        keys: { [THUMBPRINT]: { kty: 'OKP', crv: 'Ed25519', x: VECTOR_KEY.x } },
        // The vectors are valid for a hundred years.
        maxAgeMs: 3_155_760_000_000,
      } as const
      const verified = await verifyRequest({ method: 'GET', url: URL_OF_VECTORS, headers }, verifying)
      expect(verified).toMatchObject({ keyId: THUMBPRINT, nonce, tag: 'web-bot-auth', expires: 4889289600 })
      const other = { method: 'GET', url: URL_OF_VECTORS.replace('example', 'sample'), headers }
      expect(await codeOf(() => verifyRequest(other, verifying))).toBe('SIGNATURE_INVALID')
    },
  )

  it('are the same as the output of signRequest, byte for byte', async () => {
    const [{ nonce, signature }] = VECTORS as [(typeof VECTORS)[0]]
    const times = { created: 1735689600, expires: 4889289600, nonce }
    const request = { method: 'GET', url: URL_OF_VECTORS, headers: {} }
    const headers = await signRequest(request, { profile: 'web-bot-auth', signingKey: VECTOR_KEY, ...times })
    expect(headers['Signature']).toBe(`sig1=:${signature}:`)
    const rest = `created=1735689600;keyid="${THUMBPRINT}";alg="ed25519";expires=4889289600`
    expect(headers['Signature-Input']).toBe(`sig1=("@authority");${rest};nonce="${nonce}";tag="web-bot-auth"`)
  })
})

describe('npm web-bot-auth', () => {
  it.each(['with', 'without'])(
    'accepts requests of signRequest %s a Signature-Agent header, unless they are altered',
    async (which) => {
      const request = await signedHere(which === 'with' ? { signatureAgent: AGENT } : {})
      expect(await isAcceptedByNpm(request, key)).toBe(true)
      expect(await isAcceptedByNpm({ ...request, url: 'https://mill.example/' }, key)).toBe(false)
    },
  )

  it('signs requests that verifyRequest accepts, unless they are altered', async () => {
    for (const headers of [{}, { 'Signature-Agent': `"${AGENT}"` }]) {
      const signed = await signByNpm(
        { ...botRequest(2), headers: { ...headers } as Record<string, string> },
        key,
      )
      expect((await verifyRequest(signed, options)).keyId).toBe(jwkThumbprint(key.verifyingKey))
    }
    const request = { ...botRequest(3), headers: { 'Signature-Agent': `"${AGENT}"` } }
    const signed = await signByNpm(request, key)
    for (const alter of ALTERATIONS) {
      expect(await codeOf(() => verifyRequest(alter(signed), options))).toMatch(
        /^(?:SIGNATURE_INVALID|MESSAGE_MALFORMED)$/,
      )
    }
  })
})

describe('a request with the profile web-bot-auth', () => {
  // claim: http-14
  it('names the key by its thumbprint, expires after five minutes, and has a fresh nonce of 64 bytes', async () => {
    const [one, other] = [await signedHere(), await signedHere()]
    const verified = await verifyRequest(one, options)
    expect(Number(verified.expires) - Number(verified.created)).toBe(300)
    expect(atob(verified.nonce as string).length).toBe(64)
    expect((await verifyRequest(other, options)).nonce).not.toBe(verified.nonce)
    expect(verified.components).toEqual(['"@authority"', '"signature-agent"'])
  })

  it('may name its agent in a dictionary, as in later drafts', async () => {
    const request = await signedHere({ signatureAgent: AGENT, signatureAgentForm: 'dictionary', label: 'me' })
    expect(request.headers['Signature-Agent']).toBe(`me="${AGENT}"`)
    expect((await verifyRequest(request, options)).components).toContain('"signature-agent";key="me"')
  })

  it('may have more signed components, which a verifier can require', async () => {
    const components = ['@method', '@target-uri', 'content-digest']
    const body = new TextEncoder().encode('{}')
    const request = await signedHere({ signatureAgent: AGENT, components, body })
    await verifyRequest(request, { ...options, components, body })
    const less = await signedHere()
    expect(await codeOf(() => verifyRequest(less, { ...options, components }))).toBe('SIGNATURE_INVALID')
  })

  // claim: http-16
  it('is refused without an expiry, without a signed @authority, or with a validity longer than maxAgeMs', async () => {
    const plain = {
      format: 'rfc9421',
      signingKey: key.signingKey,
      keyId: jwkThumbprint(key.verifyingKey),
      tag: 'web-bot-auth',
    } as const
    const now = Math.floor(Date.now() / 1000)
    const request = botRequest(5)
    const cases = [
      { components: ['@authority'] },
      { components: ['@method', '@path'], expires: now + 60 },
      { components: ['@authority'], created: now - 90_000, expires: now + 60 },
    ]
    for (const more of cases) {
      const headers = await signRequest(request, { ...plain, ...more })
      expect(await codeOf(() => verifyRequest({ ...request, headers }, options))).toBe('SIGNATURE_INVALID')
    }
  })

  it('is refused if its Signature-Agent header is not signed', async () => {
    const request = await signedHere({})
    const headers = { ...request.headers, 'Signature-Agent': `"${AGENT}"` }
    expect(await codeOf(() => verifyRequest({ ...request, headers }, options))).toBe('SIGNATURE_INVALID')
  })

  it('is refused if it was signed for a purpose other than web-bot-auth', async () => {
    const request = await signedHere()
    const input = (request.headers['Signature-Input'] as string).replace(
      'tag="web-bot-auth"',
      'tag="payment"',
    )
    const headers = { ...request.headers, 'Signature-Input': input }
    expect(await codeOf(() => verifyRequest({ ...request, headers }, options))).toBe('MESSAGE_MALFORMED')
  })

  it('is refused the second time if isNonceFresh returns false', async () => {
    const seen = new Set<string>()
    const isNonceFresh = (nonce: string) => !seen.has(nonce) && seen.add(nonce).size > 0
    const request = await signedHere()
    await verifyRequest(request, { ...options, isNonceFresh })
    expect(await codeOf(() => verifyRequest(request, { ...options, isNonceFresh }))).toBe('SIGNATURE_INVALID')
  })
})

describe('an option for the profile web-bot-auth', () => {
  it.each([
    [{ profile: 'web-bot-auto' }, 'signRequest.profile: expected web-bot-auth'],
    [{ format: 'rfc9421' }, 'signRequest.format: cannot be combined with profile'],
    [{ signatureAgent: 'http://bot.example' }, 'signRequest.signatureAgent: expected an origin of https'],
    [
      { signatureAgent: 'https://bot.example/keys' },
      'signRequest.signatureAgent: expected an origin of https',
    ],
    [{ components: ['@method'] }, 'signRequest.components: needs @authority or @target-uri'],
    [{ keyId: 'me' }, 'signRequest.keyId'],
    [{ created: 1000, expires: 999 }, 'signRequest.expires: expected a time not before created'],
  ])('is refused if it is invalid: %j', async (more, message) => {
    const error = await failure(() => signRequest(botRequest(1), { ...signing, ...more } as never))
    expect(`${error.code} ${error.message}`).toContain(`CONFIG_INVALID ${message}`)
  })

  it('is refused if it names an agent and the request already has a Signature-Agent header', async () => {
    const request = { ...botRequest(1), headers: { 'signature-agent': `"${AGENT}"` } }
    expect(await codeOf(() => signRequest(request, { ...signing, signatureAgent: AGENT }))).toBe(
      'CONFIG_INVALID',
    )
  })

  it('is refused if it is a tag for verifyRequest', async () => {
    const wrong = { ...options, tag: 'payment' } as never
    expect(await codeOf(() => verifyRequest(botRequest(1), wrong))).toBe('CONFIG_INVALID')
  })
})

it('jwkThumbprint returns the thumbprint of RFC 8037, A.3, for each form of the key', () => {
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
  const bytes = Uint8Array.from(atob(x.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))
  const expected = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
  expect(jwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x })).toBe(expected)
  expect([jwkThumbprint(bytes), jwkThumbprint(toHex(bytes))]).toEqual([expected, expected])
})
