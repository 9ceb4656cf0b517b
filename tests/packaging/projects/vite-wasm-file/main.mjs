import { generateKey, memory, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { useCore } from 'alvarium-sdk/core'
import url from 'alvarium-sdk/core.wasm?url'

async function roundTrip() {
  useCore(await WebAssembly.compileStreaming(fetch(url)))
  const { signingKey, verifyingKey } = generateKey()
  const payload = new TextEncoder().encode('hello')
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
  const { message } = await sdk.create(payload)
  const { annotations } = await verifyMessage(message, { keyring: [verifyingKey], payload })
  await sdk.close()
  return JSON.stringify(annotations.map(({ kind, isSatisfied }) => [kind, isSatisfied]))
}

document.querySelector('output').textContent = await roundTrip().catch(
  (error) => `${error.code} ${error.message}`,
)
