// @node-only: it needs a server

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  agentKeys,
  jwkSetAt,
  jwkThumbprint,
  keyDirectory,
  type RemoteKeysOptions,
  signRequest,
  verifyRequest,
} from 'alvarium-sdk/http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { base64, utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { type BotKey, botRequest, makeBotKey } from '../support/web-bot-auth.js'

const servers: Server[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

interface TestServer {
  readonly url: string
  requestCount: number
}

async function serve(listener: RequestListener): Promise<TestServer> {
  const served = { url: '', requestCount: 0 }
  const server = createServer((request, response) => {
    served.requestCount++
    listener(request, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return served
}

const serveJson = (value: () => unknown) => serve((_, response) => response.end(JSON.stringify(value())))

const DAY_MS = 86_400_000

/** Fetches a set from a server that fails from then on, and stops the clock of durations. */
async function fetchedOnce() {
  let status = 200
  const served = await serve((_, response) => {
    response.statusCode = status
    response.end(JSON.stringify(setOf([one, { kid: 'a' }])))
  })
  // A whole number: sums with fractions of a millisecond are rounded, and may be longer than the time added.
  const start = Math.ceil(performance.now())
  const clock = vi.spyOn(performance, 'now').mockReturnValue(start)
  const ask = asker(served.url)
  await ask(one, 'a')
  status = 500
  /** Verifies with the set's key, this many milliseconds after its download. */
  const askAfter = (ms: number) => {
    clock.mockReturnValue(start + ms)
    return ask(one, 'a')
  }
  return { served, askAfter }
}

/** Signs a request with a key under a name, and verifies it with the set at a URL. */
function asker(url: string, options: RemoteKeysOptions = {}) {
  const keys = jwkSetAt(url, options)
  return async (key: BotKey, keyId: string) => {
    const request = { method: 'GET', url: 'https://api.example/', headers: {} }
    const headers = await signRequest(request, { format: 'rfc9421', signingKey: key.signingKey, keyId })
    return verifyRequest({ ...request, headers }, { format: 'rfc9421', keys, body: new Uint8Array() })
  }
}

const faultOf = async (act: () => unknown) => {
  const { code, message } = await failure(act)
  return `${code} ${message}`
}
const setOf = (...keys: readonly [BotKey, object?][]) => ({
  keys: keys.map(([{ publicJwk }, more]) => ({ ...publicJwk, ...more })),
})
const [one, other] = [makeBotKey(), makeBotKey()]

describe('a JSON Web Key Set at a URL', () => {
  it('is fetched once for many messages, even if they are simultaneous', async () => {
    const served = await serveJson(() => setOf([one, { kid: 'a' }], [other]))
    const ask = asker(served.url)
    const asked = [
      ask(one, 'a'),
      ask(one, jwkThumbprint(one.verifyingKey)),
      ask(other, jwkThumbprint(other.verifyingKey)),
    ]
    expect((await Promise.all(asked)).map(({ keyId }) => keyId)[0]).toBe('a')
    await ask(one, 'a')
    expect(served.requestCount).toBe(1)
  })

  // claim: http-17, threats-100
  it('is not fetched again within a minute, even if messages name many unknown keys', async () => {
    const served = await serveJson(() => setOf([one, { kid: 'a' }]))
    const ask = asker(served.url)
    for (let number = 0; number < 20; number++) {
      expect(await faultOf(() => ask(other, `stranger-${number}`))).toContain('SIGNER_UNKNOWN')
    }
    expect(served.requestCount).toBe(1)
    await ask(one, 'a')
  })

  it('is fetched once more when a message names a key that was added', async () => {
    let set = setOf([one, { kid: 'a' }])
    const served = await serveJson(() => set)
    const ask = asker(served.url, { minIntervalMs: 0 })
    await ask(one, 'a')
    set = setOf([one, { kid: 'a' }], [other, { kid: 'b' }])
    await ask(other, 'b')
    await ask(one, 'a')
    expect(served.requestCount).toBe(2)
    expect(await faultOf(() => ask(other, 'c'))).toContain('SIGNER_UNKNOWN')
    expect(served.requestCount).toBe(3)
  })

  it('is fetched again when it is stale, and a removed key is not used', async () => {
    let set = setOf([one, { kid: 'a' }])
    const served = await serveJson(() => set)
    const ask = asker(served.url, { freshMs: 0, minIntervalMs: 0 })
    await ask(one, 'a')
    set = setOf([other, { kid: 'b' }])
    expect(await faultOf(() => ask(one, 'a'))).toContain('SIGNER_UNKNOWN')
  })

  it('stays in use for keepMs if it cannot be fetched again', async () => {
    let status = 200
    const served = await serve((_, response) => {
      response.statusCode = status
      response.end(JSON.stringify(setOf([one, { kid: 'a' }])))
    })
    const [keeping, dropping] = [
      { freshMs: 0, minIntervalMs: 0 },
      { freshMs: 0, minIntervalMs: 0, keepMs: 0 },
    ]
    const [ask, askAtOnce] = [asker(served.url, keeping), asker(served.url, dropping)]
    await ask(one, 'a')
    status = 500
    await ask(one, 'a')
    expect(await faultOf(() => askAtOnce(one, 'a'))).toContain(
      'could not be fetched: expected status 200, got 500',
    )
  })

  it('stays in use for a day by default if it cannot be fetched again', async () => {
    const { askAfter } = await fetchedOnce()
    await askAfter(DAY_MS)
    expect(await faultOf(() => askAfter(DAY_MS + 1))).toMatch(
      /^SIGNER_UNKNOWN .* expected status 200, got 500/,
    )
  })

  it('is requested at most once a minute if it cannot be fetched', async () => {
    const { served, askAfter } = await fetchedOnce()
    const requestsAfter: number[] = []
    for (const minutes of [10, 11, 11.5, 11.9, 12, 12.5]) {
      await askAfter(minutes * 60_000)
      requestsAfter.push(served.requestCount)
    }
    // The set is fresh for ten minutes.
    expect(requestsAfter).toEqual([1, 2, 2, 2, 3, 3])
  })

  it('may contain private, encryption, damaged, expired and other keys, which are skipped', async () => {
    const now = Math.floor(Date.now() / 1000)
    const served = await serveJson(() => ({
      keys: [
        { ...one.privateJwk, kid: 'private' },
        { ...one.publicJwk, kid: 'enc', use: 'enc' },
        { ...one.publicJwk, kid: 'alg', alg: 'RS256' },
        { ...one.publicJwk, kid: 'short', x: 'AAAA' },
        { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'rsa' },
        'no key',
        null,
        { ...other.publicJwk, kid: 'past', exp: now - 1 },
        { ...makeBotKey().publicJwk, kid: 'later', nbf: now + 1000 },
      ],
    }))
    const ask = asker(served.url)
    for (const kid of ['private', 'enc', 'alg', 'short', 'rsa']) {
      expect(await faultOf(() => ask(one, kid))).toContain('SIGNER_UNKNOWN')
    }
    for (const kid of ['past', 'later'])
      expect(await faultOf(() => ask(other, kid))).toContain('SIGNER_EXPIRED')
  })

  it('may contain P-256 keys, with which signatures of the algorithm ES256 verify', async () => {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
    const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
    const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', pair.publicKey)
    const served = await serveJson(() => ({ keys: [{ kty, crv, x, y, kid: 'p', alg: 'ES256', use: 'sig' }] }))
    const input = `("@method");created=${Math.floor(Date.now() / 1000)};keyid="p"`
    const base = utf8(`"@method": GET\n"@signature-params": ${input}`)
    const signature = base64(new Uint8Array(await crypto.subtle.sign(algorithm, pair.privateKey, base)))
    const headers = { 'Signature-Input': `s=${input}`, Signature: `s=:${signature}:` }
    const options = { format: 'rfc9421', keys: jwkSetAt(served.url), components: ['@method'] } as const
    const request = { method: 'GET', url: 'https://api.example/', headers }
    expect((await verifyRequest(request, options)).keyId).toBe('p')
    const other = { ...request, method: 'PUT' }
    expect((await failure(() => verifyRequest(other, options))).code).toBe('SIGNATURE_INVALID')
  })

  it.each([
    ['more bytes than maxBytes', { maxBytes: 100 }, 'at most 100 bytes'],
    ['more keys than maxKeys', { maxKeys: 1 }, 'at most 1 keys, got 2'],
  ])('is refused with %s', async (_, options, message) => {
    const served = await serveJson(() => setOf([one], [other]))
    expect(await faultOf(() => asker(served.url, options)(one, 'a'))).toContain(message)
  })

  it('is refused beyond maxBytes even if its header states fewer bytes or it never ends', async () => {
    const served = await serve((_, response) => {
      const write = () =>
        response.write(new Uint8Array(65_536).fill(0x20), () => !response.destroyed && write())
      write()
    })
    expect(await faultOf(() => asker(served.url)(one, 'a'))).toContain('at most 262144 bytes')
  })

  it('is refused if it does not arrive within timeoutMs', async () => {
    const silent = await serve(() => {})
    const slow = await serve((_, response) => response.write('{"keys":['))
    for (const { url } of [silent, slow]) {
      expect(await faultOf(() => asker(url, { timeoutMs: 50 })(one, 'a'))).toContain('no answer within 50 ms')
    }
  })

  // claim: http-18
  it('is not fetched from the target of a redirect', async () => {
    const target = await serveJson(() => setOf([one, { kid: 'a' }]))
    const served = await serve((_, response) => response.writeHead(302, { Location: target.url }).end())
    expect(await faultOf(() => asker(served.url)(one, 'a'))).toContain('expected status 200, got 302')
    expect(target.requestCount).toBe(0)
  })

  it.each(['not JSON', '[]', '{"keys":{}}', 'null'])(
    'is refused if the document is not a key set: %s',
    async (text) => {
      const served = await serve((_, response) => response.end(text))
      expect(await faultOf(() => asker(served.url)(one, 'a'))).toContain('SIGNER_UNKNOWN')
    },
  )

  it.each([
    'http://keys.example/jwks.json',
    'ftp://localhost/',
    'file:///etc/passwd',
    'https://user:secret@keys.example/',
    'keys.example',
    7,
  ])('is not fetched from the URL %s', async (url) => {
    const { code, message } = await failure(() => jwkSetAt(url as string))
    expect(code).toBe('CONFIG_INVALID')
    expect(message).not.toContain('secret')
  })

  it('cannot be used with the dialect of the other SDKs', async () => {
    const keys = jwkSetAt('https://keys.example/')
    const request = { method: 'GET', url: 'https://api.example/', headers: {} }
    expect((await failure(() => verifyRequest(request, { keys }))).code).toBe('CONFIG_INVALID')
  })
})

/** Serves the directory of an agent, and returns its origin. */
async function serveDirectory(keys: readonly BotKey[]): Promise<TestServer> {
  const served: TestServer = await serve(async (request, response) => {
    const directory = keyDirectory({ signingKeys: keys.map((key) => key.signingKey), origin: served.url })
    const answer = await directory(new Request(`${served.url}${request.url}`))
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  return served
}

describe('agents with one key directory each', () => {
  const signedBy = async ({ signingKey }: BotKey, signatureAgent: string, more: object = {}) => {
    const request = botRequest(1)
    const options = { profile: 'web-bot-auth', signingKey, signatureAgent, ...more } as const
    return { ...request, headers: await signRequest(request, options) }
  }

  it.each(['string', 'dictionary'])(
    'are identified by the keys that they publish, with Signature-Agent as a %s',
    async (form) => {
      const [first, second] = [await serveDirectory([one]), await serveDirectory([other])]
      const options = { profile: 'web-bot-auth', keys: agentKeys([first.url, `${second.url}/`]) } as const
      for (const [key, { url }] of [
        [one, first],
        [other, second],
      ] as const) {
        const request = await signedBy(key, url, { signatureAgentForm: form })
        expect((await verifyRequest(request, options)).signatureAgent).toBe(url)
      }
    },
  )

  // claim: http-15
  it('cannot sign for each other', async () => {
    const [first, second, stranger] = [
      await serveDirectory([one]),
      await serveDirectory([other]),
      await serveDirectory([one]),
    ]
    const options = { profile: 'web-bot-auth', keys: agentKeys([first.url, second.url]) } as const
    const request = await signedBy(one, second.url)
    expect(await faultOf(() => verifyRequest(request, options))).toContain('SIGNER_UNKNOWN keyid')
    const unlisted = await signedBy(one, stranger.url)
    expect(await faultOf(() => verifyRequest(unlisted, options))).toContain('SIGNER_UNKNOWN signature-agent')
    expect(stranger.requestCount).toBe(0)
  })

  it('must be named in the Signature-Agent header', async () => {
    const options = { profile: 'web-bot-auth', keys: agentKeys(['https://bot.example']) } as const
    const request = botRequest(1)
    const headers = await signRequest(request, { profile: 'web-bot-auth', signingKey: one.signingKey })
    expect(await faultOf(() => verifyRequest({ ...request, headers }, options))).toContain(
      'SIGNATURE_INVALID signature-agent',
    )
  })

  it.each([[[]], [['http://bot.example']], [['https://bot.example/keys']], ['https://bot.example'], [[7]]])(
    'cannot be listed as %j, but only by their https origins',
    async (agents) => {
      expect((await failure(() => agentKeys(agents as never))).code).toBe('CONFIG_INVALID')
    },
  )
})
