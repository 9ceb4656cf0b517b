import { generateKey } from 'alvarium-sdk'
import { contentDigest, pkiHttp, signRequest, verifyRequest } from 'alvarium-sdk/http'
import { describe, expect, it } from 'vitest'
import { failure } from '../support/failure.js'
import { keys, signer } from '../support/requests.js'

const now = () => Math.floor(Date.now() / 1000)
const request = { method: 'POST', url: 'https://api.example/readings?a=1&a=2', headers: {} }
const said = async (act: () => unknown) => {
  const { code, message } = await failure(act)
  return `${code} ${message}`
}

// claim: threats-38
describe('verifyRequest, before it reads long signed components,', () => {
  // The components are malformed, so any code that parses them fails.
  const components = '("@method" "x-none" "@query-param";name="a")'
  const refuse = (input: string) => {
    const headers = { 'Signature-Input': `s=${input}`, Signature: 'nothing that could be read' }
    return said(() =>
      verifyRequest({ ...request, headers }, { format: 'rfc9421', keys, components: ['@method'] }),
    )
  }

  it.each([
    ['that a key is named', `;created=NOW`, 'SIGNATURE_INVALID signature-input: needs the parameter keyid'],
    [
      'that the key is known',
      `;created=NOW;keyid="x"`,
      'SIGNER_UNKNOWN keyid: expected the name of a trusted key',
    ],
    [
      'the algorithm',
      `;created=NOW;keyid="k";alg="rsa"`,
      'SIGNATURE_INVALID signature-input: expected alg ed25519',
    ],
    ['the time of creation', `;created=1;keyid="k"`, 'SIGNATURE_INVALID created: expected a time at most'],
    [
      'the expiry',
      `;created=NOW;expires=1;keyid="k"`,
      'SIGNATURE_INVALID expires: expected a time not before created',
    ],
  ])('checks %s', async (_, parameters, message) => {
    const input = `${components}${parameters.replace('NOW', `${now()}`)}`
    expect(await refuse(input)).toContain(message)
  })

  it('checks that the required components are signed', async () => {
    const message = 'SIGNATURE_INVALID signature-input: expected "@method" among the signed components'
    expect(await refuse(`("x-none");created=${now()};keyid="k"`)).toContain(message)
  })

  it('checks the format of the signature after the parameters', async () => {
    expect(await refuse(`${components};created=${now()};keyid="k"`)).toContain('MESSAGE_MALFORMED signature')
  })

  it('checks in the dialect of the other SDKs that the key is known', async () => {
    const headers = { 'Signature-Input': '"x-none";keyid="x";alg="ed25519"', Signature: 'none' }
    expect(await said(() => verifyRequest({ ...request, headers }, { keys }))).toContain('SIGNER_UNKNOWN')
  })
})

describe('a request OPTIONS *, which is about the server itself,', () => {
  const url = 'https://api.example'
  const incoming = (headers: object, more: object = {}) => ({
    method: 'OPTIONS',
    url: '*',
    rawHeaders: Object.entries({ Host: 'api.example', ...headers }).flat(),
    ...more,
  })
  const components = ['@method', '@authority', '@path', '@request-target', '@target-uri']
  const options = { format: 'rfc9421', keys, components, origin: url } as const

  it('is signed as OPTIONS of a URL without a path, and verifies', async () => {
    const signing = { ...signer, format: 'rfc9421', components } as const
    const headers = await signRequest({ method: 'OPTIONS', url, headers: {} }, signing)
    expect(await verifyRequest(incoming(headers), options)).toMatchObject({ keyId: 'k' })
    const slash = { ...incoming(headers), url: '/' }
    expect(await said(() => verifyRequest(slash, options))).toContain('SIGNATURE_INVALID')
    const other = { ...options, origin: 'https://api.example.net' }
    expect(await said(() => verifyRequest(incoming(headers), other))).toContain('SIGNATURE_INVALID')
  })

  it('verifies in the dialect of the other SDKs, unlike GET *', async () => {
    const given = { method: 'OPTIONS', url: '*', headers: { Host: 'api.example' } }
    const headers = await signRequest(given, { ...signer, components: ['@method', '@path'] })
    expect(await verifyRequest(incoming(headers), { keys })).toMatchObject({ keyId: 'k' })
    const got = incoming(headers, { method: 'GET' })
    expect(await said(() => verifyRequest(got, { keys }))).toContain('MESSAGE_MALFORMED url: expected')
  })
})

describe('a mistake in the options of an HTTP function', () => {
  const sign = (options: object) => said(() => signRequest(request, { ...signer, ...options } as never))
  const verify = (options: unknown) => said(() => verifyRequest(request, options as never))

  it('is reported with the unknown option and the most similar known option', async () => {
    expect(await sign({ components: ['@method'], dialct: 'go' })).toBe(
      'CONFIG_INVALID signRequest.dialct: is not a known option (dialect?)',
    )
    expect(await verify({ keys, maxAge: 1 })).toContain(
      'CONFIG_INVALID verifyRequest.maxAge: is not a known option',
    )
    const annotator = () => pkiHttp({ keys, orign: 'https://api.example' } as never)
    expect(await said(annotator)).toContain('CONFIG_INVALID pkiHttp.orign: is not a known option (origin?)')
  })

  it('is reported for an unknown format before other options are checked', async () => {
    const expected = 'format: expected alvarium or rfc9421 (rfc9421?), got "rfc9420"'
    expect(await sign({ format: 'rfc9420', body: new Uint8Array() })).toContain(`signRequest.${expected}`)
    expect(await verify({ keys, format: 'rfc9420', tag: 'x' })).toContain(`verifyRequest.${expected}`)
    expect(await sign({ format: 7 })).toContain(
      'signRequest.format: expected alvarium or rfc9421, got a number',
    )
  })

  it('is reported as a missing option format: "rfc9421" if another option needs this format', async () => {
    const needing = (name: string) => `${name}: needs format: 'rfc9421'`
    for (const [name, value] of Object.entries({
      body: new Uint8Array(),
      nonce: 'n',
      expires: 1,
      label: 'x',
    })) {
      expect(await sign({ components: ['@method'], [name]: value })).toContain(`signRequest.${needing(name)}`)
    }
    for (const [name, value] of Object.entries({ tag: 'x', isNonceFresh: () => true })) {
      expect(await verify({ keys, [name]: value })).toContain(`verifyRequest.${needing(name)}`)
    }
  })

  it('is reported if the options are not an object', async () => {
    expect(await verify(undefined)).toContain('CONFIG_INVALID verifyRequest: expected an object with options')
    expect(await said(() => signRequest(request, undefined as never))).toContain(
      'CONFIG_INVALID signRequest: expected',
    )
    expect(await said(() => pkiHttp(undefined as never))).toContain(
      'CONFIG_INVALID pkiHttp: expected an object',
    )
  })

  it('is reported for a component that requests do not have', async () => {
    const listed = 'expected names of components of a request, got "@status"'
    for (const format of ['alvarium', 'rfc9421'] as const) {
      expect(await verify({ format, keys, components: ['@status'] })).toContain(
        `verifyRequest.components: ${listed}`,
      )
    }
    expect(await sign({ format: 'rfc9421', components: ['@status'] })).toContain(
      `signRequest.components: ${listed}`,
    )
    expect(await sign({ format: 'rfc9421', components: ['"@method";req'] })).toContain(
      'signRequest.components',
    )
  })

  it('is reported with the name of the key if one of the keys is invalid', async () => {
    expect(await verify({ keys: { ...keys, 'edge-7': 'nonsense' } })).toContain(
      'KEY_INVALID keys["edge-7"]: ',
    )
    const { verifyingKey } = await generateKey({ algorithm: 'secp256k1' })
    expect(await verify({ format: 'rfc9421', keys: { a: verifyingKey } })).toBe(
      'KEY_INVALID keys["a"]: expected an Ed25519 or P-256 key, got a key of secp256k1',
    )
  })

  it.each(['md5', 'sha256', 'SHA-256', 'toString', undefined, 7])(
    'is reported for the digest algorithm %j',
    async (name) => {
      if (name === undefined)
        return expect(await contentDigest(new Uint8Array(), name)).toContain('sha-256=:')
      const text = await said(() => contentDigest(new Uint8Array(), name as never))
      expect(text).toContain('CONFIG_INVALID contentDigest.algorithm: expected sha-256 or sha-512')
    },
  )
})
