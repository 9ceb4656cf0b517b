import { createRequire } from 'node:module'
import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
import * as verifying from 'alvarium-sdk/verify'

const { signingKey, verifyingKey } = generateKey()
const payload = new TextEncoder().encode('hello')
const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
const { message } = await sdk.create(payload)
await sdk.close()
const keyring = new verifying.Keyring([verifyingKey])
const { payloadChecked } = await verifying.verifyMessage(message, { keyring, payload })
const missing = ['openSdk', 'mqtt', 'generateKey', 'subscribe'].filter((name) => !(name in verifying))
const required = typeof createRequire(import.meta.url)('alvarium-sdk/verify').verifyMessage
console.log(JSON.stringify({ payloadChecked, missing, required }))
