// Publishes readings with a JWS in a header, and signed messages about them, to NATS JetStream. Then consumes
// and verifies both:
//
//   node examples/nats/run.mjs
//
// Needs nats-server on the PATH, or your own server: NATS_URL=nats://localhost:4222

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, headers } from '@nats-io/transport-node'
import { generateKey, Keyring, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { toJws, verifyJws } from 'alvarium-sdk/packs'
import '../shared/program.mjs'
import { green } from '../shared/terminal.mjs'
import { startNats } from './server.mjs'
import { jetStream } from './stream.mjs'

const COUNT = 100
const READINGS = 'readings'
const ANNOTATIONS = 'annotations'
const JWS = 'Alvarium-JWS'

const { signingKey, verifyingKey } = generateKey()
const keyring = new Keyring([verifyingKey])
const folder = await mkdtemp(join(tmpdir(), 'alvarium-nats-'))
const server = process.env.NATS_URL ? undefined : await startNats(folder)
const servers = server?.url ?? process.env.NATS_URL ?? ''
const connection = await connect({ servers })
try {
  const manager = await jetstreamManager(connection)
  for (const name of [READINGS, ANNOTATIONS]) await manager.streams.add({ name, subjects: [name] })
  await publish()
  await consume()
  console.log(green(`✓ ${COUNT} readings and their annotations verify`))
} finally {
  await connection.close()
  await server?.stop()
  await rm(folder, { recursive: true })
}

async function publish() {
  const stream = jetStream({ servers, subject: ANNOTATIONS })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  for (let number = 0; number < COUNT; number++) {
    const payload = new TextEncoder().encode(`{"reading":${number}}`)
    const header = headers()
    header.set(JWS, await toJws(payload, { signingKey }))
    await jetstream(connection).publish(READINGS, payload, { headers: header })
    await sdk.create(payload)
  }
  await sdk.close()
}

async function consume() {
  const readings = await messagesOf(READINGS)
  for (const { data: payload, headers } of readings) {
    await verifyJws(headers?.get(JWS) ?? '', { keyring, payload })
  }
  const annotations = await messagesOf(ANNOTATIONS)
  for (const [at, { data }] of annotations.entries()) {
    const { payloadChecked } = await verifyMessage(data, { keyring, payload: readings[at]?.data })
    assert.equal(payloadChecked, true)
  }
}

/** Consumes and acknowledges all messages of a JetStream stream. @param {string} name */
async function messagesOf(name) {
  const manager = await jetstreamManager(connection)
  await manager.consumers.add(name, { durable_name: 'verifier', ack_policy: 'explicit' })
  const consumer = await jetstream(connection).consumers.get(name, 'verifier')
  const found = []
  for await (const message of await consumer.fetch({ max_messages: COUNT, expires: 60_000 })) {
    found.push(message)
    message.ack()
  }
  assert.equal(found.length, COUNT)
  return found
}
