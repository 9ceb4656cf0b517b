import { createRequire } from 'node:module'
import { generateKey, memory, openSdk } from 'alvarium-sdk'
import * as imported from 'alvarium-sdk/config'

const require = createRequire(import.meta.url)
const { $schema } = require('alvarium-sdk/schema.json')
const yaml = 'annotators: [src, mock]\nstream: { type: here }\n'

/** Returns the annotator kinds of an SDK that was opened with a config in YAML. */
async function kinds({ fromConfig }) {
  const stream = memory()
  const keys = generateKey()
  const sdk = await openSdk(await fromConfig(yaml, { keys, streams: { here: () => stream } }))
  const { bundle } = await sdk.create(new Uint8Array())
  await sdk.close()
  return bundle.annotations.map(({ kind }) => kind)
}

console.log(JSON.stringify([$schema, await kinds(imported), await kinds(require('alvarium-sdk/config'))]))
