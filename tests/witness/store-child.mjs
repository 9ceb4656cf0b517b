// A store that is killed: it stores bundles, signs a checkpoint, asks its witnesses, and prints the note. Argument: options as JSON.

import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'

const { folder, seed, origin, witnesses, quorum, witnessTimeoutMs } = JSON.parse(process.argv[2] ?? '')
const { signingKey, verifyingKey } = generateKey()
const stream = memory()
const sdk = await openSdk({ signingKey, annotators: [source()], stream })
const store = await openStore(`folder:${folder}`, {
  keyring: [verifyingKey],
  log: {
    origin,
    signingKey: { seed: new Uint8Array(seed) },
    witnesses,
    quorum,
    witnessTimeoutMs,
    everyMs: 3_600_000,
  },
})
let start = 0
for (let round = 0; ; round++) {
  const payloads = Array.from({ length: 1 + (round % 5) }, (_, at) =>
    new TextEncoder().encode(`${round} ${at}`),
  )
  await sdk.createMany(payloads)
  await store.ingest(stream.messages.slice(start))
  start = stream.messages.length
  const { note, witnessed, answers } = await store.askWitnesses()
  process.stdout.write(`${JSON.stringify({ note, witnessed, answers })}\n`)
}
