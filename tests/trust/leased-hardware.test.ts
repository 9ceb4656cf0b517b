// @slow
// @node-only: it uses files, Buffers, processes or a stopped clock

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  mqtt,
  openSdk,
  type Sdk,
  type Signer,
  source,
  subscribe,
  toHex,
  type WebCryptoKeyPair,
} from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { leased, readTrust } from 'alvarium-sdk/trust'
import { expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../../examples/broker/mosquitto.mjs'
import { utf8 } from '../support/bytes.js'
import { startToken } from '../support/softhsm.js'

const EACH = 40
const pemOf = (spki: Uint8Array) =>
  `-----BEGIN PUBLIC KEY-----\n${Buffer.from(spki).toString('base64')}\n-----END PUBLIC KEY-----\n`

it('two SDKs whose keys are leased by a PKCS#11 token and by a WebCrypto key lose no message when the broker is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-leased-'))
  const [token, broker] = await Promise.all([startToken(), startMosquitto({ isKept: true })])
  onTestFinished(async () => {
    await Promise.all([token.stop(), broker.stop(), rm(folder, { recursive: true })])
  })
  const hsm = token.signerOf('EC:prime256v1', '01')
  const pair = (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as WebCryptoKeyPair
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey as CryptoKey))
  const trust = await readTrust({
    signers: [
      { name: 'token', keys: [pemOf(hsm.verifyingKey as Uint8Array)] },
      { name: 'webcrypto', keys: [toHex(publicKey)] },
    ],
  })
  const [url, topic] = [broker.tcpUrl, 'leased']
  const bundles = subscribe({ url, topic, keyring: trust, clientId: 'archive', leases: true, dedup: {} })
  const rejected: unknown[] = []
  bundles.addEventListener('rejected', ({ error }) => void rejected.push(error))
  await bundles.open()

  let asked = 0
  const counting: Signer = {
    ...hsm,
    sign: (identity) => {
      asked++
      return hsm.sign(identity)
    },
  }
  const stored = (name: string, to: string) =>
    outbox({ stream: mqtt({ url, topic: to }), store: join(folder, name) })
  const open = (name: string, issuer: Signer | WebCryptoKeyPair) =>
    openSdk({
      signingKey: leased(issuer, { stream: stored(`${name}-signers`, `${topic}/signers`), every: 10 }),
      annotators: [source()],
      stream: stored(name, topic),
    })
  const sdks = [await open('token', counting), await open('webcrypto', pair)] as const
  const keys: string[] = []
  const send = async (sdk: Sdk, from: number, to: number) => {
    for (let at = from; at < to; at++) keys.push((await sdk.create(utf8(`${keys.length} ${at}`))).bundle.key)
  }
  for (const sdk of sdks) await send(sdk, 0, EACH / 2)
  await broker.terminate()
  // Messages signed while the broker is away wait in the outboxes, leases too.
  for (const sdk of sdks) await send(sdk, EACH / 2, EACH)
  await broker.start()

  const found = new Map<string, string | undefined>()
  for await (const { key, signedBy } of bundles) {
    found.set(key, signedBy?.name)
    if (found.size === keys.length) break
  }
  for (const sdk of sdks) await sdk.close()
  expect(new Set(found.keys())).toEqual(new Set(keys))
  expect(new Set(found.values())).toEqual(new Set(['token', 'webcrypto']))
  expect(rejected).toEqual([])
  expect(asked).toBe(1)
})
