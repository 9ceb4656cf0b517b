// @node-only: it uses files, Buffers, processes or a stopped clock

import { writeFile } from 'node:fs/promises'
import { mqtt, openSdk, readKey, source, subscribe } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { file } from 'alvarium-sdk/file'
import { readTrust } from 'alvarium-sdk/trust'
import { expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { alvarium } from '../cli/command.js'
import { signer } from '../cli/messages.js'
import { textOf, utf8 } from '../support/bytes.js'
import { closing } from '../support/receiving.js'

/** Runs a command of the guide, which must succeed. */
async function does(...args: string[]): Promise<string> {
  const { code, out, err } = await alvarium(args)
  const others = err.replace(/^next, for each store[\s\S]*/, '')
  expect([args.join(' '), code, others]).toEqual([args.join(' '), 0, ''])
  return out
}

/** Starts a consumer that follows a policy, and collects its verified bundles. */
async function consumer(where: { url: string; topic: string }, policy: string) {
  const trust = closing(await readTrust(policy, { watch: true, watchMs: 20 }))
  const bundles = closing(subscribe({ ...where, keyring: trust, durable: false, closeTimeoutMs: 1 }))
  const [archive, rejected]: [string[], string[]] = [[], []]
  bundles.addEventListener('rejected', ({ error }) => rejected.push(error.code))
  await bundles.open()
  const over = (async () => {
    for await (const { signedBy, message } of bundles) {
      expect(signedBy?.name).toBe('gateway-1')
      archive.push(textOf(message))
    }
  })()
  onTestFinished(async () => {
    await bundles.close()
    await over
  })
  /** Runs a command that edits the policy, until the consumer follows it. */
  const edit = async (...command: string[]) => {
    const updated = new Promise((resolve) => trust.addEventListener('updated', resolve))
    await does('trust', ...command, '--trust', policy)
    await updated
  }
  return { archive, rejected, edit }
}

// claim: trust-30
it('the example "A real afternoon" of the guide replaces a key under load, revokes a key, and finds a missing message', async () => {
  const broker = await startMosquitto()
  onTestFinished(broker.stop)
  const { at } = await signer()
  const where = { url: broker.url, topic: 'line-4' }
  await does('trust', 'add', 'gateway-1', '--trust', at('trust.json'), '--key', at('public.key'))
  const { archive, rejected, edit } = await consumer(where, at('trust.json'))

  /** Starts a publisher that runs until the test stops it. */
  async function publisher(keyFile: string, notes: string) {
    const sdk = await openSdk({
      signingKey: await readKey(at(keyFile)),
      annotators: [source()],
      stream: mqtt(where),
      checkpoints: checkpoints({ stream: file({ path: at(notes) }), every: 16 }),
    })
    let [isOn, count] = [true, 0]
    const sending = (async () => {
      while (isOn) await sdk.create(utf8(`${keyFile} ${++count}`))
    })()
    const stop = async () => {
      isOn = false
      await sending
      await sdk.close()
      return count
    }
    return { stop, goesOnTo: (least: number) => expect.poll(() => count).toBeGreaterThan(least) }
  }

  const old = await publisher('private.key', 'old.ndjson')
  await old.goesOnTo(20)
  await does('keygen', '--out', at('new-private.key'), '--public', at('new-public.key'))
  await edit('rotate', 'gateway-1', '--key', at('new-public.key'))
  const next = await publisher('new-private.key', 'new.ndjson')
  await Promise.all([old.goesOnTo(40), next.goesOnTo(20)])
  const sent = (await old.stop()) + (await next.stop())
  await expect.poll(() => archive.length).toBe(sent)
  expect(rejected).toEqual([])

  const [oldId = ''] = /[\da-f]{32}/.exec(await does('key', 'show', at('public.key'))) ?? []
  await edit('revoke', 'gateway-1', '--key-id', oldId.slice(0, 8), '--why', 'stolen with the van')
  const thief = await publisher('private.key', 'thief.ndjson')
  await expect.poll(() => rejected.length).toBeGreaterThan(3)
  await thief.stop()
  expect(new Set(rejected)).toEqual(new Set(['SIGNER_REVOKED']))
  expect(archive).toHaveLength(sent)

  const audit = async (messages: readonly string[]) => {
    await writeFile(at('archive.ndjson'), `${messages.join('\n')}\n`)
    const keys = ['--key', at('public.key'), '--key', at('new-public.key')]
    return alvarium(['audit', at('archive.ndjson'), at('old.ndjson'), at('new.ndjson'), ...keys])
  }
  expect((await audit(archive)).code).toBe(0)
  const { code, out } = await audit(archive.toSpliced(5, 1))
  expect([code, out]).toEqual([1, expect.stringMatching(/missing +1 message: position 5 of run /)])
})
