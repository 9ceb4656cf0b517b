import { contentDigest, signRequest, verifyRequest } from 'alvarium-sdk/http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { keys, signedByPeer, signedByRfc, signer } from '../support/requests.js'

const request = { method: 'GET', url: 'https://api.example/', headers: {} }
const AT = 1_700_000_000
const covering = { format: 'rfc9421', keys, components: ['@method'], maxAgeMs: 3_155_760_000_000 } as const
const method = '"@method": GET\n'
const input = `("@method");created=${AT};keyid="k"`

/** What is said when there is one too many, and nothing when there are as many as there may be. */
const saidOf = (act: () => unknown) => failure(act).then(({ code, message }) => [code, message])

describe('a request is accepted at a limit, and refused with one more', () => {
  it('of characters in Signature-Input', async () => {
    const verify = (nonce: string) => {
      const headers = signedByRfc(method, `${input};nonce="${nonce}"`)
      return verifyRequest({ ...request, headers }, covering)
    }
    const most = 'x'.repeat(8192 - `s=${input};nonce=""`.length)
    expect(await verify(most)).toMatchObject({ nonce: most })
    const said = ['MESSAGE_MALFORMED', 'signature-input: expected at most 8192 characters, got 8193']
    expect(await saidOf(() => verify(`${most}x`))).toEqual(said)
  })

  it('of characters in Signature-Input of the other SDKs', async () => {
    const start = '"@method";keyid="k";alg="ed25519";nonce="'
    const verify = (nonce: string) => {
      const headers = signedByPeer('"@method" GET\n', `${start}${nonce}"`)
      return verifyRequest({ ...request, headers }, { keys })
    }
    const most = 'x'.repeat(8192 - start.length - 1)
    expect(await verify(most)).toMatchObject({ keyId: 'k' })
    const said = ['MESSAGE_MALFORMED', 'signature-input: expected at most 8192 characters, got 8193']
    expect(await saidOf(() => verify(`${most}x`))).toEqual(said)
  })

  it('of signatures', async () => {
    const verify = (others: number) => {
      const { 'Signature-Input': ours, ...rest } = signedByRfc(method, input)
      const more = Array.from({ length: others }, (_, at) => `t${at}=("@path")`)
      const headers = { 'Signature-Input': [`${ours}`, ...more], ...rest }
      return verifyRequest({ ...request, headers }, { ...covering, label: 's' })
    }
    expect(await verify(15)).toMatchObject({ label: 's' })
    const said = ['MESSAGE_MALFORMED', 'signature-input: expected at most 16 labels, got 17']
    expect(await saidOf(() => verify(16))).toEqual(said)
  })

  it('of components', async () => {
    const named = (count: number) => Array.from({ length: count }, (_, at) => `x-${at}`)
    const sign = (count: number) => {
      const headers = Object.fromEntries(named(count).map((name) => [name, name]))
      const components = named(count)
      return signRequest({ ...request, headers }, { ...signer, format: 'rfc9421', components })
    }
    const headers = { ...Object.fromEntries(named(64).map((name) => [name, name])), ...(await sign(64)) }
    const { components } = await verifyRequest(
      { ...request, headers },
      { ...covering, components: named(64) },
    )
    expect(components).toHaveLength(64)
    const said = ['MESSAGE_MALFORMED', 'signature-input: expected 1 to 64 components, got 65']
    expect(await saidOf(() => sign(65))).toEqual(said)
  })

  it('of characters in a URL', async () => {
    const verify = async (length: number) => {
      const given = { ...request, url: request.url.padEnd(length, 'x') }
      const headers = await signRequest(given, { ...signer, components: ['@path'] })
      return verifyRequest({ ...given, headers }, { keys })
    }
    expect(await verify(65_536)).toMatchObject({ components: ['"@path"'] })
    const expected = 'url: expected an absolute http or https URL without credentials'
    const said = ['MESSAGE_MALFORMED', expect.stringContaining(expected)]
    expect(await saidOf(() => verify(65_537))).toEqual(said)
  })

  it('of characters in a header', async () => {
    const verify = async (length: number) => {
      const own = { 'x-a': 'x'.repeat(length) }
      const signed = await signRequest({ ...request, headers: own }, { ...signer, components: ['x-a'] })
      return verifyRequest({ ...request, headers: { ...own, ...signed } }, { keys })
    }
    expect(await verify(65_536)).toMatchObject({ components: ['"x-a"'] })
    const said = ['MESSAGE_MALFORMED', 'x-a: expected at most 65536 characters, got 65537']
    expect(await saidOf(() => verify(65_537))).toEqual(said)
  })

  it('of characters in Content-Digest', async () => {
    const body = utf8('body')
    const whole = `${await contentDigest(body)};x="`
    const verify = async (length: number) => {
      const own = { 'Content-Digest': `${whole.padEnd(length - 1, 'x')}"` }
      const components = ['content-digest']
      const signing = { ...signer, format: 'rfc9421', components } as const
      const signed = await signRequest({ ...request, headers: own }, signing)
      return verifyRequest({ ...request, headers: { ...own, ...signed } }, { ...covering, components, body })
    }
    expect(await verify(1024)).toMatchObject({ components: ['"content-digest"'] })
    const said = ['MESSAGE_MALFORMED', 'content-digest: expected at most 1024 characters, got 1025']
    expect(await saidOf(() => verify(1025))).toEqual(said)
  })
})

describe('the time in which a signature is good', () => {
  afterEach(() => vi.restoreAllMocks())

  /** @param now - in milliseconds after it was signed */
  const verifyAt = async (now: number, times: object, options: object, format = 'rfc9421') => {
    const signing = { ...signer, format, components: ['@method'], created: AT, ...times }
    const headers = await signRequest(request, signing as never)
    vi.spyOn(Date, 'now').mockReturnValue(AT * 1000 + now)
    const judging = { keys, format, components: ['@method'], ...options }
    return verifyRequest({ ...request, headers }, judging as never)
  }
  const tooLate = `created: expected a time at most 3000 ms before now (${AT + 3}), and not after it, got ${AT}`
  const tooSoon = `created: expected a time at most 3000 ms before now (${AT - 1}), and not after it, got ${AT}`
  const ended = `expires: expected a time after ${AT + 2}, got ${AT + 2}`

  it.each([
    ['its age', 3_000, 3_001, {}, { maxAgeMs: 3000, clockSkewMs: 0 }, tooLate],
    ['its age, by clocks that differ', 3_500, 3_501, {}, { maxAgeMs: 3000, clockSkewMs: 500 }, tooLate],
    ['its beginning', 0, -1, {}, { maxAgeMs: 3000, clockSkewMs: 0 }, tooSoon],
    ['its beginning, by clocks that differ', -500, -501, {}, { maxAgeMs: 3000, clockSkewMs: 500 }, tooSoon],
    ['its end', 2_000, 2_001, { expires: AT + 2 }, { clockSkewMs: 0 }, ended],
    ['its end, by clocks that differ', 2_500, 2_501, { expires: AT + 2 }, { clockSkewMs: 500 }, ended],
  ])('has %s to the millisecond', async (_, good, bad, times, options, message) => {
    expect(await verifyAt(good, times, options)).toMatchObject({ created: AT })
    expect(await saidOf(() => verifyAt(bad, times, options))).toEqual(['SIGNATURE_INVALID', message])
  })

  it('is five minutes, by clocks that differ by one, unless told otherwise', async () => {
    expect(await verifyAt(360_000, {}, {})).toBeDefined()
    expect((await saidOf(() => verifyAt(360_001, {}, {})))[0]).toBe('SIGNATURE_INVALID')
    expect(await verifyAt(-60_000, {}, {})).toBeDefined()
    expect((await saidOf(() => verifyAt(-60_001, {}, {})))[0]).toBe('SIGNATURE_INVALID')
  })

  it('is for ever in the dialect of the other SDKs, unless told otherwise', async () => {
    expect(await verifyAt(1e13, {}, {}, 'alvarium')).toBeDefined()
    const limited = () => verifyAt(3_001, {}, { maxAgeMs: 3000, clockSkewMs: 0 }, 'alvarium')
    expect(await saidOf(limited)).toEqual(['SIGNATURE_INVALID', tooLate])
  })

  it('ends in the dialect of the other SDKs where they say so', async () => {
    const headers = signedByPeer(
      '"@method" GET\n',
      `"@method";created=${AT};expires=${AT + 2};keyid="k";alg="ed25519"`,
    )
    const verify = (now: number) => {
      vi.spyOn(Date, 'now').mockReturnValue(AT * 1000 + now)
      return verifyRequest({ ...request, headers }, { keys, clockSkewMs: 0 })
    }
    expect(await verify(2000)).toMatchObject({ expires: AT + 2 })
    expect(await saidOf(() => verify(2001))).toEqual(['SIGNATURE_INVALID', ended])
  })

  it('may be no time at all, as the signer says: it ends in the second in which it begins', async () => {
    expect(await verifyAt(0, { expires: AT }, { clockSkewMs: 0 })).toMatchObject({ expires: AT })
  })
})
