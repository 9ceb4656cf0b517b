import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Makes one file of projects/bundled, as bundlers without support for workers do: `new URL(…)` in it is unchanged and
 * leads nowhere.
 */
export async function bundle(project: string): Promise<void> {
  const dist = join(project, 'dist')
  await mkdir(dist, { recursive: true })
  await bundleOne(join(project, 'node.mjs'), 'node', 'cjs', join(dist, 'node.cjs'))
  await bundleOne(join(project, 'page.mjs'), 'browser', 'esm', join(dist, 'page.js'))
  // Alias of Next.js' webpack.
  const empty = { bufferutil: join(project, 'empty.cjs') }
  await bundleOne(join(project, 'publish.mjs'), 'node', 'cjs', join(dist, 'publish.cjs'), empty)
  for (const page of ['plain', 'strict', 'trusted']) {
    await cp(join(project, `${page}.html`), join(dist, `${page}.html`))
  }
  await cp(join(project, '../node_modules/alvarium-sdk/dist/sdk/pool/worker.js'), join(dist, 'worker.js'))
}

async function bundleOne(
  input: string,
  platform: 'node' | 'browser',
  format: 'cjs' | 'esm',
  file: string,
  alias: Record<string, string> = {},
): Promise<void> {
  const built = await rolldown({ input, platform, resolve: { alias }, logLevel: 'silent' })
  await built.write({ file, format, codeSplitting: false })
  await built.close()
}
