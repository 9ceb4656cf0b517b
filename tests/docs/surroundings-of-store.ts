// Names that examples with a store use. They share one store, because opening one takes a second; other examples do not
// import this.

import { openStore } from 'alvarium-sdk/store'
import { keyring, message, signingKey } from './surroundings.js'

export const store = await openStore('memory:', { keyring, log: { origin: 'example.com/store', signingKey } })
await store.ingest([message])
