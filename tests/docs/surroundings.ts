// Names that examples in docstrings use: an application around them, a separate one for each.

import { Socket } from 'node:net'
import {
  classic,
  generateKey,
  Keyring,
  memory,
  mqtt,
  openSdk,
  pki,
  readKey,
  signBytes,
  source,
  subscribe,
  tls,
  verifyMessage,
} from 'alvarium-sdk'
import { pkiHttp, signRequest } from 'alvarium-sdk/http'
import { BundleGraph, readPolicy } from 'alvarium-sdk/score'
import { issueLease, readTrust } from 'alvarium-sdk/trust'

export { writeFile } from 'node:fs/promises'
export { createServer } from 'node:http'
export { setTimeout as sleep } from 'node:timers/promises'
export { deflateSync, inflateSync } from 'node:zlib'
export { context } from '@opentelemetry/api'

const utf8 = (text: string) => new TextEncoder().encode(text)
const nothing = (..._: unknown[]): void => {}

export const signingKey = await readKey('own.key')
export const verifyingKey = await readKey('edge-7.key')
export const keyring = new Keyring([verifyingKey])
export const payload = utf8('{"celsius":21.4}')
export const bytes = payload
export const body = payload
export const digits = '07'.repeat(32)
export const annotators = [source()]

export const url = process.env['BROKER_URL'] as string
export const topic = 'alvarium-topic'
export const stream = mqtt({ url, topic })
export const bundles = subscribe({ url, topic, keyring, durable: false })
export const sdk = await openSdk({
  signingKey,
  annotators: [
    source(),
    tls(),
    pki({ verifyingKey }),
    pkiHttp({ format: 'rfc9421', keys: { 'edge-7': verifyingKey } }),
  ],
  stream: memory(),
  batch: {},
})
export const { message } = await sdk.create(payload)
export const messages = [message]
/** A line of a file with dead letters. */
export const line = utf8(
  `{"messageType":"alvarium.DeadLetter/1","content":{"code":"SIGNER_UNKNOWN","reason":"","topic":"${topic}","receivedAt":"2026-11-20T10:00:00.000Z","size":${message.length},"message":"${Buffer.from(message).toString('base64')}"}}`,
)
const ofGo = await openSdk({
  signingKey,
  annotators,
  stream: memory(),
  codec: classic({ signingKey, dialect: 'go' }),
})
export const fromGo = (await ofGo.create(payload)).message
export const bundle = await verifyMessage(message, { keyring })
export const { annotations, key } = bundle
export const policy = readPolicy({ version: 1 })
export const scoringInput = new BundleGraph().scoringInput(bundle)

export const keyText = new TextDecoder().decode(verifyingKey)
export const trust = await readTrust({ signers: [{ name: 'gateway-1', keys: [keyText] }] })
export const lease = await issueLease(signingKey, { subject: generateKey().signingKey })

const plain = { method: 'POST', url: 'https://api.example.com/readings', headers: {} }
const headers = await signRequest(plain, { format: 'rfc9421', signingKey, keyId: 'edge-7', body })
export const request = { ...plain, headers }
export const response = { socket: new Socket() }

export const readings: [Uint8Array] = [payload]
export const average = payload
export const inRange = { kind: 'in-range', isSatisfied: () => true }
export const text = process.env['CONFIG'] as string

export const client = {
  publicKey: async (_: string) => verifyingKey,
  sign: (_: string, identity: Uint8Array) => signBytes(signingKey, identity),
}
/** A stand-in for a Kafka client, which no example calls. */
export const producer = { connect: nothing, send: nothing, disconnect: nothing }
export const health = { degraded: nothing }
export const database = { insert: async (_: unknown) => {} }
export const archive = Object.assign(nothing, { put: async (..._: unknown[]) => {} })
export const record = nothing
export const report = nothing
export const save = nothing
export const askForKey = nothing
