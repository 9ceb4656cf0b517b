import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { generateKey, Keyring, keyOf, memory, openSdk, source, toHex, verifyMessage } from 'alvarium-sdk'
import { signRequest } from 'alvarium-sdk/http'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { blocksOf, fileOf } from '../guide/blocks.js'
import { utf8 } from '../support/bytes.js'
import { formOf } from '../support/forms.js'
import { bundled, type Runtime, runtime, type Workerd } from './workerd.js'

const URL_OF_IT = 'https://readings.example/readings'
const { signingKey, verifyingKey } = generateKey()
const client = generateKey()
const keyring = new Keyring([verifyingKey])
const payload = utf8('{"celsius":21.4}')
const bindings = {
  PRIVATE_KEY: `${toHex(signingKey)}\n`, // as Wrangler reads it from a file
  PUBLIC_KEY: toHex(verifyingKey),
  CLIENT_PUBLIC_KEY: toHex(client.verifyingKey),
}
const queues = {
  queueProducers: ['BUNDLES'],
  queueConsumers: { BUNDLES: { maxBatchTimeout: 0, maxRetries: 0 } },
}

describe('the guide’s Workers, pasted unchanged into workerd,', () => {
  const { folder } = inject('packed')
  const blocks = blocksOf('examples/guide/edge.md')
  const [both, forwarding] = blocks.filter(({ mark }) => mark === 'worker')
  const [verifying] = blocks.filter(({ mark }) => mark === 'handler')
  let installed: Runtime

  beforeAll(async () => {
    installed = await runtime(join(folder, 'node_modules/alvarium-sdk/dist'))
  })
  afterAll(() => installed?.removed())

  /** Starts a file with the pasted code, in a project with the package installed. */
  async function pasted(code: string, name: string, options: object): Promise<Workerd> {
    const path = join(folder, 'workerd', name)
    await writeFile(path, code)
    return installed.started(path, { bindings, ...options })
  }
  const started = (block: typeof both, options: object) =>
    pasted(block?.code ?? '', block ? fileOf(block) : '', options)

  it('annotate a signed request, and verify and store its message when the queue delivers it', async () => {
    const worker = await started(both, { ...queues, kvNamespaces: ['ARCHIVE'] })
    const signing = {
      format: 'rfc9421',
      signingKey: client.signingKey,
      keyId: 'edge-7',
      body: payload,
    } as const
    const headers = await signRequest({ method: 'POST', url: URL_OF_IT, headers: {} }, signing)
    const answer = await worker.dispatchFetch(URL_OF_IT, { method: 'POST', headers, body: payload })
    expect(answer.status).toBe(201)
    const { id } = JSON.parse(await answer.text())

    const archive = await worker.getKVNamespace('ARCHIVE')
    const name = `sha256/${keyOf(payload)}/${id}`
    await expect.poll(async () => (await archive.list()).keys.map(({ name }) => name)).toEqual([name])
    const message = new Uint8Array(await archive.get(name, 'arrayBuffer'))
    const { host, action, annotations } = await verifyMessage(message, { keyring, payload })
    expect([host, action]).toEqual(['readings-worker', 'transit'])
    expect(annotations).toMatchObject([{ kind: 'pki-http', isSatisfied: true }])
  })

  it('annotate concurrent requests, and refuse long ones', async () => {
    const together = { BUNDLES: { maxBatchTimeout: 1, maxBatchSize: 100, maxRetries: 0 } }
    const worker = await started(both, { ...queues, queueConsumers: together, kvNamespaces: ['ARCHIVE'] })
    const queue = await worker.getQueueProducer('BUNDLES')
    // With hash `none` the payload is its own key, which is too long for a name in KV.
    const stream = memory()
    const sdk = await openSdk({ signingKey, annotators: [source()], stream, hash: 'none' })
    await sdk.create(utf8('x'.repeat(600)))
    for (const bad of [utf8('{}'), ...stream.messages]) await queue.send(bad, { contentType: 'bytes' })
    const sent = Array.from({ length: 12 }, (_, at) =>
      worker.dispatchFetch(URL_OF_IT, { method: 'POST', body: utf8(`${at}`) }),
    )
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(12).fill(201))
    const long = await worker.dispatchFetch(URL_OF_IT, { method: 'POST', body: new Uint8Array(2 ** 20 + 1) })
    expect([long.status, await long.text()]).toEqual([413, '{"code":"BODY_TOO_LARGE"}'])
    const archive = await worker.getKVNamespace('ARCHIVE')
    await expect.poll(async () => (await archive.list()).keys).toHaveLength(12)
  })

  function withQueue(send: string): string {
    return `${both?.code.replace('export default', 'const worker =')}
      export default { fetch: (request, env) => worker.fetch(request, { ...env, BUNDLES: { send: ${send} } }) }`
  }

  it('answer 503 when the queue accepts nothing, and 500 when the queue can never accept the message', async () => {
    const busy = withQueue('async () => { throw new Error("Too Many Requests") }')
    const post = async (code: string, name: string) => {
      const worker = await pasted(code, name, {})
      const answer = await worker.dispatchFetch(URL_OF_IT, { method: 'POST', body: payload })
      return [answer.status, await answer.text()]
    }
    expect(await post(busy, 'busy.mjs')).toEqual([503, '{"code":"STREAM_UNAVAILABLE"}'])
    const long = busy.replace('127_000', '100')
    expect(await post(long, 'long.mjs')).toEqual([500, '{"code":"INTERNAL"}'])
  })

  // claim: edge-6
  it('send a batch of a queue to a broker over one connection', async () => {
    const broker = await startBroker()
    const messages: string[] = []
    let connections = 0
    broker.aedes.on('publish', ({ topic, payload }) => topic === 'alvarium' && messages.push(`${payload}`))
    broker.aedes.on('client', () => connections++)
    const worker = await started(forwarding, { ...queues, bindings: { BROKER_URL: broker.url } })
    const sent = ['one', 'two', 'three']
    const batch = sent.map((text) => ({ body: utf8(text), contentType: 'bytes' }))
    await (await worker.getQueueProducer('BUNDLES')).sendBatch(batch)
    await expect.poll(() => messages.toSorted()).toEqual(sent.toSorted())
    expect(connections).toBe(1)
    await broker.close()
  })

  // claim: edge-8
  it('weigh as much as the guide says', async () => {
    const path = join(folder, 'workerd', 'weighed.mjs')
    await writeFile(path, both?.code ?? '')
    const { contents } = await bundled(path, true)
    const page = await readFile(new URL('../../examples/guide/edge.md', import.meta.url), 'utf8')
    const kB = Number(/is (\d+) kB of gzip/.exec(page)?.[1])
    expect(Math.abs(gzipSync(contents).length / 1000 / kB - 1)).toBeLessThan(0.05)
  })

  it('verify incoming messages with a key from process.env', async () => {
    const compatibilityFlags = ['nodejs_compat']
    const worker = await started(verifying, { compatibilityFlags })
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
    const { message } = await sdk.create(payload)
    await sdk.close()
    const form = await formOf({ message, payload })
    const answer = await worker.dispatchFetch('https://verify.example/', { method: 'POST', ...form })
    expect([answer.status, JSON.parse(await answer.text())]).toMatchObject([200, { action: 'create' }])
  })
})
