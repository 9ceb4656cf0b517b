import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, inject, it } from 'vitest'

/** Every file that a bundler for the edge of Next.js gets, at once or later. */
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

/** What Next.js 15 looks for in middleware: the last is a warning with every build, the others end it. mqtt.js for browsers has them. */
const REFUSED = /(?<![\w.$])(?:eval|Function)\(|WebAssembly\.compile\(|new MessageChannel\(/

it('no file for the edge of Next.js, however late it is loaded, has what webpack refuses to build there', async () => {
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
