// Publishes readings with a JWS in a header, and signed messages about them, to Kafka. Then consumes and
// verifies both:
//
//   node examples/kafka/run.mjs
//
// Needs Java, and Maven to fetch a broker, or else your own broker: KAFKA_BROKERS=localhost:9092

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, Keyring, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { toJws, verifyJws } from 'alvarium-sdk/packs'
import { Kafka, logLevel } from 'kafkajs'
import '../shared/program.mjs'
import { green } from '../shared/terminal.mjs'
import { fetchJars, startKafka } from './server.mjs'
import { kafka } from './stream.mjs'

const COUNT = 100
const READINGS = 'readings'
const ANNOTATIONS = 'annotations'
const JWS = 'alvarium-jws'

const { signingKey, verifyingKey } = generateKey()
const keyring = new Keyring([verifyingKey])
const folder = await mkdtemp(join(tmpdir(), 'alvarium-kafka-'))
const addresses = process.env.KAFKA_BROKERS?.split(',')
if (!addresses) await fetchJars()
const server = addresses ? undefined : await startKafka(folder)
const brokers = server?.brokers ?? addresses ?? []
const client = new Kafka({ clientId: 'example', brokers, logLevel: logLevel.NOTHING })
try {
  const admin = client.admin()
  await admin.connect()
  await admin.createTopics({ topics: [READINGS, ANNOTATIONS].map((topic) => ({ topic, numPartitions: 1 })) })
  await admin.disconnect()
  await publish()
  await consume()
  console.log(green(`✓ ${COUNT} readings and their annotations verify`))
} finally {
  await server?.stop()
  await rm(folder, { recursive: true })
}

async function publish() {
  const producer = client.producer()
  await producer.connect()
  const sdk = await openSdk({
    signingKey,
    annotators: [source()],
    stream: kafka({ brokers, topic: ANNOTATIONS }),
  })
  for (let number = 0; number < COUNT; number++) {
    const payload = Buffer.from(`{"reading":${number}}`)
    const headers = { [JWS]: await toJws(payload, { signingKey }) }
    await producer.send({ topic: READINGS, messages: [{ value: payload, headers }] })
    await sdk.create(payload)
  }
  await sdk.close()
  await producer.disconnect()
}

async function consume() {
  const readings = await messagesOf(READINGS)
  for (const { value: payload, headers } of readings) {
    await verifyJws(`${headers?.[JWS]}`, { keyring, payload: payload ?? undefined })
  }
  const annotations = await messagesOf(ANNOTATIONS)
  for (const [at, { value }] of annotations.entries()) {
    const payload = readings[at]?.value ?? undefined
    const { payloadChecked } = await verifyMessage(value ?? new Uint8Array(0), { keyring, payload })
    assert.equal(payloadChecked, true)
  }
}

/** Consumes the messages of a topic. @param {string} topic */
async function messagesOf(topic) {
  const consumer = client.consumer({ groupId: `verifier-${topic}` })
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  /** @type {import('kafkajs').KafkaMessage[]} */
  const found = []
  await new Promise((resolve, reject) => {
    // Reject only for errors from which kafkajs does not recover. A new broker refuses consumers until it has
    // loaded their groups, and kafkajs then tries again.
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      if (!payload.restart) reject(payload.error)
    })
    const eachMessage = async ({ message }) => {
      found.push(message)
      if (found.length === COUNT) resolve(undefined)
    }
    consumer.run({ eachMessage }).catch(reject)
  })
  await consumer.disconnect()
  return found
}
