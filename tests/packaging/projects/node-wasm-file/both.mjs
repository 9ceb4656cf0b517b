import { generateKey, Keyring, memory, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { useCore } from 'alvarium-sdk/core'

const { signingKey, verifyingKey } = generateKey()
const keyring = new Keyring([verifyingKey])
useCore(new Uint8Array(8)) // too late to have an effect: the core runs
const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
const { message } = await sdk.create(new Uint8Array(1))
const { annotations } = await verifyMessage(message, { keyring })
await sdk.close()
console.log(JSON.stringify(annotations.map(({ kind }) => kind)))
