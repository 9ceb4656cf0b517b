import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'

/** Miniflare brings a runtime of 120 MB: too much for every installation of this project. */
const MINIFLARE = 'miniflare@4.20260426.0'

export interface Workerd {
  dispatchFetch(url: string, request?: object): Promise<{ status: number; text(): Promise<string> }>
  getKVNamespace(binding: string): Promise<{
    list(): Promise<{ keys: { name: string }[] }>
    get(name: string, type: 'arrayBuffer'): Promise<ArrayBuffer>
  }>
  getQueueProducer(binding: string): Promise<{
    send(body: Uint8Array, options: object): Promise<unknown>
    sendBatch(messages: readonly { body: Uint8Array; contentType: string }[]): Promise<unknown>
  }>
  dispose(): Promise<void>
}

export interface Runtime {
  /** Runs a module, bundled as Wrangler does: WebAssembly is still an import. Options are Miniflare's. */
  started(input: string, options?: object): Promise<Workerd>
  /** Ends all Workers, and removes the runtime. */
  removed(): Promise<void>
}

/** Installs the runtime. `dist` is the folder of the package's WebAssembly. */
export async function runtime(dist: string): Promise<Runtime> {
  const tools = await mkdtemp(join(tmpdir(), 'alvarium-workerd-'))
  await writeFile(join(tools, 'package.json'), '{}')
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', MINIFLARE]
  await promisify(execFile)('npm', install, { cwd: tools })
  const { Miniflare } = createRequire(join(tools, 'package.json'))('miniflare')
  const open: Workerd[] = []
  return {
    async started(input, options) {
      const modules = [await bundled(input), ...(await compiled(dist))]
      const one = new Miniflare({ compatibilityDate: '2026-04-01', modulesRoot: '/', ...options, modules })
      open.push(one)
      return one
    },
    async removed() {
      await Promise.all(open.map((one) => one.dispose()))
      await rm(tools, { recursive: true, force: true })
    },
  }
}

/** Returns a module as Wrangler uploads it. */
export async function bundled(input: string, minify = false) {
  const wasm = {
    name: 'wasm',
    resolveId: (id: string) => (id.endsWith('.wasm') ? { id: `./${basename(id)}`, external: true } : null),
  }
  const conditionNames = ['workerd', 'worker', 'browser', 'import']
  const bundle = await rolldown({
    input,
    platform: 'browser',
    resolve: { conditionNames },
    plugins: [wasm],
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify })
  await bundle.close()
  return { type: 'ESModule', path: '/worker.mjs', contents: output[0].code }
}

function compiled(dist: string) {
  return Promise.all(
    ['core.wasm', 'algorithms.wasm'].map(async (name) => ({
      type: 'CompiledWasm',
      path: `/${name}`,
      contents: await readFile(join(dist, name)),
    })),
  )
}
