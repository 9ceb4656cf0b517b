// Starts a broker, the verifier and the service, and acts as a client and as an attacker. CI runs this:
//
//   node examples/node-service/run.mjs

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, keyOf, toHex } from 'alvarium-sdk'
import { startBroker } from '../broker/broker.mjs'
import { Child } from '../shared/child.mjs'
import { dim, green, red, short } from '../shared/terminal.mjs'

const folder = await mkdtemp(join(tmpdir(), 'alvarium-'))
const broker = await startBroker()
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
  await broker.close()
  await rm(folder, { recursive: true })
}

async function play() {
  const { privateFile, publicFile } = await writeKeys()
  const verifier = start('verifier.mjs', { PUBLIC_KEY_FILES: publicFile })
  await verifier.says('listening')
  const service = start('service.mjs', { KEY_FILE: privateFile, PORT: '0', PUBLISH_TIMEOUT_MS: '2000' })
  const url = `${(await service.says('listening')).split(' ').at(-1)}/readings`
  const seen = rememberMessages()

  await sendReadings(url, verifier)
  await sendWhatIsRefused(url)
  await alterAMessage(seen, verifier)
  await stopTheBroker(url)
  assert.equal(await service.stop(), 0, 'the service ends with exit code 0')
  assert.equal(await verifier.stop(), 0, 'the verifier ends with exit code 0')
}

/** Writes key files in hexadecimal, as the other SDKs do. */
async function writeKeys() {
  const { signingKey, verifyingKey } = generateKey()
  const privateFile = join(folder, 'private.key')
  const publicFile = join(folder, 'public.key')
  await writeFile(privateFile, toHex(signingKey), { mode: 0o600 })
  await writeFile(publicFile, toHex(verifyingKey))
  return { privateFile, publicFile }
}

/** @param {string} script @param {Record<string, string>} env */
function start(script, env) {
  const child = new Child(new URL(script, import.meta.url), { BROKER_URL: broker.url, ...env })
  const name = script.replace('.mjs', '').padEnd(8)
  child.on('line', (line) => console.log(`${dim(name)}  ${line}`))
  children.push(child)
  return child
}

/** Records all messages at the broker, as its operator could. */
function rememberMessages() {
  /** @type {import('aedes').PublishPacket[]} */
  const packets = []
  broker.aedes.on('publish', (packet) => packet.topic === 'alvarium' && packets.push(packet))
  return packets
}

/** @param {string} url @param {Child} verifier */
async function sendReadings(url, verifier) {
  for (const celsius of [21.4, 21.6, 21.9]) {
    const body = JSON.stringify({ sensor: 'hall-2', celsius })
    const { status, key } = await post(url, body)
    assert.equal(status, 201)
    assert.equal(key, keyOf(new TextEncoder().encode(body)))
    await verifier.says(`transit  ${short(key)}`)
    await verifier.says(`publish  ${short(key)}`)
  }
  const kept = await (await fetch(url, { signal: AbortSignal.timeout(5_000) })).json()
  say(`GET /readings: ${kept.length} readings`)
  assert.equal(kept.length, 3)
}

/** @param {string} url */
async function sendWhatIsRefused(url) {
  assert.equal((await post(url, '{"sensor":')).status, 400)
  assert.equal((await post(url, JSON.stringify('x'.repeat(10_000_000)))).status, 413)
}

/** @param {import('aedes').PublishPacket[]} seen @param {Child} verifier */
async function alterAMessage(seen, verifier) {
  say('the broker sends a message again, with tls changed from false to true')
  const text = seen[0].payload.toString().replace('"isSatisfied":false', '"isSatisfied":true')
  broker.aedes.publish({ ...seen[0], payload: Buffer.from(text) }, () => {})
  await verifier.says('SIGNATURE_INVALID')
}

/** @param {string} url */
async function stopTheBroker(url) {
  say('the broker stops')
  await broker.close()
  const { status, code } = await post(url, '{"sensor":"hall-2","celsius":22}')
  assert.equal(status, 503)
  assert.equal(code, 'STREAM_TIMEOUT')
}

/** @param {string} url @param {string} body */
async function post(url, body) {
  const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(10_000) })
  const answer = await response.json()
  const shown = body.length > 60 ? `${body.length} bytes` : body
  say(`POST ${shown}: ${response.status} ${answer.code ?? short(answer.key)}`)
  return { status: response.status, ...answer }
}

/** @param {string} line */
function say(line) {
  console.log(`${dim('client  ')}  ${line}`)
}
