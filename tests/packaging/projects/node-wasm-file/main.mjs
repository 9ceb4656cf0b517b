import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { generateKey, memory, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { useCore } from 'alvarium-sdk/core'

function codeOf(call) {
  try {
    call()
  } catch (error) {
    return error.code ?? error.name
  }
}

const early = codeOf(() => generateKey())
const promised = codeOf(() => useCore(Promise.resolve()))
const damaged = codeOf(() => useCore(new Uint8Array(8)))
const bytes = await readFile(fileURLToPath(import.meta.resolve('alvarium-sdk/core.wasm')))
// Compiled in another realm, as at the edge of Next.js.
useCore(runInNewContext('new WebAssembly.Module(bytes)', { bytes }))
const { signingKey, verifyingKey } = generateKey()
const payload = new TextEncoder().encode('hello')
const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
const { message } = await sdk.create(payload)
const { annotations } = await verifyMessage(message, { keyring: [verifyingKey], payload })
await sdk.close()
console.log(JSON.stringify([early, promised, damaged, annotations.map(({ kind }) => kind)]))
