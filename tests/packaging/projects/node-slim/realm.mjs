import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { generateKey, useCore } from 'alvarium-sdk/slim'

const bytes = await readFile(fileURLToPath(import.meta.resolve('alvarium-sdk/core.wasm')))
useCore(runInNewContext('new WebAssembly.Module(bytes)', { bytes }))
console.log(generateKey().signingKey.length)
