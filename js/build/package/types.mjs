// The declarations, each once: dist/cjs has them, and those of ES modules say that they are the same. So a class is one class to
// TypeScript, however it was imported.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'tsdown'
import { NAMES, out, root } from './names.mjs'

/** `await using`, whatever the project's own settings have. */
const LIBRARY = '/// <reference lib="esnext.disposable" preserve="true" />\n'

export async function bundleTypes() {
  await build({
    cwd: root,
    config: false,
    tsconfig: false,
    platform: 'node',
    target: 'node20.19',
    outDir: join(out, 'dist/cjs'),
    clean: false,
    hash: false,
    logLevel: 'error',
    entry: Object.fromEntries(Object.entries(NAMES).map(([name, path]) => [name, `dist/${path}.d.ts`])),
    // As of ES modules: for CommonJS the types are a second pass, beside one that writes programs under the same names.
    format: 'esm',
    dts: { dtsInput: true, emitDtsOnly: true },
    // What names share is one file: by who shares what there would be forty.
    outputOptions: {
      entryFileNames: '[name].d.cts',
      chunkFileNames: '[name].d.cts',
      codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
      // By their own names, which gzip has seen: short ones are noise to it, and to who follows a definition.
      minifyInternalExports: false,
    },
  })
  for (const name of Object.keys(NAMES)) {
    const [esm, cjs] = [join(out, 'dist/esm', `${name}.d.ts`), join(out, 'dist/cjs', `${name}.d.cts`)]
    writeFileSync(esm, `${LIBRARY}export * from '../cjs/${name}.cjs'\n`)
    writeFileSync(cjs, `${LIBRARY}${withoutRegions(readFileSync(cjs, 'utf8'))}`)
  }
  const shared = join(out, 'dist/cjs/shared.d.cts')
  writeFileSync(shared, withoutRegions(readFileSync(shared, 'utf8')))
}

/** Which file of dist a declaration was in, is of no use where there is none. */
const withoutRegions = (text) => text.replace(/^\/\/#(?:region|endregion).*\n/gm, '')
