import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'

/** Brings the runtime, 120 MB of it: too much for everyone who installs this project. */
const MINIFLARE = 'miniflare@4.20260426.0'

interface Workerd {
  dispatchFetch(url: string, request?: object): Promise<{ text(): Promise<string> }>
  dispose(): Promise<void>
}

describe('the packed package in workerd, the runtime of Cloudflare Workers', () => {
  const { folder } = inject('packed')
  const dist = join(folder, 'node_modules/alvarium-sdk/dist')
  let tools: string
  let broker: Awaited<ReturnType<typeof startBroker>>
  const open: Workerd[] = []

  beforeAll(async () => {
    tools = await mkdtemp(join(tmpdir(), 'alvarium-workerd-'))
    await writeFile(join(tools, 'package.json'), '{}')
    const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', MINIFLARE]
    await promisify(execFile)('npm', install, { cwd: tools })
    broker = await startBroker({})
  })
  afterAll(async () => {
    await Promise.all(open.map((one) => one.dispose()))
    await broker?.close()
    await rm(tools, { recursive: true, force: true })
  })

  /** Runs a module of projects/workerd, bundled as Wrangler does: WebAssembly stays an import. */
  async function started(name: string): Promise<Workerd> {
    const bundle = await rolldown({
      input: join(folder, 'workerd', name),
      platform: 'browser',
      resolve: { conditionNames: ['workerd', 'worker', 'browser', 'import'] },
      plugins: [
        {
          name: 'wasm',
          resolveId: (id) => (id.endsWith('.wasm') ? { id: `./${basename(id)}`, external: true } : null),
        },
      ],
      logLevel: 'silent',
    })
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
    await bundle.close()
    const { Miniflare } = createRequire(join(tools, 'package.json'))('miniflare')
    const runtime: Workerd = new Miniflare({
      compatibilityDate: '2026-04-01',
      modulesRoot: '/',
      modules: [
        { type: 'ESModule', path: '/worker.mjs', contents: output[0].code },
        ...(await Promise.all(
          ['core.wasm', 'algorithms.wasm'].map(async (name) => ({
            type: 'CompiledWasm',
            path: `/${name}`,
            contents: await readFile(join(dist, name)),
          })),
        )),
      ],
    })
    open.push(runtime)
    return runtime
  }

  it('seals and verifies, and publishes over WebSocket in every request, one by one and many at once', async () => {
    const runtime = await started('worker.mjs')
    const text = async (query = '') => (await runtime.dispatchFetch(`http://worker/${query}`)).text()
    const publishing = `?broker=${encodeURIComponent(broker.url)}`
    expect(await text()).toBe('src')
    for (let request = 0; request < 3; request++) expect(await text(publishing)).toBe('src')
    const together = await Promise.all(Array.from({ length: 12 }, () => text(publishing)))
    expect(together).toEqual(Array(12).fill('src'))
    expect(await text(publishing)).toBe('src')
  })

  it.each(['P-256', 'secp256k1', 'SM2'])(
    'seals and verifies with %s, whose module is an import too',
    async (name) => {
      const runtime = await started('worker.mjs')
      expect(await (await runtime.dispatchFetch(`http://worker/?algorithm=${name}`)).text()).toBe('src')
    },
  )

  it('says that it has no workers to somebody who asks for a pool', async () => {
    const runtime = await started('worker.mjs')
    const answer = await runtime.dispatchFetch('http://worker/?pool=1')
    expect(await answer.text()).toMatch(/^CORE_UNAVAILABLE pool: expected a runtime .* leave the pool out$/)
  })

  it('says what to import where bytes may not be compiled', async () => {
    const runtime = await started('bytes.mjs')
    const body = await readFile(join(dist, 'core.wasm'))
    const answer = await runtime.dispatchFetch('http://worker/', { method: 'POST', body })
    expect(await answer.text()).toMatch(/^CORE_UNAVAILABLE core: .*alvarium-sdk\/core\.wasm for useCore/)
  })
})
