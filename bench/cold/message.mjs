// Makes a message and its key pair as text, for processes that sign or verify.

import { generateKey, memory, openSdk, source, toHex } from 'alvarium-sdk'

export async function madeMessage() {
  const { signingKey, verifyingKey } = generateKey()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
  const { message } = await sdk.create(new Uint8Array(100))
  await sdk.close()
  return {
    text: new TextDecoder().decode(message),
    signingKey: toHex(signingKey),
    publicKey: toHex(verifyingKey),
  }
}
