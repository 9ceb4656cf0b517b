// A program that opens an outbox when it is told to, and says what came of it, a line each time:
//
//   node outbox-opener.mjs <folder>
//
// A line comes in: it opens, and says `open`, or `refused` with a code. Nothing more comes in: it sends what is there, and says what
// that was, and what was told to be gone.

import { createInterface } from 'node:readline'
import { outbox } from 'alvarium-sdk/outbox'
import { say } from './say.mjs'

const [, , folder = ''] = process.argv
const text = new TextDecoder()
const [delivered, gone] = [[], []]
let go = () => {}
const told = new Promise((resolve) => {
  go = resolve
})
const stream = { connect: () => told, publish: (message) => delivered.push(text.decode(message).trim()) }
const box = outbox({ stream, store: folder })
box.addEventListener('damaged', ({ numbers }) => gone.push(...numbers))

const lines = createInterface(process.stdin)
lines.once('line', async () => {
  try {
    await box.connect()
    say('open')
  } catch (error) {
    say('refused', error.code ?? error)
    go()
  }
})
lines.once('close', async () => {
  go()
  while (box.stored.messages > 0) await new Promise((resolve) => setTimeout(resolve, 2))
  await box.close()
  say('outcome', JSON.stringify({ delivered, gone }))
})
say('ready')
