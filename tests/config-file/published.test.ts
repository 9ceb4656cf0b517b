import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSdk, readKey, subscribe, verifyClassic } from 'alvarium-sdk'
import { type ConfiguredSdk, fromConfig, readConfig } from 'alvarium-sdk/config'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { witness } from '../brokers/witness.js'
import { utf8 } from '../support/bytes.js'
import { DIALECTS, keyringOf, signerOf, verifiedOf } from '../support/classic.js'
import { KEYS, SAMPLES, yamlOf } from './samples.js'

const payload = utf8('hello')
let broker: TestBroker
let port: number
let folder: string
beforeAll(async () => {
  broker = await startMosquitto()
  port = Number(new URL(broker.tcpUrl).port)
  folder = await mkdtemp(join(tmpdir(), 'alvarium-config-'))
})
afterAll(async () => {
  await broker.stop()
  await rm(folder, { recursive: true })
})

/** Returns a subscriber's bundle from one call of an SDK with these options. */
async function published(topic: string, keyring: Uint8Array[], open: () => Promise<ConfiguredSdk>) {
  const bundles = subscribe({ url: broker.url, topic, keyring, durable: false })
  await bundles.open()
  const sdk = await openSdk(await open())
  await sdk.create(payload)
  await sdk.close()
  for await (const { signer, hash, layer, annotations } of bundles)
    return { signer, hash, layer, annotations }
  throw new Error('expected a bundle')
}

describe('a config of another SDK', () => {
  // claim: readme-7, migrating-9
  it.each(DIALECTS)('opens an SDK whose bundles verify: %s', async (dialect) => {
    const topic = `sample-${dialect}`
    const config = SAMPLES[dialect](port, topic)
    const bundle = await published(topic, keyringOf(dialect), () => fromConfig(config, { folder: KEYS }))
    const kinds = {
      go: ['tpm', 'pki'],
      java: ['tpm', 'mock'],
      rust: ['pki', 'src', 'tls'],
      python: ['tpm', 'pki'],
    }
    expect(bundle).toMatchObject({ signer: signerOf(dialect), layer: 'app' })
    expect(bundle.hash).toBe(dialect === 'java' ? 'md5' : 'sha256')
    expect(bundle.annotations.map(({ kind }) => kind)).toEqual(kinds[dialect])
  })

  // claim: config-4
  it('may be YAML, in a file', async () => {
    const file = join(folder, 'config.yaml')
    await writeFile(file, yamlOf(port, 'yaml'))
    const bundle = await published('yaml', keyringOf('go'), () => readConfig(file, { folder: KEYS }))
    expect(bundle.annotations.map(({ kind }) => kind)).toEqual(['tpm', 'pki'])
  })

  it('with the option dialect publishes messages that consumers of the other SDK can read', async () => {
    const consumer = await witness(broker.url, 'for-java')
    const config = JSON.stringify(SAMPLES.java(port, 'for-java'))
    const sdk = await openSdk(await fromConfig(config, { folder: KEYS, dialect: 'java' }))
    await sdk.create(payload)
    await sdk.close()
    const [message = ''] = await consumer.untilEnd()
    await consumer.close()
    const verified = await verifyClassic(utf8(message), { keyring: keyringOf('java'), payload })
    expect(verified.dialect).toBe('java')
    expect(verifiedOf(verified).map(({ kind }) => kind)).toEqual(['tpm', 'mock'])
  })

  it('resolves paths of key files against the working directory, as the other SDKs do', async () => {
    const config = JSON.parse(
      JSON.stringify(SAMPLES.go(port, 'x')).replaceAll('./go', 'tests/vectors/keys/go'),
    )
    const { signingKey } = await fromConfig(config)
    expect(signingKey).toEqual(await readKey(join(KEYS, 'go-private.key')))
  })
})
