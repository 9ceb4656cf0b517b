// Bundles the declarations of a package from the TypeScript, with source maps to the TypeScript.

import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'tsdown'
import { root } from './names.mjs'

/** Reference to the types of `await using`, for projects without `esnext.disposable` in `lib`. */
const LIBRARY = '/// <reference lib="esnext.disposable" preserve="true" />'

/**
 * Output folder, next to `js` as `dist` is in the package, so that the relative paths in source maps are
 * right.
 */
const FOLDER = join(root, 'types')

/**
 * Writes the bundled declarations of a package.
 *
 * @param {import('./names.mjs').PACKAGES[number]} one
 */
export async function bundleTypes({ names, out }) {
  await build({
    cwd: root,
    config: false,
    tsconfig: join(root, 'tsconfig.json'),
    platform: 'node',
    target: 'node20.19',
    outDir: FOLDER,
    fixedExtension: false,
    hash: false,
    logLevel: 'error',
    entry: Object.fromEntries(Object.values(names).map((path) => [path, join(root, 'js', `${path}.ts`)])),
    format: 'esm',
    dts: { emitDtsOnly: true, sourcemap: true },
    banner: { dts: LIBRARY },
    // Put all shared types into one file: tsdown would write about forty files.
    outputOptions: {
      chunkFileNames: 'common/[name].d.ts',
      codeSplitting: { groups: [{ name: 'types', minShareCount: 2 }] },
    },
  })
  cpSync(FOLDER, join(out, 'dist'), { recursive: true })
  rmSync(FOLDER, { recursive: true })
}
