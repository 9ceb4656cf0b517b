// A program with an outbox, to be killed. It prints the outcome of each call at once, a line each:
//
//   node outbox-user.mjs '{ "folder": …, "url": …, "topic": …, "key": …, "from": 0 }'
//   node outbox-user.mjs '{ …, "notes": … }'        with checkpoints, in their own outbox
//   node outbox-user.mjs '{ …, "drain": true }'     sends the stored messages, and ends

import { mqtt, openSdk, source } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { outbox } from 'alvarium-sdk/outbox'
import { say } from './say.mjs'

const { folder, url, topic, key, from, notes, drain } = JSON.parse(process.argv[2] ?? '')
const IN_FLIGHT = 64

const stream = outbox({ stream: mqtt({ url, topic }), store: folder, closeTimeoutMs: 60_000 })
const logging = notes && {
  checkpoints: checkpoints({
    stream: outbox({
      stream: mqtt({ url, topic: `${topic}/signers` }),
      store: notes,
      closeTimeoutMs: 60_000,
    }),
    every: 32,
  }),
}
const sdk = await openSdk({ signingKey: key, annotators: [source()], stream, ...logging })
if (drain) await sdk.close()
else await Promise.all(Array.from({ length: IN_FLIGHT }, (_, lane) => callForEver(lane)))

async function callForEver(lane) {
  for (let number = from + lane; ; number += IN_FLIGHT) {
    try {
      await sdk.create(new TextEncoder().encode(`${number}`))
      say('stored', number)
    } catch (error) {
      say('failed', error.code)
    }
  }
}
