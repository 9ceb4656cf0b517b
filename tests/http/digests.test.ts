import { contentDigest, signRequest, verifyRequest } from 'alvarium-sdk/http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure, typeError } from '../support/failure.js'
import { keys, signer } from '../support/requests.js'

const request = { method: 'POST', url: 'https://api.example/readings', headers: {} }
const body = utf8('{"celsius":21.4}')
const [short, long] = [await contentDigest(body), await contentDigest(body, 'sha-512')]
const [other, otherLong] = [await contentDigest(utf8('x')), await contentDigest(utf8('x'), 'sha-512')]

async function judged(digests: string | string[], components = ['content-digest'], given = body) {
  const own = { 'Content-Digest': digests }
  const signing = { ...signer, format: 'rfc9421', components } as const
  const headers = { ...own, ...(await signRequest({ ...request, headers: own }, signing)) }
  return verifyRequest({ ...request, headers }, { format: 'rfc9421', keys, components, body: given })
}

describe('a body whose Content-Digest is signed', () => {
  afterEach(() => vi.unstubAllGlobals())

  it.each([
    ['by SHA-256', short],
    ['by SHA-512', long],
    ['by both', `${short}, ${long}`],
    ['by both, in two lines', [long, short]],
    ['next to an unknown algorithm', `sha-257=:YWJj:, ${short}`],
    ['next to an unknown member without a digest', `sha-257="abc", ${short}, constructor`],
    ['with parameters', `${short};x="sha-512=:YWJj:, "`],
  ])('verifies with digests %s', async (_, digests) => {
    expect(await judged(digests)).toMatchObject({ components: ['"content-digest"'] })
  })

  it('verifies if the signature covers individual members of Content-Digest', async () => {
    const one = '"content-digest";key="sha-256"'
    const two = '"content-digest";key="sha-512"'
    for (const components of [[one], [two, one], [one, 'content-digest'], ['content-digest', two]]) {
      expect((await judged([short, long], components)).components).toHaveLength(components.length)
    }
  })

  it.each([
    ['of a different body', other],
    ['of a different body by SHA-512', `${short}, ${otherLong}`],
    ['of a different body by SHA-256', `${other}, ${long}`],
  ])('is refused with PAYLOAD_MISMATCH if one digest is %s', async (_, digests) => {
    expect((await failure(() => judged(digests))).code).toBe('PAYLOAD_MISMATCH')
  })

  it('is refused with PAYLOAD_MISMATCH if one of several signed digests is of a different body', async () => {
    const components = ['"content-digest";key="sha-256"', '"content-digest";key="sha-512"']
    expect((await failure(() => judged(`${short}, ${otherLong}`, components))).code).toBe('PAYLOAD_MISMATCH')
  })

  it.each([
    ['of an unknown algorithm', 'sha-257=:YWJj:'],
    ['of a wrong length', `${short}, sha-512=:YWJj:`],
    ['by SHA-512 under the name sha-256', long.replace('512', '256')],
    ['of text', 'sha-256="abc"'],
    ['in a list', `sha-256=(${short.slice(8)})`],
    ['of white space', '  '],
  ])('is refused as MESSAGE_MALFORMED if the header has a digest %s', async (_, digests) => {
    const { code, message } = await failure(() => judged(digests))
    const got = digests.length > 39 ? `a text of ${digests.length} characters` : JSON.stringify(digests)
    expect(code).toBe('MESSAGE_MALFORMED')
    expect(message).toBe(`content-digest: expected a digest by sha-256 or sha-512, got ${got}`)
  })

  it('is refused as MESSAGE_MALFORMED if the header Content-Digest cannot be parsed', async () => {
    const { message } = await failure(() => judged('sha-256=:'))
    expect(message).toContain('content-digest: expected a dictionary (RFC 9651), got "sha-256=:": ')
  })

  it('may be signed together with another header, whose change makes the request refused', async () => {
    const own = { 'Content-Type': 'text/plain' }
    const components = ['content-type', 'content-digest']
    const signing = { ...signer, format: 'rfc9421', components, body } as const
    const signed = await signRequest({ ...request, headers: own }, signing)
    const options = { format: 'rfc9421', keys, components, body } as const
    const verify = (type: string) =>
      verifyRequest({ ...request, headers: { ...signed, 'Content-Type': type } }, options)
    expect(await verify('text/plain')).toBeDefined()
    expect((await failure(() => verify('text/html'))).code).toBe('SIGNATURE_INVALID')
  })

  it('makes contentDigest() throw a TypeError if it is a string', async () => {
    const { message } = await typeError(() => contentDigest('text' as never))
    expect(message).toBe('body: expected a Uint8Array, got a string')
  })

  it.each([
    ['globalThis.crypto', undefined],
    ['crypto.subtle', {}],
  ])('cannot be hashed by contentDigest() in a runtime without %s', async (_, crypto) => {
    vi.stubGlobal('crypto', crypto)
    const { code, message } = await failure(() => contentDigest(body))
    expect(code).toBe('CORE_UNAVAILABLE')
    const expected = 'content-digest: expected WebCrypto (a secure context), got a page or runtime without it'
    expect(message).toBe(expected)
  })
})
