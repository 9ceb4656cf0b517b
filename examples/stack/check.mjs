// Starts the processes of compose.yaml, by its commands and settings, without Docker: Mosquitto as it is installed here,
// PostgreSQL in WebAssembly. Sends readings, stops the consumer and the broker, and asks what was said. CI runs this.
//
//   node examples/stack/check.mjs

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { parse } from 'yaml'
import { startMosquitto } from '../broker/mosquitto.mjs'
import { startPostgres } from '../database-consumer/server.mjs'
import { buildPage } from '../demo/build/build.mjs'
import { Child } from '../shared/child.mjs'
import { CHROMIUM } from '../shared/chromium.mjs'
import { within } from '../shared/deadline.mjs'
import { dim, green, red } from '../shared/terminal.mjs'

const ROOT = new URL('../../', import.meta.url)
const COMMAND = fileURLToPath(new URL('dist/cli/main.js', ROOT))
const { services } = parse(await readFile(new URL('compose.yaml', import.meta.url), 'utf8'))

const folder = await mkdtemp(join(tmpdir(), 'alvarium-stack-'))
const [broker, database] = await Promise.all([startBroker(), startPostgres()])
/** What is called in containers is called here. @type {readonly [string, string][]} */
const HERE = [
  ['ws://broker:9001', broker.url],
  ['ws://localhost:9001', broker.url],
  ['postgres://postgres:alvarium@database:5432/alvarium', database.url],
  ...['/private/', '/public/', '/page'].map(
    (path) => /** @type {[string, string]} */ ([path, folder + path]),
  ),
]
/** @type {Child[]} */
const children = []

try {
  await play()
  console.log(green('✓ everything went as expected'))
} catch (error) {
  console.error(red(`✗ ${error.message}`))
  process.exitCode = 1
} finally {
  await Promise.all(children.map((child) => child.stop()))
  await Promise.all([broker.stop(), database.close()])
  await rm(folder, { recursive: true })
}

async function play() {
  await Promise.all([makeKeys(), buildPage(join(folder, 'page'), 'broker')])
  const consumer = await start('consumer', 'listening')
  const service = await start('service', 'listening')
  await sendReading(service, '{"celsius":21.4}')
  await stores(2, consumer)
  await ask('{"celsius":21.4}')

  assert.equal(await consumer.stop(), 0, 'the consumer ends with exit code 0')
  await sendReading(service, '{"celsius":21.9}')
  await restartBroker()
  await stores(2, await start('consumer', 'listening'))
  await ask('{"celsius":21.9}')

  await openPage(await start('page', 'the page: '))
}

/** Mosquitto with the settings of mosquitto.conf; only its ports and its folder are others. */
async function startBroker() {
  const config = await readFile(new URL('mosquitto.conf', import.meta.url), 'utf8')
  const own = /^(listener|protocol|allow_anonymous|persistence_location) /
  const lines = config.split('\n').filter((line) => !own.test(line))
  return startMosquitto({ isDefault: true, config: [...lines, `persistence_location ${folder}/`] })
}

/** Once more, as every `docker compose up` does it: the second time there is nothing to do. */
async function makeKeys() {
  for (const path of ['private', 'public']) await mkdir(join(folder, path))
  const [shell, ...args] = services.keys.command.map(here)
  const command = args.map((text) =>
    text.replace('alvarium keygen', `"${process.execPath}" "${COMMAND}" keygen`),
  )
  for (let time = 0; time < 2; time++) execFileSync(shell, command, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** @param {string} name of a service in compose.yaml @param {string} sign that it has started */
async function start(name, sign) {
  const { command } = services[name]
  assert.equal(command[0], 'node')
  const child = new Child(new URL(command[1], ROOT), environmentOf(name))
  children.push(child)
  child.on('line', (line) => console.log(`${dim(name.padEnd(8))}  ${line}`))
  await child.says(sign)
  return child
}

/** @param {string} name @returns {Record<string, string>} */
function environmentOf(name) {
  const given = Object.entries(services[name].environment).map(([key, value]) => [key, here(`${value}`)])
  return { ...Object.fromEntries(given), HOST: '127.0.0.1', PORT: '0' }
}

/** @param {string} text */
function here(text) {
  return HERE.reduce((changed, [there, place]) => changed.replaceAll(there, place), text)
}

/** @param {Child} service @param {string} body */
async function sendReading(service, body) {
  const url = `${(await service.says('listening')).split(' ').at(-1)}/readings`
  const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(10_000) })
  console.log(`${dim('client  ')}  POST ${body}: ${response.status}`)
  assert.equal(response.status, 201)
}

/** One reading is two bundles, which may come in one group or in two. @param {number} count @param {Child} consumer */
async function stores(count, consumer) {
  const added = () => consumer.lines.map((line) => Number(/^stored (\d+) /.exec(line)?.[1] ?? 0))
  const sum = () => added().reduce((total, number) => total + number, 0)
  while (sum() < count) {
    const next = Promise.race([once(consumer, 'line'), consumer.died()])
    await within(next, 60_000, `consumer: expected ${count} stored bundles`)
  }
}

/** The session of the consumer and its messages are on the disk. */
async function restartBroker() {
  await broker.terminate()
  await broker.start()
  console.log(`${dim('broker  ')}  stopped, and started again`)
}

/** As `docker compose exec consumer` does it. @param {string} payload */
async function ask(payload) {
  const file = join(folder, 'reading.json')
  await writeFile(file, payload)
  const script = fileURLToPath(new URL('examples/database-consumer/ask.mjs', ROOT))
  const env = { ...process.env, ...environmentOf('consumer') }
  const answer = execFileSync(process.execPath, [script, file], { env, encoding: 'utf8' })
  console.log(answer.trimEnd())
  assert.match(answer, /transit .+ src true/)
  assert.match(answer, /2 of 2 stored messages verify/)
}

/** @param {Child} server */
async function openPage(server) {
  const url = (await server.says('the page: ')).split(' ').at(-1) ?? ''
  const browser = await chromium.launch(CHROMIUM)
  try {
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByText('Connected to broker').waitFor()
    console.log(`${dim('browser ')}  connected to the broker`)
  } finally {
    await browser.close()
  }
}
