// The package's public types, as a report of API Extractor for each of its names: tests/packaging/api has what was
// agreed, so that whatever changes shows in a diff.
//
//   node tests/packaging/api.mjs            tells what differs, and fails
//   node tests/packaging/api.mjs --accept   writes the reports anew

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
// All names in one program: each would read all declarations again.
const compilerState = CompilerState.create(configs[0], {
  additionalEntryPoints: configs.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
})
const same = configs.map(
  (config) =>
    Extractor.invoke(config, { compilerState, localBuild: accept, showVerboseMessages: false }).succeeded,
)
const isSame = same.every(Boolean)
if (!isSame) console.error('If public types were meant to change: node tests/packaging/api.mjs --accept')
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
        // What is not exported by a name of its own (what pools are handed, for example) is meant to be nameless.
        extractorMessageReporting: {
          default: { logLevel: 'none' },
        },
        // TypeDoc's words, and the examples, are the documentation's business.
        tsdocMessageReporting: { default: { logLevel: 'none' } },
        compilerMessageReporting: { default: { logLevel: 'error' } },
      },
    },
    configObjectFullPath: join(root, 'tests/packaging/api.json'),
    packageJsonFullPath: join(root, 'package.json'),
  })
}
