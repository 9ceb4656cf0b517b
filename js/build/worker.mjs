// Makes dist/pool/worker.js one file that imports nothing, and the same as text in a module: what a bundler that knows
// nothing of workers leaves behind, a pool starts from that.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** @param {string} root the checkout, its TypeScript compiled */
export async function bundleWorker(root) {
  const dist = join(root, 'dist')
  const file = join(dist, 'pool/worker.js')
  const bundle = await rolldown({
    input: file,
    resolve: { alias: { '#platform': join(dist, 'platform/in-worker.js') } },
  })
  // No `import` and no `export`: so it runs as a module, as a script and as text.
  const { output } = await bundle.generate({ format: 'iife', strict: true, minify: true, comments: false })
  await bundle.close()
  const [{ code, imports }] = output
  if (imports.length > 0) throw new Error(`pool/worker.js: expected no imports, got ${imports.join(', ')}`)
  writeFileSync(file, code)
  rmSync(`${file}.map`)
  writeFileSync(join(dist, 'pool/worker-source.js'), `export const source = ${JSON.stringify(code)}\n`)
}
