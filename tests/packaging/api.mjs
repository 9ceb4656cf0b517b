// Compares the package's public types, as a report of API Extractor for each entry, with the accepted reports in
// tests/packaging/api. Every change shows in a diff.
//
//   npm run api                prints the differences, and fails
//   npm run api -- --accept    writes all reports anew: read their diff before you commit

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor'
import { PACKAGES } from '../../js/build/package/names.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const accept = process.argv.includes('--accept')
const configs = PACKAGES.flatMap((one) =>
  Object.entries(one.names).map(([name, module]) =>
    configOf(name === 'default' ? one.name : name, join(root, 'dist', `${module}.d.ts`)),
  ),
)
// One compiler program for all entries: separate ones would each read all declarations.
const compilerState = CompilerState.create(configs[0], {
  additionalEntryPoints: configs.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
})
const same = configs.map(
  (config) =>
    Extractor.invoke(config, { compilerState, localBuild: accept, showVerboseMessages: false }).succeeded,
)
const isSame = same.every(Boolean)
if (!isSame) console.error('If public types were meant to change: npm run api -- --accept')
process.exitCode = isSame ? 0 : 1

/** @param {string} name @param {string} mainEntryPointFilePath */
function configOf(name, mainEntryPointFilePath) {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath,
      compiler: { tsconfigFilePath: join(root, 'tsconfig.json') },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: join(root, 'tests/packaging/api'),
        reportTempFolder: join(root, 'node_modules/.cache/api'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      newlineKind: 'lf',
      messages: {
        // Types without an exported name (setups of pools, for example) are meant to have none.
        extractorMessageReporting: {
          default: { logLevel: 'none' },
        },
        // TypeDoc's tags and the examples are checked by the tests of the docs.
        tsdocMessageReporting: { default: { logLevel: 'none' } },
        compilerMessageReporting: { default: { logLevel: 'error' } },
      },
    },
    configObjectFullPath: join(root, 'tests/packaging/api.json'),
    packageJsonFullPath: join(root, 'package.json'),
  })
}
