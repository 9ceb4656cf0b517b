// Builds the demo page and serves it, with a broker:
//
//   npm run demo                                  http://127.0.0.1:4180/, or another port if that is taken
//                                                 b and Enter stops or restarts the broker
//   npm run demo -- --serverless                  without a broker: from worker to worker inside the page
//   npm run demo -- --build <dir>                 writes the serverless page for any static web server
//                   [--url <address>]             future address of the page, for link previews
//                   [--broker <ws address>]       writes a page that uses this broker instead

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { startBroker } from '../broker/broker.mjs'
import { bold, count, red, table } from '../shared/terminal.mjs'
import { buildPage, isOfAlgorithms, isOfTrust, sumOf, weigh } from './build/build.mjs'
import { PORT } from './build/port.mjs'
import { servePage } from './build/server.mjs'

try {
  const { values } = parseArgs({
    options: {
      build: { type: 'string' },
      broker: { type: 'string' },
      url: { type: 'string' },
      serverless: { type: 'boolean' },
    },
  })
  if (values.build) await write(resolve(values.build), values)
  else await serve(values.serverless ? 'serverless' : 'broker')
} catch (error) {
  console.error(red(`demo: ${error.message}`))
  process.exitCode = 1
}

/** @param {string} dir @param {import('./build/build.mjs').BuildOptions} options */
async function write(dir, { broker, url }) {
  for (const [name, address] of Object.entries({ broker, url })) {
    if (address !== undefined && !URL.canParse(address))
      throw new Error(`--${name}: expected an address, got ${address}`)
  }
  await buildPage(dir, broker ? 'broker' : 'serverless', { broker, url })
  const weights = await weigh(dir)
  const rows = weights.map(({ file, bytes }) => [file, count(bytes)])
  const own = weights.filter((file) => !isOfAlgorithms(file) && !isOfTrust(file))
  rows.push(
    ['all, compressed', count(sumOf(weights))],
    ['without keys of ECDSA and SM2, and trust policies', count(sumOf(own))],
  )
  console.log(table([['', 'bytes'], ...rows]).join('\n'))
  console.log(`\nWritten to ${dir}, for any static web server.`)
}

/** @param {'broker' | 'serverless'} mode */
async function serve(mode) {
  const dir = await mkdtemp(join(tmpdir(), 'alvarium-demo-'))
  try {
    await buildPage(dir, mode)
    await (mode === 'broker' ? serveWithBroker(dir) : serveAlone(dir))
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** @param {string} dir */
async function serveAlone(dir) {
  const page = await servePage({ dir, port: PORT })
  console.log(`${bold(page.url)}  the page, which needs no broker\n\nCtrl-C ends it.`)
  await interrupted()
  await page.close()
}

/** @param {string} dir */
async function serveWithBroker(dir) {
  const broker = await switchableBroker()
  const page = await servePage({ dir, port: PORT, broker: broker.url })
  console.log(`${bold(page.url)}  the page\n${broker.url}  its broker\n`)
  console.log('b and Enter stops the broker or starts it again, Ctrl-C ends both.')
  const lines = createInterface({ input: process.stdin }).on('line', (line) => {
    if (line.trim() === 'b') broker.toggle()
  })
  await interrupted()
  lines.close()
  await page.close()
  await broker.close()
}

/** Returns a broker that can be stopped and restarted at the same address, to show how the page reacts. */
async function switchableBroker() {
  let broker = /** @type {import('../broker/broker.mjs').Broker | undefined} */ (await startBroker())
  const { url, port } = /** @type {import('../broker/broker.mjs').Broker} */ (broker)
  let turning = Promise.resolve()
  const turn = async () => {
    const before = broker
    broker = before ? undefined : await startBroker({ port })
    await before?.close()
    console.log(before ? 'The broker is stopped.' : 'The broker is back.')
  }
  const toggle = () => {
    turning = turning.then(turn).catch((error) => console.error(red(`demo: ${error.message}`)))
  }
  const close = async () => {
    await turning
    await broker?.close()
  }
  return { url, toggle, close }
}

function interrupted() {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM']) process.once(name, resolve)
  })
}
