// The package's declarations, from the TypeScript, with maps that lead to it.

import { join } from 'node:path'
import { build } from 'tsdown'
import { inPackage } from './modules.mjs'
import { NAMES, out, root } from './names.mjs'

/** Brings `await using`, whatever the project's own settings have. */
const LIBRARY = '/// <reference lib="esnext.disposable" preserve="true" />'

export async function bundleTypes() {
  await build({
    cwd: root,
    config: false,
    tsconfig: join(root, 'tsconfig.json'),
    platform: 'node',
    target: 'node20.19',
    outDir: join(out, 'dist'),
    clean: false,
    fixedExtension: false,
    hash: false,
    logLevel: 'error',
    entry: Object.fromEntries(Object.values(NAMES).map((path) => [path, join(root, 'js', `${path}.ts`)])),
    format: 'esm',
    dts: { emitDtsOnly: true, sourcemap: true },
    banner: { dts: LIBRARY },
    // The types that names share are one file: by who shares them there would be forty.
    outputOptions: {
      chunkFileNames: 'common/[name].d.ts',
      codeSplitting: { groups: [{ name: 'types', minShareCount: 2 }] },
      sourcemapPathTransform: inPackage,
    },
  })
}
