// An instance with an SDK that stays open between requests: makes a call for each IPC message, and answers with the id.
//
//   frozen.mjs URL      (of a broker, with an IPC channel)

import { generateKey, mqtt, openSdk, source } from 'alvarium-sdk'

const stream = mqtt({ url: process.argv[2], topic: 'alvarium' })
const sdk = await openSdk({ signingKey: generateKey().signingKey, annotators: [source()], stream })
process.on('message', async () => process.send((await sdk.create(new Uint8Array(1))).id))
process.send('ready')
