import { fileURLToPath } from 'node:url'
import { expect, inject, it } from 'vitest'
import { printed } from './packed.js'

const typescript = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

/** Projects that check the types of their packages too, with only the DOM's types or only Node's. */
it.each([
  ['bundler', 'preserve', ['main.ts', 'everything.ts'], ['--lib', 'es2022,dom']],
  ['nodenext', 'nodenext', ['main.ts', 'everything.ts'], ['--lib', 'es2022', '--types', 'node']],
])(
  "TypeScript finds the package's types with module resolution %s",
  async (resolution, module, files, has) => {
    const checks = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false']
    const how = ['--module', module, '--moduleResolution', resolution, '--ignoreDeprecations', '6.0']
    const paths = files.map((file) => `typescript/${file}`)
    const args = [typescript, ...checks, ...how, ...has, ...paths]
    await expect(printed(process.execPath, args, inject('packed').folder)).resolves.toBe('')
  },
)
