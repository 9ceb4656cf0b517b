// Measures the rows of `npm run bench -- curve` in browsers, compared with their WebCrypto:
//
// node browsers.mjs [chromium] [firefox]
//
// Prints µs per signature, as the median of 200 short turns. Each turn runs all contenders.

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { launch } from '../../../tests/browsers/launch.mjs'
import { compile, GLUE, MODULE } from './build.mjs'

const FILES = { '/rows.mjs': new URL('rows.mjs', import.meta.url), '/glue.mjs': GLUE, '/module.wasm': MODULE }
const TYPES = { mjs: 'text/javascript', wasm: 'application/wasm' }
// With these two headers, the browser gives the page its finest clock.
const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
}

compile()
const server = createServer(answer).listen(0, '127.0.0.1')
await once(server, 'listening')
const names = process.argv.length > 2 ? process.argv.slice(2) : ['chromium', 'firefox']
for (const name of names) await report(name)
server.close()

async function answer({ url }, response) {
  const path = FILES[url]
  const type = TYPES[url.split('.').at(-1)] ?? 'text/html'
  response.writeHead(200, { ...ISOLATED, 'content-type': type })
  response.end(path ? await readFile(path) : '<!doctype html>')
}

async function report(name) {
  const browser = await launch(name)
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${server.address().port}/`)
    const medians = await page.evaluate(measured)
    console.log(`\n${await browser.version()}, 400 B: µs, its ratio to WebCrypto's`)
    for (const [row, micros] of Object.entries(medians)) {
      const rival = medians[row.includes('sign') ? 'WebCrypto sign' : 'WebCrypto verify']
      const columns = [micros.toFixed(1), (micros / rival).toFixed(3)]
      console.log(row.padEnd(22), ...columns.map((text) => text.padStart(8)))
    }
  } finally {
    await browser.close()
  }
}

/** Runs in the page. */
async function measured() {
  const [{ rowsOf }, glue] = await Promise.all([import('/rows.mjs'), import('/glue.mjs')])
  glue.initSync({ module: await (await fetch('/module.wasm')).arrayBuffer() })
  const [seed, message] = [32, 400].map((length) => crypto.getRandomValues(new Uint8Array(length)))
  const pkcs8 = Uint8Array.from([...atob('MC4CAQAwBQYDK2VwBCIEIA==')].map((c) => c.charCodeAt(0)))
  const key = await crypto.subtle.importKey(
    'pkcs8',
    await new Blob([pkcs8, seed]).arrayBuffer(),
    'Ed25519',
    false,
    ['sign'],
  )
  const raw = new glue.Pair(seed).public_key()
  const publicKey = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify'])
  const signature = await crypto.subtle.sign('Ed25519', key, message)
  const own = new glue.Pair(seed).sign(message)
  if (new Uint8Array(signature).join() !== own.join()) throw new Error('another signature')
  const rows = {
    'WebCrypto sign': { run: () => crypto.subtle.sign('Ed25519', key, message) },
    'WebCrypto verify': { run: () => crypto.subtle.verify('Ed25519', publicKey, signature, message) },
    ...rowsOf(glue.Pair, seed, message),
  }
  const samples = Object.fromEntries(Object.keys(rows).map((name) => [name, []]))
  for (let round = 0; round < 220; round++) {
    for (const [name, { run, units = 1 }] of Object.entries(rows)) {
      // Run long enough for the browser's clock, which has steps of 5 µs (Chromium) or 20 µs (Firefox).
      const times = units > 1 || name.startsWith('make') ? 1 : 20
      const start = performance.now()
      for (let time = 0; time < times; time++) {
        const result = run()
        if (result instanceof Promise) await result
      }
      if (round >= 20) samples[name].push(((performance.now() - start) * 1000) / times / units)
    }
  }
  const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1]
  return Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, median(list)]))
}
