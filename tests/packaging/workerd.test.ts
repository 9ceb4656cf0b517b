import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { type Runtime, runtime } from './workerd.js'

describe('the packed package in workerd, the runtime of Cloudflare Workers', () => {
  const { folder } = inject('packed')
  const dist = join(folder, 'node_modules/alvarium-sdk/dist')
  let installed: Runtime
  let broker: Awaited<ReturnType<typeof startBroker>>

  beforeAll(async () => {
    installed = await runtime(dist)
    broker = await startBroker({})
  })
  afterAll(async () => {
    await installed?.removed()
    await broker?.close()
  })

  const started = (name: string) => installed.started(join(folder, 'workerd', name))

  it('signs, verifies and publishes over WebSocket in every request, even in simultaneous ones', async () => {
    const worker = await started('worker.mjs')
    const text = async (query = '') => (await worker.dispatchFetch(`http://worker/${query}`)).text()
    const publishing = `?broker=${encodeURIComponent(broker.url)}`
    expect(await text()).toBe('src')
    for (let request = 0; request < 3; request++) expect(await text(publishing)).toBe('src')
    const together = await Promise.all(Array.from({ length: 12 }, () => text(publishing)))
    expect(together).toEqual(Array(12).fill('src'))
    expect(await text(publishing)).toBe('src')
  })

  it.each(['P-256', 'secp256k1', 'SM2'])(
    'signs and verifies with %s, whose WebAssembly is imported too',
    async (name) => {
      const worker = await started('worker.mjs')
      expect(await (await worker.dispatchFetch(`http://worker/?algorithm=${name}`)).text()).toBe('src')
    },
  )

  // claim: edge-2
  it('writes an empty host name into bundles', async () => {
    const worker = await started('kept.mjs')
    expect(await (await worker.dispatchFetch('http://worker/')).text()).toBe('""')
  })

  // claim: edge-5
  it("hangs when a request uses another request's connection, and workerd ends that request", async () => {
    const worker = await started('kept.mjs')
    const publishing = `http://worker/?broker=${encodeURIComponent(broker.url)}`
    expect((await worker.dispatchFetch(publishing)).status).toBe(200)
    const second = await worker.dispatchFetch(publishing)
    expect([second.status, await second.text()]).toEqual([500, expect.stringContaining('had hung')])
  })

  it('refuses to open a pool, with an error that says to omit the pool', async () => {
    const worker = await started('worker.mjs')
    const answer = await worker.dispatchFetch('http://worker/?pool=1')
    expect(await answer.text()).toMatch(/^CORE_UNAVAILABLE pool: needs a runtime .* leave the pool out$/)
  })

  it('refuses to compile the core from bytes, with an error that names the file to import', async () => {
    const worker = await started('bytes.mjs')
    const body = await readFile(join(dist, 'core.wasm'))
    const answer = await worker.dispatchFetch('http://worker/', { method: 'POST', body })
    expect(await answer.text()).toMatch(/^CORE_UNAVAILABLE core: .*alvarium-sdk\/core\.wasm for useCore/)
  })
})
