// @node-only: it uses files, Buffers, processes or a stopped clock

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  cbor,
  classic,
  extractBundle,
  generateKey,
  type SdkOptions,
  subscribe,
  verifyBatch,
  verifyClassic,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { pkiHttp, signRequest, signResponse, verifyRequest, verifyResponse } from 'alvarium-sdk/http'
import { pool } from 'alvarium-sdk/pool'
import type { IssueLeaseOptions, PolicySigner } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { alvarium, folder } from '../cli/command.js'
import { answerOf } from '../support/answer.js'
import { textOf, utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { HOUR, leaseFrom, resignedLease, subject } from '../support/leases.js'
import { closing, sender } from '../support/receiving.js'
import { key } from '../support/sdk.js'
import { messageFrom, policyOf, trustOf } from '../support/trust.js'

const SERIAL = '00112233445566778899aabbccddeeff'
const revoked = { serial: SERIAL, since: '2026-01-01T00:00:00Z', why: 'opened' }

type Case = readonly [
  what: string,
  rules: Partial<PolicySigner>,
  lease: Partial<IssueLeaseOptions>,
  expected: string,
]

/** The verdict on a bundle, and its text, in which the time of receipt is not compared. */
const CASES: readonly Case[] = [
  ['a valid lease', {}, {}, 'gateway-1 by it'],
  ['an expired lease', {}, HOUR, 'SIGNER_EXPIRED'],
  ['a lease whose serial is revoked', { revokedLeases: [revoked] }, { serial: SERIAL }, 'SIGNER_REVOKED'],
  ['a kind that its lease does not list', {}, { kinds: ['tls'] }, 'SIGNER_NOT_ALLOWED'],
  ['a host that its issuer may not name', { hosts: ['edge-8'] }, {}, 'SIGNER_NOT_ALLOWED'],
  ['an issuer that may issue no leases', { maxLeaseMs: 0 }, {}, 'SIGNER_NOT_ALLOWED'],
  ['a lease of another key', {}, { subject: generateKey().signingKey }, 'SIGNER_UNKNOWN'],
]

const from = Date.now() - 60_000
const leaseOf = (options: Partial<IssueLeaseOptions>) => leaseFrom({ from, ...options })
const leasedMessage = (options: Partial<SdkOptions> = {}) =>
  messageFrom({ ...options, signingKey: subject.signingKey })

/** Returns the name of the signer, or the code and text of the refusal. */
async function told(verified: Promise<unknown>): Promise<readonly [string, string]> {
  try {
    const { name, lease } = ((await verified) as { signedBy: { name: string; lease?: object } }).signedBy
    return [`${name}${lease ? ' by it' : ''}`, '']
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return [code, timeless(message)]
  }
}

const timeless = (text: string) => text.replace(/got \d{4}-\d\d-\d\dT[\d:.]+Z/, 'got a time')

/** Returns the value of one outcome of `verifyMessages` or `verifyClassic`, or throws its reason. */
const settled = <T>(one: PromiseSettledResult<T> | undefined): T => {
  if (one?.status === 'fulfilled') return one.value
  throw one?.reason
}

/** Writes the files of a command: a message, a policy, and a lease. */
async function filesOf(message: Uint8Array, rules: Partial<PolicySigner>, lease: Uint8Array) {
  const at = join.bind(undefined, await folder())
  await writeFile(at('message.json'), message)
  await writeFile(at('trust.json'), JSON.stringify(policyOf(rules)))
  await writeFile(at('leases.ndjson'), lease)
  const trust = ['--trust', at('trust.json'), '--leases', at('leases.ndjson')]
  const ask = (...command: string[]) =>
    alvarium([...command, at('message.json'), ...trust, '--received-at', new Date().toISOString()])
  return { ask }
}

describe('the verdict of a bundle signed with a leased key', () => {
  let broker: TestBroker
  beforeAll(async () => {
    broker = await startMosquitto()
  })
  afterAll(() => broker.stop())

  /** Returns the verdict of a subscription that has the lease. No message waits. */
  async function received(message: Uint8Array, lease: Uint8Array, rules: Partial<PolicySigner>) {
    const where = { url: broker.url, topic: `one-meaning-${crypto.randomUUID()}` }
    const options = { keyring: await trustOf(rules), leases: { known: [lease] }, classic: true } as const
    const given = closing(subscribe({ ...where, ...options, prefetch: 1, durable: false, closeTimeoutMs: 1 }))
    const refused = new Promise<never>((_, reject) => {
      given.addEventListener('rejected', ({ error }) => reject(error))
    })
    await given.open()
    await (await sender(where.url, where.topic)).publish(message)
    const { value } = await Promise.race([given[Symbol.asyncIterator]().next(), refused])
    return value?.format === 'classic' ? settled(value.annotations[0]) : value
  }

  it.each(CASES)('is the same from every function, for %s', async (_, rules, options, expected) => {
    const [trust, lease] = [await trustOf(rules), await leaseOf(options)]
    const [message, batch] = [await leasedMessage(), await leasedMessage({ batch: {} })]
    const workers = closing(await pool({ workers: 1 }))
    const by = { keyring: trust, leases: [lease], receivedAt: new Date() }
    const alone = await told(verifyMessage(message, by))
    expect(alone[0]).toBe(expected)
    const ways = {
      batch: () => verifyBatch(message, by).then(([bundle]) => bundle),
      'batch of one': () => verifyBatch(batch, by).then(([bundle]) => bundle),
      'taken out': () => verifyMessage(extractBundle(batch, 0), by),
      CBOR: () => verifyMessage(cbor().encode(message), { ...by, codec: cbor() }),
      pool: () => verifyMessage(message, { ...by, pool: workers }),
      together: () => verifyMessages([message], by).then(([one]) => settled(one)[0]),
      subscription: () => received(message, lease, rules),
    }
    for (const [way, verified] of Object.entries(ways))
      expect([way, ...(await told(verified()))]).toEqual([way, ...alone])
  })

  // claim: trust-34
  it.each(CASES)('is the same in the CLI, for %s', async (_, rules, options, expected) => {
    const [message, lease] = [await leasedMessage(), await leaseOf(options)]
    const alone = await told(
      verifyMessage(message, { keyring: await trustOf(rules), leases: [lease], receivedAt: new Date() }),
    )
    const { ask } = await filesOf(message, rules, lease)
    const code = { 'gateway-1 by it': 0, SIGNER_UNKNOWN: 2 }[expected] ?? 1
    const verified = await ask('verify', '--json')
    const { bundles, code: refusal, error = '' } = JSON.parse(verified.out)
    const verdict = bundles ? await told(Promise.resolve(bundles[0])) : [refusal, timeless(error)]
    expect([verified.code, verdict]).toEqual([code, alone])
    const explained = await ask('trust', 'explain', '--json')
    const { verdict: explanation, why = '', signedBy } = JSON.parse(explained.out)
    const said =
      explanation === 'ACCEPTED' ? await told(Promise.resolve({ signedBy })) : [explanation, timeless(why)]
    expect([explained.code, said]).toEqual([code, alone])
    for (const command of ['audit', 'score']) {
      const { err, ...ran } = await ask(command)
      // Completeness is unknown without a checkpoint.
      const isUnaudited = command === 'audit' && code === 0
      expect([command, ran.code]).toEqual([command, isUnaudited ? 2 : code])
      expect(timeless(err)).toContain(alone[1])
    }
  })

  // claim: trust-37
  it.each(CASES)('is the same for a classic message, for %s', async (_, rules, options, expected) => {
    const [trust, lease] = [await trustOf(rules), await leaseOf(options)]
    const message = await leasedMessage({
      codec: classic({ signingKey: subject.signingKey, dialect: 'go' }),
    })
    const { annotations } = await verifyClassic(message, {
      keyring: trust,
      leases: [lease],
      receivedAt: new Date(),
    })
    const alone = await told(Promise.resolve(annotations[0]).then(settled))
    // The annotation names no key: an alteration and another signer cannot be distinguished.
    expect(alone[0]).toBe(expected)
    expect(await told(received(message, lease, rules))).toEqual(alone)
    const { ask } = await filesOf(message, rules, lease)
    const [one] = JSON.parse((await ask('verify', '--json')).out).annotations
    const verdict = one.code ? [one.code, timeless(one.error)] : await told(Promise.resolve(one))
    expect(verdict).toEqual(alone)
  })

  it.each(CASES)('is the same for a signed request or response, for %s', async (...given) => {
    const [, rules, options, expected] = given
    const [keys, lease, body] = [await trustOf(rules), await leaseOf(options), utf8('payload')]
    const signing = { signingKey: subject.signingKey, keyId: subject.keyId, body }
    const request = { method: 'POST', url: 'https://api.example/readings', headers: {} }
    const asked = { ...request, headers: await signRequest(request, { format: 'rfc9421', ...signing }) }
    const answer = { status: 200, headers: await signResponse({ status: 200, headers: {} }, signing) }
    const by = { format: 'rfc9421', keys, leases: [lease], body } as const
    const alone = await told(verifyRequest(asked, by))
    const aboutPayload = given[0].startsWith('a kind') || given[0].startsWith('a host')
    expect(alone[0]).toBe(aboutPayload ? 'gateway-1 by it' : expected)
    expect(await told(verifyResponse(answer, by))).toEqual(alone)
    expect(await told(verifyRequest(asked, { ...by, leases: () => [lease] }))).toEqual(alone)
    const { body: _, ...judging } = by
    const said = await answerOf(pkiHttp(judging), asked)
    expect(said).toSatisfy((text) => (alone[1] ? timeless(`${text}`).includes(alone[1]) : text === true))
  })
})

describe('a request signed with a leased key', () => {
  const body = utf8('payload')
  const request = { method: 'GET', url: 'https://api.example/readings', headers: {} }
  const signed = async (signingKey: Uint8Array, keyId: string) => ({
    ...request,
    headers: await signRequest(request, { format: 'rfc9421', signingKey, keyId, body }),
  })

  // claim: trust-35
  it('is verified if it names the id of its key, and not if it names its signer', async () => {
    const by = { format: 'rfc9421', keys: await trustOf(), leases: [await leaseOf({})], body } as const
    const verify = async (signingKey: Uint8Array, keyId: string) =>
      verifyRequest(await signed(signingKey, keyId), by)
    expect((await failure(() => verify(subject.signingKey, 'gateway-1'))).code).toBe('SIGNATURE_INVALID')
    expect((await verify(key.signingKey, 'gateway-1')).signedBy?.lease).toBe(undefined)
    const { code, message } = await failure(() => verify(subject.signingKey, 'gateway-2'))
    expect([code, message]).toEqual(['SIGNER_UNKNOWN', expect.stringContaining('got "gateway-2"')])
  })

  /** Signs by RFC 9421, 2.5, the method only. */
  async function signedByP256(pkcs8: Uint8Array, keyId: string) {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
    const own = await crypto.subtle.importKey('pkcs8', pkcs8.slice(), algorithm, false, ['sign'])
    const input = `("@method");created=${Math.floor(Date.now() / 1000)};keyid="${keyId}"`
    const base = utf8(`"@method": GET\n"@signature-params": ${input}`).slice()
    const signature = new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, own, base))
    const text = btoa(String.fromCharCode(...signature))
    return { ...request, headers: { 'signature-input': `sig1=${input}`, signature: `sig1=:${text}:` } }
  }

  it('may be signed with P-256, but not with secp256k1, which RFC 9421 does not have', async () => {
    for (const [algorithm, expected] of [
      ['P-256', 'gateway-1 by it'],
      ['secp256k1', 'SIGNER_UNKNOWN'],
    ] as const) {
      const own = await generateKey({ algorithm })
      const leases = [await leaseOf({ subject: own.signingKey })]
      const p256 = algorithm === 'P-256' ? own : await generateKey({ algorithm: 'P-256' })
      const asked = await signedByP256(p256.signingKey, own.keyId)
      const by = { format: 'rfc9421', keys: await trustOf(), leases, components: ['@method'] } as const
      expect((await told(verifyRequest(asked, by)))[0]).toBe(expected)
    }
  })

  // claim: trust-36
  it('is verified by the leases that exist when the request arrives', async () => {
    const leases: Uint8Array[] = []
    const annotator = pkiHttp({ format: 'rfc9421', keys: await trustOf(), leases: () => leases })
    const asked = await signed(subject.signingKey, subject.keyId)
    expect(await answerOf(annotator, asked)).toContain('keyid: expected the name of a signer')
    leases.push(await leaseOf({}))
    expect(await answerOf(annotator, asked)).toBe(true)
  })

  it('is verified with the body at the time of the call, even if the body is overwritten while leases are read', async () => {
    const own = body.slice()
    const asked = await signed(subject.signingKey, subject.keyId)
    const by = { format: 'rfc9421', keys: await trustOf(), leases: [await leaseOf({})], body: own } as const
    const verified = verifyRequest(asked, by)
    own.fill(0)
    expect((await verified).keyId).toBe(subject.keyId)
  })

  it('is verified only with a trust policy, and with leases as an array of bytes', async () => {
    const asked = await signed(key.signingKey, 'a')
    const keys = { a: key.verifyingKey }
    const named = await failure(() => verifyRequest(asked, { format: 'rfc9421', keys, leases: [] }))
    expect([named.code, named.message]).toEqual([
      'CONFIG_INVALID',
      'leases: needs a trust policy in the option keys',
    ])
    const none = {
      format: 'rfc9421',
      keys: await trustOf(),
      leases: ['{}'] as unknown as Uint8Array[],
    } as const
    expect((await failure(() => verifyRequest(asked, none))).message).toContain(
      'leases: expected an array of leases, or a function that returns one',
    )
  })

  it('is refused with the fault of its lease if neither the policy nor a valid lease has its key', async () => {
    const forged = resignedLease(await leaseOf({}), () => undefined, [subject.signingKey, subject.signingKey])
    const by = { format: 'rfc9421', keys: await trustOf(), leases: [forged] } as const
    const { code, message } = await failure(async () =>
      verifyRequest(await signed(subject.signingKey, subject.keyId), by),
    )
    expect([code, message]).toEqual(['SIGNER_UNKNOWN', expect.stringContaining('; leases[0]: ')])
  })
})

describe('a classic message signed under a lease', () => {
  it('may contain annotations of leased keys and of other keys', async () => {
    const own = await leasedMessage({ codec: classic({ signingKey: subject.signingKey, dialect: 'go' }) })
    const issuers = await messageFrom({ codec: classic({ signingKey: key.signingKey, dialect: 'go' }) })
    const mixed = JSON.parse(textOf(own))
    const items = [own, issuers].map((one) => JSON.parse(atob(JSON.parse(textOf(one)).content)).items)
    mixed.content = btoa(JSON.stringify({ items: items.flat() }))
    const by = { keyring: await trustOf(), leases: [await leaseOf({})] }
    const { annotations } = await verifyClassic(utf8(JSON.stringify(mixed)), by)
    const leases = annotations.map((one) => settled(one).signedBy?.lease !== undefined)
    expect(leases).toEqual([true, false])
    const forged = resignedLease(await leaseOf({}), () => undefined, [subject.signingKey, subject.signingKey])
    const [refused] = (await verifyClassic(own, { ...by, leases: [forged] })).annotations
    expect((refused as PromiseRejectedResult).reason.message).toContain('; leases[0]: ')
  })

  // claim: trust-38
  it('is not permitted by a lease with a list of actions, because the action of a classic message is not signed', async () => {
    const message = await leasedMessage({ codec: classic({ signingKey: subject.signingKey, dialect: 'go' }) })
    const by = { keyring: await trustOf(), leases: [await leaseOf({ actions: ['create'] })] }
    const [refused] = (await verifyClassic(message, by)).annotations
    expect((refused as PromiseRejectedResult).reason.message).toContain(
      'got an unsigned action of a classic message',
    )
  })
})

describe('explaining a bundle of a leased key', () => {
  // claim: trust-39
  it('shows the rules of the policy, then those of the lease, and the time that both allow', async () => {
    const trust = await trustOf({ hosts: ['edge-*'], until: '2100-01-01T00:00:00Z' })
    const lease = await leaseOf({ hosts: ['edge-7'], kinds: ['tls'], name: 'line 4' })
    const bundle = await verifyBatch(await leasedMessage(), {
      keyring: await trustOf(),
      leases: [await leaseOf({})],
    }).then(([one]) => one as never)
    expect((await trust.explain(bundle)).verdict).toBe('SIGNER_UNKNOWN')
    const { verdict, signedBy, times, findings } = await trust.explain(bundle, { leases: [lease] })
    expect([verdict, signedBy?.name, signedBy?.lease?.name]).toEqual([
      'SIGNER_NOT_ALLOWED',
      'gateway-1',
      'line 4',
    ])
    expect([times?.from, times?.until]).toEqual([signedBy?.lease?.from, signedBy?.lease?.until])
    const refused = findings.filter(({ isAllowed }) => !isAllowed)
    expect(refused).toEqual([
      {
        field: 'annotations[0].kind',
        value: 'src',
        isAllowed: false,
        allowed: ['tls'],
        lease: signedBy?.lease?.serial,
      },
    ])
    expect(findings.filter(({ field }) => field === 'host')).toMatchObject([
      { by: 'edge-*' },
      { by: 'edge-7' },
    ])
  })

  it('names the first lease that allows the bundle, and the fault of an invalid lease', async () => {
    const trust = await trustOf()
    const [over, good] = [await leaseOf(HOUR), await leaseOf({ name: 'good' })]
    const [bundle] = await verifyBatch(await leasedMessage(), { keyring: trust, leases: [good] })
    const explain = async (...leases: Uint8Array[]) => trust.explain(bundle as never, { leases })
    expect(await explain(over, good)).toMatchObject({
      verdict: 'ACCEPTED',
      signedBy: { lease: { name: 'good' } },
    })
    const { why } = await explain(utf8('none'), await leaseOf({ subject: generateKey().signingKey }))
    expect(why).toContain('; leases[0]: ')
    const p256 = await generateKey({ algorithm: 'P-256' })
    const other = await trustOf({
      keys: [
        `-----BEGIN PUBLIC KEY-----\n${btoa(String.fromCharCode(...p256.verifyingKey))}\n-----END PUBLIC KEY-----`,
      ],
    })
    expect((await other.explain(bundle as never, { leases: [good] })).verdict).toBe('SIGNER_UNKNOWN')
  })
})
