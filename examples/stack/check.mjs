// Runs the processes of compose.yaml with their commands and settings, but without Docker: with the Mosquitto
// and PostgreSQL installed on this machine. Sends readings, stops the ingester and the broker, and queries
// the annotations. CI runs this:
//
//   node examples/stack/check.mjs

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { parse } from 'yaml'
import { installedPostgres } from '../../tests/running/postgres.mjs'
import { startPostgres } from '../../tests/store/postgres.mjs'
import { startMosquitto } from '../broker/mosquitto.mjs'
import { buildPage as buildDashboard } from '../dashboard/build.mjs'
import { buildPage } from '../demo/build/build.mjs'
import { Child } from '../shared/child.mjs'
import { CHROMIUM } from '../shared/chromium.mjs'
import { within } from '../shared/deadline.mjs'
import { dim, green, red } from '../shared/terminal.mjs'

const ROOT = new URL('../../', import.meta.url)
const COMMAND = new URL('dist/cli/main.js', ROOT)
const { services } = parse(await readFile(new URL('compose.yaml', import.meta.url), 'utf8'))

const folder = await mkdtemp(join(tmpdir(), 'alvarium-stack-'))
const [broker, database] = await Promise.all([startBroker(), startPostgres('oldest')])
/** Addresses in containers, with their counterparts on this machine. @type {readonly [string, string][]} */
const HERE = [
  ['ws://broker:9001', broker.url],
  ['ws://localhost:9001', broker.url],
  ['@database/alvarium', `@${database.url.split('@')[1]}`],
  ...['/private/', '/public/', '/page', '/dashboard'].map(
    (path) => /** @type {[string, string]} */ ([path, folder + path]),
  ),
  ...filesOf('database'),
  ...filesOf('grants'),
]
/** Programs in container images, with local programs. @type {Record<string, readonly string[]>} */
const PROGRAMS = {
  alvarium: [process.execPath, fileURLToPath(COMMAND)],
  psql: [join(installedPostgres() ?? '', 'psql')],
}
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
  await Promise.all([broker.stop(), database.stop()])
  await rm(folder, { recursive: true })
}

async function play() {
  makeRoles()
  // Run the setup twice, because every `docker compose up` repeats it.
  for (let time = 0; time < 2; time++) for (const name of ['tables', 'grants']) run(name)
  await Promise.all([
    makeKeys(),
    buildPage(join(folder, 'page'), 'broker'),
    buildDashboard(join(folder, 'dashboard')),
  ])
  const ingester = await start('ingester', 'listening')
  const [service, dashboard] = [await start('service', 'listening'), await start('dashboard', 'the page: ')]
  await sendReading(service, '{"celsius":21.4}')
  await stored(2, dashboard)
  await ask('{"celsius":21.4}')

  assert.equal(await ingester.stop(), 130, 'the ingester ends as with Ctrl-C')
  await sendReading(service, '{"celsius":21.9}')
  await restartBroker()
  await start('ingester', 'listening')
  await stored(4, dashboard)
  await ask('{"celsius":21.9}')

  await openPages(await start('page', 'the page: '), dashboard)
}

/** Starts Mosquitto with the settings of mosquitto.conf, except for ports and folder. */
async function startBroker() {
  const config = await readFile(new URL('mosquitto.conf', import.meta.url), 'utf8')
  const own = /^(listener|protocol|allow_anonymous|persistence_location) /
  const lines = config.split('\n').filter((line) => !own.test(line))
  return startMosquitto({ isDefault: true, config: [...lines, `persistence_location ${folder}/`] })
}

/** Creates the database roles, as PostgreSQL's image does when it creates the database. */
function makeRoles() {
  const [script = ''] = filesOf('database').map(([there]) => there)
  assert.match(script, /^\/docker-entrypoint-initdb\.d\/\w+\.sql$/)
  run('grants', (text) => text.replace(/^--file=.+/, `--file=${script}`))
}

/** Makes the keys. The second run finds them and changes nothing. */
async function makeKeys() {
  for (const path of ['private', 'public']) await mkdir(join(folder, path))
  const asCommand = (/** @type {string} */ text) =>
    text.replace('alvarium keygen', `"${process.execPath}" "${fileURLToPath(COMMAND)}" keygen`)
  for (let time = 0; time < 2; time++) run('keys', asCommand)
}

/** Runs a service that ends by itself. @param {string} name @param {(text: string) => string} [changed] */
function run(name, changed = (text) => text) {
  const [program, ...args] = services[name].command.map((/** @type {string} */ text) => here(changed(text)))
  const [file, ...first] = PROGRAMS[program] ?? [program]
  const env = { ...process.env, ...environmentOf(name) }
  const said = execFileSync(file, [...first, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  for (const line of said.split('\n').filter(Boolean)) console.log(`${dim(name.padEnd(9))}  ${line}`)
}

/**
 * Starts a service that keeps running.
 *
 * @param {string} name in compose.yaml
 * @param {string} sign printed when it has started
 */
async function start(name, sign) {
  const [program, ...args] = services[name].command
  const env = environmentOf(name)
  const child =
    program === 'alvarium'
      ? new Child(COMMAND, env, { args: args.map(here), speaksBy: 'stderr' })
      : new Child(new URL(args[0], ROOT), env)
  children.push(child)
  child.on('line', (line) => console.log(`${dim(name.padEnd(9))}  ${line}`))
  await child.says(sign)
  return child
}

/** @param {string} name @returns {Record<string, string>} */
function environmentOf(name) {
  const given = Object.entries(services[name].environment ?? {}).map(([key, value]) => [
    key,
    here(`${value}`),
  ])
  return { ...Object.fromEntries(given), HOST: '127.0.0.1', PORT: '0' }
}

/**
 * Returns the files of this folder that a container mounts, by their paths in the container.
 *
 * @param {string} name
 * @returns {[string, string][]}
 */
function filesOf(name) {
  const files = services[name].volumes.map((/** @type {string} */ text) => text.split(':'))
  return files
    .filter(([from]) => from.startsWith('./'))
    .map(([from, to]) => [to, fileURLToPath(new URL(from, import.meta.url))])
}

/** @param {string} text */
function here(text) {
  return HERE.reduce((changed, [there, place]) => changed.replaceAll(there, place), text)
}

/** @param {Child} service @param {string} body */
async function sendReading(service, body) {
  const url = `${(await service.says('listening')).split(' ').at(-1)}/readings`
  const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(10_000) })
  console.log(`${dim('client   ')}  POST ${body}: ${response.status}`)
  assert.equal(response.status, 201)
}

/**
 * Waits until the dashboard's API counts this many bundles. Each reading adds two bundles.
 *
 * @param {number} count
 * @param {Child} dashboard
 */
async function stored(count, dashboard) {
  const url = `${await urlOf(dashboard)}api/stats`
  const bundles = async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    return (await response.json()).bundles
  }
  const counted = async () => {
    while ((await bundles()) < count) await sleep(50)
  }
  await within(counted(), 60_000, `ingester: expected ${count} stored bundles`)
  assert.equal(await bundles(), count)
}

/** Restarts the broker, which has stored the ingester's session and messages on disk. */
async function restartBroker() {
  await broker.terminate()
  await broker.start()
  console.log(`${dim('broker   ')}  stopped, and started again`)
}

/** Queries a payload, as `docker compose exec dashboard` does. @param {string} payload */
async function ask(payload) {
  const file = join(folder, 'reading.json')
  await writeFile(file, payload)
  const { DATABASE = '', ...env } = environmentOf('dashboard')
  const args = [fileURLToPath(COMMAND), 'store', 'about', file, '--database', DATABASE]
  const answer = execFileSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' })
  console.log(answer.trimEnd())
  assert.match(answer, /2 bundles/)
  assert.match(answer, /src/)
}

/** @param {Child} page @param {Child} dashboard */
async function openPages(page, dashboard) {
  const browser = await chromium.launch(CHROMIUM)
  try {
    for (const [server, text] of /** @type {const} */ ([
      [page, 'Connected to broker'],
      [dashboard, 'Store connected'],
    ])) {
      const opened = await browser.newPage()
      await opened.goto(await urlOf(server))
      await opened.getByText(text).waitFor()
      console.log(`${dim('browser  ')}  ${text}`)
    }
  } finally {
    await browser.close()
  }
}

/** @param {Child} server of a page */
async function urlOf(server) {
  return (await server.says('the page: ')).split(' ').at(-1) ?? ''
}
