import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, inject, it } from 'vitest'

/** Returns every file of a bundle for the edge of Next.js, loaded at once or lazily. */
async function filesAtTheEdge() {
  const bundle = await rolldown({
    input: join(inject('packed').folder, 'node_modules/alvarium-sdk/dist/index.js'),
    external: /\.wasm\?module$|^node:/,
    platform: 'neutral',
    resolve: { conditionNames: ['edge-light', 'module', 'import', 'browser', 'default'] },
    treeshake: false,
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk] : []))
}

/**
 * Code that Next.js 15 refuses in middleware: the last gives a warning with every build, the others end it. mqtt.js
 * for browsers contains such code.
 */
const REFUSED = /(?<![\w.$])(?:eval|Function)\(|WebAssembly\.compile\(|new MessageChannel\(/

it('no file that Next.js loads in its edge runtime contains code that webpack refuses to build', async () => {
  const files = await filesAtTheEdge()
  expect(files.length).toBeGreaterThan(1)
  expect(files.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).not.toContain(
    'mqtt',
  )
  expect(
    files.flatMap(({ moduleIds }) => moduleIds.filter((id) => /node_modules\/(mqtt|ws)\//.test(id))),
  ).toEqual([])
  expect(files.filter(({ code }) => REFUSED.test(code)).map(({ fileName }) => fileName)).toEqual([])
})
