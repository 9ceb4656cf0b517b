// Measures one cold process: imports an entry point of the package, opens an SDK or makes a keyring, and
// makes two calls. Prints the milliseconds of three steps: the import, opening the SDK or making the keyring
// together with the first call, and the second call. Also prints the CPU time until the end of the first
// call.
//
// node first.mjs ENTRY MESSAGE

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const [, , entry, given] = process.argv
const { text, signingKey, publicKey } = JSON.parse(given)
const before = process.cpuUsage()
const core = fileURLToPath(import.meta.resolve('alvarium-sdk/core.wasm'))
const since = performance.now()

const sdk = await import(entry)
const imported = performance.now() - since
const call = 'openSdk' in sdk ? await signing() : verifying()
await call()
const called = performance.now() - since - imported
const { user, system } = process.cpuUsage(before)

const again = performance.now()
await call()
const next = performance.now() - again
console.log(JSON.stringify({ imported, called, both: imported + called, next, cpu: (user + system) / 1000 }))

async function signing() {
  if ('useCore' in sdk) sdk.useCore(await readFile(core))
  const open = await sdk.openSdk({ signingKey, annotators: [sdk.source()], stream: sdk.memory() })
  return () => open.create(new Uint8Array(100))
}

function verifying() {
  const keyring = new sdk.Keyring([publicKey])
  return () => sdk.verifyMessage(new TextEncoder().encode(text), { keyring })
}
