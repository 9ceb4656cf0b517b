import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { generateKey, memory, openSdk, source, useCore, verifyMessage } from 'alvarium-sdk/slim'

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
useCore(await readFile(fileURLToPath(import.meta.resolve('alvarium-sdk/core.wasm'))))
const { signingKey, verifyingKey } = generateKey()
const payload = new TextEncoder().encode('hello')
const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
const { message } = await sdk.create(payload)
const { annotations } = await verifyMessage(message, { keyring: [verifyingKey], payload })
await sdk.close()
console.log(JSON.stringify([early, promised, damaged, annotations.map(({ kind }) => kind)]))
