// A program that opens an outbox on request, and prints the outcome, a line each time:
//
//   node outbox-opener.mjs <folder>
//
// Each line of input opens it, and the answer is `open`, or `refused` with a code. At the end of the input it sends
// its messages, and prints them and those reported as dropped.

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
