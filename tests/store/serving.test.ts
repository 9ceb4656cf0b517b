// @each-database

import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { keyOf, source, verifyMessage } from 'alvarium-sdk'
import type { Store } from 'alvarium-sdk/store'
import { type ServeOptions, type StoreHandler, serveStore } from 'alvarium-sdk/store/serve'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { loggedSdk } from '../support/checkpoints.js'
import { codeOf } from '../support/failure.js'
import { genuineMessages, payload, previousPayload } from '../support/messages.js'
import { keyring, opened } from '../support/sdk.js'
import { fill, LOG } from '../support/store-metrics.js'
import { onEachDatabase } from './databases.js'

const HERE = 'http://localhost:8787'
const TOKEN = 'a-token-that-nobody-guesses'
const KEY = keyOf(payload)

async function asked(handler: StoreHandler, path: string, init: RequestInit = {}) {
  const response = await handler(new Request(new URL(path, HERE), init))
  const { status, headers } = response
  const text = await response.text()
  return {
    status,
    headers,
    text,
    json: headers.get('content-type')?.includes('json') && text !== '' ? JSON.parse(text) : undefined,
  }
}

async function verdictOf(handler: StoreHandler, path: string, init?: RequestInit) {
  const { status, json } = await asked(handler, path, init)
  return [status, json?.code].filter((one) => one !== undefined).join(' ')
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const query = (values: Record<string, string>) => new URLSearchParams(values).toString()

async function checker(handler: StoreHandler) {
  const { json } = await asked(handler, '/openapi.json')
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(json, 'api')
  return {
    paths: Object.keys(json.paths),
    faultsIn: (path: string, answer: unknown) => {
      const { $ref } = json.paths[path].get.responses['200'].content['application/json'].schema
      const check = ajv.compile({ $ref: `api${$ref}` })
      return check(answer) ? [] : check.errors
    },
  }
}

onEachDatabase((database) => {
  const serving = async (options?: ServeOptions): Promise<{ store: Store; handler: StoreHandler }> => {
    const store = await database.open()
    return { store, handler: serveStore(store, options) }
  }

  describe('serveStore()', () => {
    it('answers each query as its OpenAPI document specifies', async () => {
      const { store, handler } = await serving()
      const { transit, ...others } = await genuineMessages()
      await store.ingest([...Object.values(others), { message: transit, receivedAt: Date.now() }])
      const { paths, faultsIn } = await checker(handler)
      const from = new Date(Date.now() - 3_600_000).toISOString()
      const questions: Record<string, string> = {
        '/payload': query({ key: KEY }),
        '/payload/score': query({ key: KEY }),
        '/payload/history': query({ key: KEY, limit: '2' }),
        '/payload/lineage': query({ key: KEY }),
        '/payload/messages': query({ key: KEY }),
        '/bundles': query({ host: 'edge-7', kind: 'src', tag: 'v1', from }),
        '/answers': query({ from }),
        '/signers': '',
        '/missing': '',
        '/stats': '',
      }
      expect(paths).toEqual([...Object.keys(questions), '/metrics'])
      for (const [path, asking] of Object.entries(questions)) {
        const { status, json, headers } = await asked(handler, `${path}?${asking}`)
        expect([path, status, faultsIn(path, json)]).toEqual([path, 200, []])
        expect(headers.get('x-content-type-options')).toBe('nosniff')
      }
    })

    it.each(['/', '/stats', '/bundles', '/metrics', '/openapi.json', '/nowhere'])(
      'forbids shared caches to store its answer at %s',
      async (path) => {
        const { handler } = await serving()
        const { headers } = await asked(handler, path)
        expect(headers.get('cache-control')).toBe('private, no-cache')
      },
    )

    it('returns what the store’s own functions return about a payload: annotations, score, history, lineage and messages', async () => {
      const { store, handler } = await serving()
      await store.ingest(Object.values(await genuineMessages()))
      const { json: about } = await asked(handler, `/payload?key=${KEY}`)
      expect(about).toMatchObject({ key: KEY, bundles: 4, madeFrom: [{ key: keyOf(previousPayload) }] })
      expect(about.answers).toEqual([
        { kind: 'src', yes: 4, no: 0 },
        { kind: 'no', yes: 0, no: 4 },
      ])
      const { json: verdict } = await asked(handler, `/payload/score?key=${KEY}`)
      expect([verdict.score, verdict.why.answers.length]).toEqual([(await store.score(payload)).score, 2])
      const first = await asked(handler, `/payload/history?key=${KEY}&limit=3`)
      const second = await asked(handler, `/payload/history?key=${KEY}&limit=3&after=${first.json.next}`)
      expect([first.json.bundles.length, second.json.bundles.length, second.json.next]).toEqual([
        3,
        1,
        undefined,
      ])
      const down = query({ key: keyOf(previousPayload), direction: 'down' })
      const { json: lineage } = await asked(handler, `/payload/lineage?${down}`)
      expect(lineage.payloads.map(({ key, depth }: { key: string; depth: number }) => [key, depth])).toEqual([
        [keyOf(previousPayload), 0],
        [KEY, 1],
      ])
      const { json: evidence } = await asked(handler, `/payload/messages?key=${KEY}&limit=1`)
      const message = Buffer.from(evidence.messages[0].message, 'base64')
      expect([(await verifyMessage(message, { keyring, payload })).key, evidence.isWhole]).toEqual([
        KEY,
        false,
      ])
    })

    // Signed in between: a time of receipt is no time of signing.
    const [EARLY, LATE, LATEST] = ['2001-01-01T00:00:00Z', '2101-01-01T00:00:00Z', '2102-01-01T00:00:00Z']
    const CAME = [EARLY, undefined, LATE, LATEST]
    it.each<[Record<string, string>, readonly (string | undefined)[]]>([
      [{ from: EARLY }, CAME],
      [{ from: LATE }, []],
      [{ until: EARLY }, []],
      [{ until: LATE }, CAME],
      [{ from: EARLY, until: LATE }, CAME],
      [{ receivedFrom: LATE }, [LATE, LATEST]],
      [{ receivedUntil: LATE }, [EARLY]],
      [{ receivedFrom: EARLY, receivedUntil: LATEST }, [EARLY, LATE]],
      [{ receivedFrom: LATE, from: LATE }, []],
      [{ receivedFrom: LATE, until: LATE }, [LATE, LATEST]],
      [{ receivedUnknown: 'true' }, [undefined]],
      [{ receivedUnknown: 'true', until: EARLY }, []],
    ])('finds bundles by signing time and by time of receipt: %j', async (asking, times) => {
      const { store, handler } = await serving()
      const { sdk, stream } = await opened([source()])
      for (const at of CAME.keys()) await sdk.create(utf8(`${at}`))
      await sdk.close()
      const ms = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time))
      await store.ingest(stream.messages.map((message, at) => ({ message, receivedAt: ms(CAME[at]) })))
      const { json } = await asked(handler, `/bundles?${query({ host: 'edge-7', ...asking })}`)
      const came = json.bundles.map(({ receivedAt }: { receivedAt?: number }) => receivedAt)
      expect(came).toEqual(times.map(ms))
    })

    it('reports missing messages even if the store trusts no public key', async () => {
      const { sdk, keyring, messages, notes } = await loggedSdk({}, { every: 256 })
      for (let at = 0; at < 256; at++) await sdk.create(utf8(`payload ${at}`))
      await sdk.close()
      await (await database.open({ keyring })).ingest([
        ...messages.slice(0, 1),
        ...messages.slice(3),
        ...notes,
      ])
      const handler = serveStore(await database.open({ keyring: [] }))
      const { faultsIn } = await checker(handler)
      const { json } = await asked(handler, '/missing')
      expect(faultsIn('/missing', json)).toEqual([])
      expect(json.signers).toMatchObject([
        { verdict: 'incomplete', missing: [{ first: 1, last: 2, bundles: 2 }], isWhole: true },
      ])
      await database.query('delete from alvarium.bundle where seq % 2 = 0')
      const { signers } = (await asked(handler, `/missing?signer=${json.signers[0].signer}`)).json
      expect(signers).toMatchObject([{ verdict: 'incomplete', isWhole: false }])
      expect(signers[0].missing.length).toBe(100)
    })

    it('stops looking for missing messages when the client has disconnected', async () => {
      const { sdk, keyring, messages, notes } = await loggedSdk()
      await sdk.create(utf8('payload'))
      await sdk.close()
      const store = await database.open({ keyring })
      await store.ingest([...messages, ...notes])
      const left = { signal: AbortSignal.abort() }
      expect(await verdictOf(serveStore(store), '/missing', left)).toBe('503')
    })

    it('answers /missing with JSON data even if a signer has a hostile name', async () => {
      const { sdk, keyring, messages, notes } = await loggedSdk({}, { every: 2 })
      for (const text of ['a', 'b']) await sdk.create(utf8(text))
      await sdk.close()
      const store = await database.open({ keyring })
      await store.ingest([...messages, ...notes])
      const name = `</script><script>alert(1)</script>\u0000\u202e\u001b[2J${'ü'.repeat(30_000)}`
      await database.query('insert into alvarium.word values (1000, $1)', [utf8(name)])
      await database.query('update alvarium.bundle set signed_by = 1000')
      const { headers, text, json } = await asked(serveStore(store), '/missing')
      expect(json.signers).toMatchObject([{ name, verdict: 'complete' }])
      expect(headers.get('content-type')).toBe('application/json')
      expect(text).not.toMatch(/\p{Cc}/u)
    })

    it('returns hostile text as JSON data, and never as a page', async () => {
      const { store, handler } = await serving()
      const hostile = '</script><script>alert(1)</script>\u0000\u202e\u2028"\\'
      const kind = '__proto__'
      const annotators = [source(), { kind, isSatisfied: () => false }]
      const { sdk, stream } = await opened(annotators, { host: hostile, tag: hostile, hash: 'none' })
      const text = `${'ü'.repeat(30_000)}\u0000`
      await sdk.create(utf8(text))
      await sdk.close()
      expect((await store.ingest(stream.messages)).bundles).toBe(1)
      const about = await asked(handler, `/payload?${query({ key: text, hash: 'none' })}`)
      expect(about.json).toMatchObject({ key: text, hosts: [{ host: hostile, bundles: 1 }] })
      expect(about.json.answers).toContainEqual({ kind, yes: 0, no: 1 })
      const by = await asked(handler, `/bundles?${query({ host: hostile, kind, tag: hostile })}`)
      expect(by.json.bundles).toMatchObject([{ host: hostile, key: text }])
      const from = new Date(Date.now() - 3_600_000).toISOString()
      const { json } = await asked(handler, `/answers?from=${from}`)
      expect(json.hours).toContainEqual(expect.objectContaining({ host: hostile, kind, yes: 0, no: 1 }))
      for (const path of [
        `/payload?key=${query({ hostile })}`,
        '/<script>',
        `/bundles?${query({ [hostile]: 'x' })}`,
      ]) {
        const { headers, text: said } = await asked(handler, path)
        expect(headers.get('content-type')).toMatch(/^application\/(problem\+)?json$/)
        expect(said).not.toContain('\u0000')
      }
    })

    it('states that an answer is whole unless there are more hours than the limit', async () => {
      const { store, handler } = await serving()
      const { sdk, stream } = await opened([source(), { kind: 'checked', isSatisfied: () => true }])
      await sdk.create(utf8('reading'))
      await sdk.close()
      await store.ingest(stream.messages)
      const from = new Date(Date.now() - 3_600_000).toISOString()
      for (const [limit, isWhole] of [
        [1, false],
        [2, true],
        [3, true],
      ]) {
        const { json } = await asked(handler, `/answers?from=${from}&limit=${limit}`)
        expect(json).toMatchObject({ isWhole })
      }
    })

    it('counts the answers of annotators for at most 31 days from the time in the parameter `from`', async () => {
      const { store, handler } = await serving()
      const { sdk, stream } = await opened([source()])
      await sdk.create(utf8('reading'))
      await sdk.close()
      await store.ingest(stream.messages)
      const hoursFrom = async (days: number) => {
        const from = new Date(Date.now() - days * 86_400_000).toISOString()
        return (await asked(handler, `/answers?${query({ from })}`)).json.hours.length
      }
      expect([await hoursFrom(30), await hoursFrom(32)]).toEqual([1, 0])
    })

    it('refuses invalid requests with a code', async () => {
      const { handler } = await serving()
      const refused = {
        '/': '404',
        '/constructor': '404',
        '/payload': '400 CONFIG_INVALID',
        '/payload?key=1&key=2': '400 CONFIG_INVALID',
        '/payload?kee=1': '400 CONFIG_INVALID',
        '/payload?key=1&hash=sha1': '400 CONFIG_INVALID',
        '/payload/history?key=1&limit=1001': '400 CONFIG_INVALID',
        '/payload/history?key=1&limit=1e2': '400 CONFIG_INVALID',
        '/payload/history?key=1&after=-1': '400 CONFIG_INVALID',
        '/payload/lineage?key=1&implied=yes': '400 CONFIG_INVALID',
        '/missing?limit=101': '400 CONFIG_INVALID',
        '/missing?signer=edge-7': '400 CONFIG_INVALID',
        '/missing?after=0': '400 CONFIG_INVALID',
        '/bundles': '400 CONFIG_INVALID',
        '/bundles?from=yesterday': '400 CONFIG_INVALID',
        '/bundles?from=2026-11-20T10:00:00': '400 CONFIG_INVALID',
        [`/bundles?receivedUnknown=true&receivedFrom=${EARLY}`]: '400 CONFIG_INVALID',
        [`/bundles?receivedUnknown=true&receivedUntil=${EARLY}`]: '400 CONFIG_INVALID',
      }
      for (const [path, verdict] of Object.entries(refused)) {
        expect([path, await verdictOf(handler, path)]).toEqual([path, verdict])
      }
      const { json } = await asked(handler, '/payload?kee=1')
      expect(json).toEqual({
        title: 'Bad Request',
        status: 400,
        code: 'CONFIG_INVALID',
        detail: 'kee: is not a known parameter (key?)',
      })
      expect(await verdictOf(handler, '/stats', { method: 'POST', body: 'x' })).toBe('405')
      expect(await verdictOf(handler, '/stats', { headers: { 'content-length': '5' } })).toBe('413')
    })

    it('refuses a payload key that is invalid for its hash, and quotes the key in the error', async () => {
      const { handler } = await serving()
      for (const path of [
        '/payload',
        '/payload/score',
        '/payload/history',
        '/payload/lineage',
        '/payload/messages',
      ]) {
        const { status, json } = await asked(handler, `${path}?key=zz`)
        expect([status, json.code, json.detail], path).toEqual([
          ...[400, 'CONFIG_INVALID', 'key: expected the 64 hexadecimal digits of sha256, got "zz"'],
        ])
      }
      expect(await verdictOf(handler, '/payload?key=zz&hash=md5')).toBe('400 CONFIG_INVALID')
      expect(await verdictOf(handler, '/payload?key=zz&hash=none')).toBe('200')
      expect(await verdictOf(handler, `/payload?key=${KEY.toLowerCase()}`)).toBe('200')
    })

    it('has Prometheus metrics that count requests only by known paths and statuses', async () => {
      const store = await database.open({ log: LOG })
      await fill(store)
      const handler = serveStore(store)
      for (const path of ['/stats', '/bundles', '/<script>', '/secret?key=1', '/constructor'])
        await asked(handler, path)
      const { headers, text, status } = await asked(handler, '/metrics')
      expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
      const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      expect(samples.filter((line) => !/seconds/.test(line))).toEqual([
        ...['alvarium_store_up 1', 'alvarium_store_bundles_total 4', 'alvarium_store_pruned_total 0'],
        ...['alvarium_store_messages_total 4', 'alvarium_store_payloads 2'],
        'alvarium_store_quarantined_messages{code="SIGNER_UNKNOWN"} 1',
        expect.stringMatching(/^alvarium_store_quarantined_bytes [1-9]\d+$/),
        ...['alvarium_store_log_entries 4', 'alvarium_store_checkpoint_entries 4'],
        'alvarium_store_requests_total{path="/stats",status="200"} 1',
        'alvarium_store_requests_total{path="/bundles",status="400"} 1',
        'alvarium_store_requests_total{path="other",status="404"} 3',
      ])
      const seconds = (name: string) => Number(samples.find((line) => line.startsWith(name))?.split(' ')[1])
      for (const name of ['checkpoint_time', 'newest_received', 'newest_signed']) {
        expect(Math.abs(seconds(`alvarium_store_${name}_seconds`) - Date.now() / 1000), name).toBeLessThan(
          3_600,
        )
      }
      expect(await asked(handler, '/metrics', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    })

    it('reports in its metrics that the database does not answer, and continues counting', async () => {
      const { handler } = await serving()
      await database.query('drop schema alvarium cascade')
      await asked(handler, '/stats')
      const { status, text } = await asked(handler, '/metrics')
      expect([status, text.match(/^\w.*/gm)?.filter((line) => !/seconds/.test(line))]).toEqual([
        200,
        ['alvarium_store_up 0', 'alvarium_store_requests_total{path="/stats",status="503"} 1'],
      ])
    })

    it("has every metric that the example's alerts and dashboard use", async () => {
      const store = await database.open({ log: LOG })
      await fill(store)
      const handler = serveStore(store)
      await asked(handler, '/stats')
      const { text } = await asked(handler, '/metrics')
      const served = new Set(Array.from(text.matchAll(/^(\w+)/gm), ([name]) => name))
      for (const file of ['alerts.yaml', 'grafana.json']) {
        const drawn = read(`examples/stack/metrics/${file}`).match(/alvarium_store_\w+/g) ?? []
        expect(drawn.length).toBeGreaterThan(10)
        expect([file, drawn.filter((name) => !served.has(name))]).toEqual([file, []])
      }
    })

    it('sends an answer again only if it has changed', async () => {
      const { store, handler } = await serving()
      const { headers } = await asked(handler, '/stats')
      const known = { headers: { 'if-none-match': headers.get('etag') ?? '' } }
      expect(await asked(handler, '/stats', known)).toMatchObject({ status: 304, text: '' })
      await store.ingest(Object.values(await genuineMessages()))
      expect(await asked(handler, '/stats', known)).toMatchObject({ status: 200, json: { bundles: 4 } })
      expect(await asked(handler, '/stats', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    })

    it('answers 304 if If-None-Match is * or contains the ETag of the answer, even as a weak ETag', async () => {
      const { handler } = await serving()
      const { headers } = await asked(handler, '/stats')
      for (const known of [`W/${headers.get('etag')}`, `"other" , W/${headers.get('etag')}`, '*']) {
        expect(await verdictOf(handler, '/stats', { headers: { 'if-none-match': known } })).toBe('304')
      }
      expect(await verdictOf(handler, '/stats', { headers: { 'if-none-match': 'W/"other"' } })).toBe('200')
    })

    // claim: store-34
    it('reveals nothing about the database when the database fails', async () => {
      const { store, handler } = await serving()
      await database.query('drop schema alvarium cascade')
      const { status, json, headers } = await asked(handler, '/stats')
      expect([status, json.code, headers.get('retry-after')]).toEqual([503, 'STORE_FAILED', '5'])
      expect(json.detail).not.toContain('alvarium')
      await store.close()
      expect(await verdictOf(handler, '/stats')).toBe('503 STREAM_CLOSED')
    })

    // claim: store-33
    it('lets at most maxWaiting requests wait', async () => {
      const { handler } = await serving({ maxWaiting: 2 })
      const verdicts = await Promise.all(Array.from({ length: 4 }, () => verdictOf(handler, '/stats')))
      expect(verdicts).toEqual(['200', '200', '503 QUEUE_FULL', '503 QUEUE_FULL'])
      const answers = await Promise.all(Array.from({ length: 3 }, () => asked(handler, '/stats')))
      expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual([null, null, '1'])
    })
  })
})

describe('access to serveStore()', () => {
  /** A store without a database: these requests are not answered from it. */
  const store = { stats: async () => ({ quarantined: new Map() }) } as unknown as Store
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const from = (origin: string) => ({ headers: { origin } })

  // claim: threats-36, store-31
  it('without a token is limited to requests for localhost, or for a host in the options', async () => {
    const handler = serveStore(store)
    for (const host of ['localhost', '127.0.0.1:8787', '[::1]:1', 'LOCALHOST']) {
      expect(await verdictOf(handler, `http://${host}/stats`)).toBe('200')
    }
    for (const host of ['rebound.example', 'localhost.example', '127.0.0.2', '0.0.0.0']) {
      expect([host, await verdictOf(handler, `http://${host}/stats`)]).toEqual([host, '403'])
      expect(await verdictOf(handler, `http://${host}/docs`)).toBe('403')
    }
    const named = serveStore(store, { hosts: ['store.example'] })
    expect(await verdictOf(named, 'https://store.example/stats')).toBe('200')
    expect(await verdictOf(named, 'https://other.example/stats')).toBe('403')
  })

  it('is limited to callers with the token if a token is set', async () => {
    const handler = serveStore(store, { token: TOKEN })
    expect(await verdictOf(handler, 'http://store.example/stats', bearer(TOKEN))).toBe('200')
    expect(await verdictOf(handler, 'http://store.example/metrics', bearer(TOKEN))).toBe('200')
    expect(await verdictOf(handler, 'http://store.example/metrics')).toBe('401')
    for (const wrong of ['', TOKEN.slice(1), `${TOKEN}x`, TOKEN.toUpperCase()]) {
      expect(await verdictOf(handler, '/stats', bearer(wrong))).toBe('401')
    }
    const { status, headers } = await asked(handler, '/no-such-path')
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await verdictOf(handler, '/openapi.json')).toBe('200')
  })

  // claim: store-32
  it('is closed to pages of another origin, unless the options name the origin', async () => {
    const handler = serveStore(store, { origins: ['https://page.example'] })
    expect(await verdictOf(handler, '/stats', from(HERE))).toBe('200')
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost:1',
      'https://page.example.evil',
    ]) {
      expect([origin, await verdictOf(handler, '/stats', from(origin))]).toEqual([origin, '403'])
    }
    const { headers } = await asked(handler, '/stats', from('https://page.example'))
    expect(headers.get('access-control-allow-origin')).toBe('https://page.example')
    const init = { method: 'OPTIONS', ...from('https://page.example') }
    const preflight = await asked(handler, '/stats', init)
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'authorization',
    ])
    expect(await verdictOf(handler, '/stats', { method: 'OPTIONS', ...from('https://evil.example') })).toBe(
      '403',
    )
  })

  it('includes the page /docs, which has no scripts and loads no resources', async () => {
    const handler = serveStore(store, { path: '/api' })
    const { text, headers } = await asked(handler, '/api/docs')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(text).not.toMatch(/<script|src=|https?:\/\//)
    expect(text).toContain('GET /api/payload/lineage')
    expect(await verdictOf(handler, '/stats')).toBe('404')
    expect(await verdictOf(handler, '/api/stats')).toBe('200')
    expect((await asked(handler, '/api/openapi.json')).json.servers).toEqual([{ url: '/api' }])
  })

  it('is not opened with an invalid token, path or maxWaiting', async () => {
    expect(await codeOf(() => serveStore(store, { token: 'short' }))).toBe('CONFIG_INVALID')
    expect(await codeOf(() => serveStore(store, { path: 'api/' }))).toBe('CONFIG_INVALID')
    expect(await codeOf(() => serveStore(store, { maxWaiting: 0 }))).toBe('CONFIG_INVALID')
  })

  it('passes to the next client if a waiting client disconnects', async () => {
    const waiting: (() => void)[] = []
    const stats = () => new Promise((resolve) => waiting.push(() => resolve({ quarantined: new Map() })))
    const handler = serveStore({ stats } as unknown as Store, { maxWaiting: 2 })
    const leaving = new AbortController()
    const first = verdictOf(handler, '/stats')
    const second = verdictOf(handler, '/stats', { signal: leaving.signal })
    expect(await verdictOf(handler, '/stats')).toBe('503 QUEUE_FULL')
    leaving.abort()
    expect(await second).toBe('503')
    const third = verdictOf(handler, '/stats')
    expect(waiting.length).toBe(1)
    waiting[0]?.()
    expect(await first).toBe('200')
    await expect.poll(() => waiting.length).toBe(2)
    waiting[1]?.()
    expect(await third).toBe('200')
  })

  it('goes to an idle store if another store is busy', async () => {
    let go = () => {}
    const stats = () =>
      new Promise((resolve) => {
        go = () => resolve({ quarantined: new Map() })
      })
    const handler = serveStore([{ stats } as unknown as Store, store])
    const slow = verdictOf(handler, '/stats')
    await new Promise(setImmediate)
    expect(await verdictOf(handler, '/stats')).toBe('200')
    go()
    expect(await slow).toBe('200')
  })
})
