import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { rolldown } from 'rolldown'

/** Measures new instances of Cloudflare's runtime, from request to response. @param {string} folder */
export async function openWorkerd(folder) {
  const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare')
  const dist = join(folder, 'node_modules/alvarium-sdk/dist')
  const wasm = await Promise.all(
    ['core.wasm', 'algorithms.wasm'].map(async (name) => ({
      type: 'CompiledWasm',
      path: `/${name}`,
      contents: await readFile(join(dist, name)),
    })),
  )
  return {
    async started(code) {
      // Skip mqtt, which a Worker can import only if it is bundled.
      if (code.includes("'mqtt'")) return undefined
      const contents = await workerOf(code, folder)
      const used = contents.includes('.wasm') ? wasm : []
      const modules = [{ type: 'ESModule', path: '/worker.mjs', contents }, ...used]
      const runtime = new Miniflare({ compatibilityDate: '2026-04-01', modulesRoot: '/', modules })
      try {
        await runtime.ready
        const [since, before] = [performance.now(), cpuOfChildren()]
        await (await runtime.dispatchFetch('http://worker/')).text()
        return { clock: performance.now() - since, cpu: cpuOfChildren() - before }
      } finally {
        await runtime.dispose()
      }
    },
    close: async () => {},
  }
}

/** Makes the bundle of a Worker as Wrangler does: WebAssembly remains an import. */
async function workerOf(code, folder) {
  const input = join(folder, 'worker.mjs')
  await writeFile(input, `export default { async fetch() {\n${code}\nreturn new Response('done') } }`)
  const bundle = await rolldown({
    input,
    platform: 'browser',
    resolve: { conditionNames: ['workerd', 'worker', 'browser', 'import'] },
    plugins: [
      {
        name: 'wasm',
        resolveId: (id) => (id.endsWith('.wasm') ? { id: `./${basename(id)}`, external: true } : undefined),
      },
    ],
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify: true })
  await bundle.close()
  return output[0].code
}

/** Returns the CPU time of all child processes in milliseconds. Linux counts in units of 10 ms. */
function cpuOfChildren() {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  const ticks = children.filter(Boolean).map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return 10 * ticks.reduce((total, one) => total + one, 0)
}
