// @slow: it kills brokers and starts them again
// @node-only: it sets up brokers and looks into them

import { checkBroker } from 'alvarium-command/doctor'
import { mqtt, subscribe } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { selfSigned } from '../brokers/certificate.js'
import { utf8 } from '../support/bytes.js'
import { closing } from '../support/receiving.js'
import { keyring } from '../support/sdk.js'
import { keptWhileAway, promised, publisher, verdicts } from './losing.js'

async function started(options: Parameters<typeof startBroker>[0] = {}) {
  const broker = await startBroker(options)
  onTestFinished(broker.close)
  return broker
}

describe('checkBroker, with the embedded broker,', { timeout: 120_000 }, () => {
  it.each(['url', 'tcpUrl'] as const)(
    'rightly reports that the broker at broker.%s keeps all messages',
    async (address) => {
      const broker = await started()
      const url = broker[address]
      const report = await checkBroker({ url })
      expect(report.facts).toMatchObject({
        protocolVersion: 4,
        software: { name: 'aedes' },
        announced: undefined,
      })
      expect(verdicts(report)).toEqual({
        accepted: 'yes',
        'subscriber-killed': 'yes',
        order: 'yes',
        'broker-killed': 'not-told',
        retained: 'yes',
        group: 'no',
        'large-message': 'yes',
      })
      expect(await keptWhileAway({ publishTo: url }, { calls: 1_600, expected: 1_600 })).toBe(1_600)
    },
  )

  it('rightly reports "group: no": a shared subscription receives no messages, unlike an ordinary one', async () => {
    const { url } = await started()
    const report = await checkBroker({ url, promises: ['group'] })
    expect(report.verdict).toBe('no')
    expect(promised(report, 'group').because).toContain('a group receives nothing')
    const where = { url, topic: 'shared', keyring, durable: false } as const
    const [member, alone] = [subscribe({ ...where, group: 'g' }), subscribe(where)]
    await Promise.all([closing(member).open(), closing(alone).open()])
    const sdk = await publisher(url, 'shared')
    await sdk.create(utf8('21.4'))
    // All subscribers that get the message have it by now.
    for await (const bundle of alone) {
      bundle.ack()
      break
    }
    await member.close()
    const { done } = await member[Symbol.asyncIterator]().next()
    expect(done).toBe(true)
  })

  it('reports that it cannot tell whether messages survive kill -9, and names brokers that lose no messages', async () => {
    const { url } = await started()
    const report = await checkBroker({ url, promises: ['broker-killed'] })
    expect(report.verdict).toBe('unknown')
    expect(promised(report, 'broker-killed')).toMatchObject({
      holds: 'not-told',
      because: expect.stringContaining('use Mosquitto or RabbitMQ where no message may be lost'),
      settings: [],
    })
  })
})

describe('checkBroker, over TLS,', () => {
  it.each(['url', 'tcpUrl'] as const)(
    'reports the certificate of the broker at broker.%s',
    async (address) => {
      const tls = selfSigned()
      const broker = await started({ tls })
      const where = { url: broker[address], promises: ['accepted'] as const }
      const trusted = await checkBroker({ ...where, tls: { ca: tls.cert } })
      expect(trusted.facts).toMatchObject({
        isEncrypted: true,
        certificate: { subject: 'CN=127.0.0.1', issuer: 'CN=127.0.0.1', isAuthorized: true },
      })
      const { validTo, fingerprint } = trusted.facts.certificate ?? {}
      expect(validTo?.getTime()).toBeGreaterThan(Date.now())
      expect(fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
      const other = await checkBroker({ ...where, tls: { rejectUnauthorized: false } })
      expect(other.facts.certificate).toMatchObject({
        isAuthorized: false,
        reason: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      })
    },
  )

  it('names the certificate if it is not trusted, and does not show the password', async () => {
    const broker = await started({ tls: selfSigned() })
    const check = checkBroker({ url: broker.tcpUrl, username: 'somebody', password: 'secret-word' })
    await expect(check).rejects.toMatchObject({
      code: 'STREAM_UNREACHABLE',
      message: expect.stringMatching(
        /self-signed.*its certificate is for CN=127.0.0.1, from CN=127.0.0.1, valid until/,
      ),
    })
    await expect(check).rejects.not.toThrow('secret-word')
  })
})

describe('checkBroker, with credentials,', () => {
  it('connects with the user name and password, and reports when the broker refuses them', async () => {
    const { url } = await started({ username: 'somebody', password: 'right' })
    const promises = ['accepted'] as const
    const report = await checkBroker({ url, username: 'somebody', password: 'right', promises })
    expect(report.verdict).toBe('yes')
    const wrong = checkBroker({ url, username: 'somebody', password: 'wrong', promises })
    await expect(wrong).rejects.toMatchObject({ code: 'STREAM_UNREACHABLE' })
    // An SDK gets the same error.
    await expect(
      mqtt({ url, topic: 't', username: 'somebody', password: 'wrong' }).connect(),
    ).rejects.toMatchObject({
      code: 'STREAM_UNREACHABLE',
    })
  })
})
