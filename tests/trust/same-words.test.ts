// @node-only: it runs the command, too

import { cbor, subscribe, type VerifiedBundle, verifyBatch, verifyMessages } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { readTrust, type Trust } from 'alvarium-sdk/trust'
import { expect, it, onTestFinished } from 'vitest'
import { messageOf, newKeys, policyOf, receivedAt } from '../attack/policy-makes.mjs'
import { Random } from '../attack/random.mjs'
import { alvarium } from '../cli/command.js'
import { brokerForAll, publishTo } from '../cli/listening.js'
import { signer } from '../cli/messages.js'
import { utf8 } from '../support/bytes.js'

const POLICIES = 6
const MESSAGES = 64
const broker = brokerForAll()
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Alterations that make a message invalid under every policy. */
const BREAKS: readonly ((text: string) => string)[] = [
  (text) => text.slice(0, 40),
  (text) => text.replace(/"signature":"../, '"signature":"00'),
  (text) => text.replace('"host":"', '"host":"x'),
  (text) => text.replace(/"signer":"./, '"signer":"g'),
  (text) => text.replace(/"signer":"..../, '"signer":"0000'),
  (text) => text.replace('{"', '{"__proto__":1,"'),
  (text) => text.replace('"timestamp":"2026-11', '"timestamp":"2026-13'),
]

/** Returns messages, half of them invalid. */
async function messagesOf(
  random: Random,
): Promise<{ keys: Awaited<ReturnType<typeof newKeys>>; all: Uint8Array[] }> {
  const keys = await newKeys()
  const all = Array.from({ length: MESSAGES }, () => {
    const { json } = messageOf(random, keys)
    return random.below(2) === 0 ? json : utf8(random.pick(BREAKS)(textOf(json)))
  })
  return { keys, all }
}

async function said(verified: Promise<readonly VerifiedBundle[]>): Promise<string> {
  return verified.then(
    ([bundle]) => `by ${bundle?.signedBy?.name}, ${bundle?.signedBy?.time}`,
    ({ code, message }) => `${code} ${message}`,
  )
}

const each = (all: readonly Uint8Array[], way: (message: Uint8Array) => Promise<readonly VerifiedBundle[]>) =>
  Promise.all(all.map((message) => said(way(message))))

it('the verdict and its text are the same in every way of verifying, for every fault', async () => {
  const random = new Random(31)
  const { keys, all } = await messagesOf(random)
  const workers = await pool({ workers: 1 })
  onTestFinished(() => workers.close())
  const codec = cbor()
  const codes = new Set<string>()
  for (let count = 0; count < POLICIES; count++) {
    await using trust = await readTrust(policyOf(random, keys) as never)
    const options = { keyring: trust, receivedAt: receivedAt(random) }
    const alone = await each(all, (message) => verifyBatch(message, options))
    for (const one of alone) codes.add(one.split(' ')[0] as string)
    const inPool = await each(all, (message) => verifyBatch(message, { ...options, pool: workers }))
    expect(inPool).toEqual(alone)
    for (const more of [{}, { pool: workers }]) {
      const settled = await verifyMessages(all, { ...options, ...more })
      const together = settled.map((one) =>
        said(one.status === 'fulfilled' ? Promise.resolve(one.value) : Promise.reject(one.reason)),
      )
      expect(await Promise.all(together)).toEqual(alone)
    }
    // Messages that are not JSON have no CBOR form.
    const isReadable = alone.map((one) => !one.startsWith('MESSAGE_MALFORMED'))
    const readable = all.filter((_, at) => isReadable[at])
    const binary = await each(readable, (one) => verifyBatch(codec.encode(one), { ...options, codec }))
    expect(binary).toEqual(alone.filter((_, at) => isReadable[at]))
  }
  expect([...codes].sort()).toEqual([
    ...['MESSAGE_MALFORMED', 'SIGNATURE_INVALID', 'SIGNER_EXPIRED', 'SIGNER_NOT_ALLOWED'],
    ...['SIGNER_REVOKED', 'SIGNER_UNKNOWN', 'by'],
  ])
})

/** Returns a text without the time of receipt, which differs here. */
const timeless = (text: string) => text.replace(/got 20[\d:.TZ-]+$/, 'got now').replace(', received', '')

function shownBy(line: string): string {
  const { code, error, bundles } = JSON.parse(line)
  if (code !== undefined) return timeless(`${code} ${error}`)
  const { name, time } = bundles[0].signedBy
  return timeless(`by ${name}, ${time}`)
}

async function subscribed(all: readonly Uint8Array[], topic: string, trust: Trust): Promise<string[]> {
  const told = new Map<string, string>()
  const bundles = subscribe({ url: broker().url, topic, keyring: trust, durable: false })
  bundles.addEventListener('rejected', ({ message, error }) =>
    told.set(textOf(message), `${error.code} ${error.message}`),
  )
  await bundles.open()
  const loop = (async () => {
    for await (const { message, index, signedBy } of bundles) {
      if (index === 0) told.set(textOf(message), `by ${signedBy?.name}, ${signedBy?.time}`)
    }
  })()
  await publishTo(broker(), topic, all)
  await expect.poll(() => told.size).toBe(new Set(all.map(textOf)).size)
  await bundles.close()
  await loop
  return all.map((message) => timeless(told.get(textOf(message)) ?? 'nothing'))
}

it('a subscription and the command reach the same verdicts as verifyBatch', async () => {
  const random = new Random(32)
  const { keys, all } = await messagesOf(random)
  const { write } = await signer()
  const file = await write('all.ndjson', all.map((message) => `${textOf(message)}\n`).join(''))
  for (let count = 0; count < 3; count++) {
    const policy = policyOf(random, keys)
    await using trust = await readTrust(policy as never)
    const now = Date.now()
    const alone = await each(all, (message) => verifyBatch(message, { keyring: trust, receivedAt: now }))
    const expected = alone.map(timeless)
    expect(await subscribed(all, `same/${count}`, trust)).toEqual(expected)
    const at = new Date(now).toISOString()
    const path = await write(`trust-${count}.json`, JSON.stringify(policy))
    const { out } = await alvarium(['verify', file, '-t', path, '--received-at', at, '--json'])
    expect(out.trim().split('\n').map(shownBy)).toEqual(expected)
  }
})
