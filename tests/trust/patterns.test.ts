import { type Bundle, identityBytes, signBytes, toHex, verifyBatch } from 'alvarium-sdk'
import { issueLease, readTrust } from 'alvarium-sdk/trust'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOf, failure } from '../support/failure.js'
import { leaseFrom, resignedLease, subject } from '../support/leases.js'
import { written } from '../support/messages.js'
import { runs } from '../support/runs.js'
import { key } from '../support/sdk.js'
import { policyOf, trustOf } from '../support/trust.js'
import { countedTurns } from '../support/turns.js'

const FIELDS = {
  action: 'create',
  key: 'A',
  hash: 'none',
  host: 'h',
  layer: 'app',
  timestamp: '2026-11-20T10:00:00Z',
  annotations: [],
} as const
const bundle = (more: Partial<Bundle>): Bundle => ({ ...FIELDS, signer: key.keyId, ...more }) as Bundle
const annotationOf = (tag: string, at = 0) => ({
  id: `01M7XNDGJA9YWRYZVYCDF1${1000 + at}`,
  kind: 'src',
  tag,
  isSatisfied: true,
})

/** Signs a batch of one bundle for each list of tags. */
function batchOf(lists: readonly (readonly string[])[]): Uint8Array {
  const bundles = lists.map((tags) => ({ ...FIELDS, annotations: tags.map(annotationOf) }))
  const signedAs = (signature: string) =>
    written({ messageType: 'alvarium.AnnotationBatch/1', content: { signature, signer: key.keyId, bundles } })
  return signedAs(toHex(signBytes(key.signingKey, identityBytes(signedAs('0'.repeat(128))))))
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.match(/\\.|[^\\]/gs) ?? []
  const escaped = parts.map((one) =>
    one === '*' ? '[^]*' : (one.at(-1) ?? '').replace(/[\\^$.*+?()[\]{}|]/, '\\$&'),
  )
  return new RegExp(`^${escaped.join('')}$`)
}

describe('the patterns of a list in a trust policy', () => {
  const pieces = fc.constantFrom('a', 'b', 'ab', 'aab', '*', '\\*', '\\\\')
  const pattern = fc.array(pieces, { maxLength: 7 }).map((some) => some.join(''))
  const text = fc
    .array(fc.constantFrom('a', 'b', 'ab', '*', '\\'), { maxLength: 9 })
    .map((some) => some.join(''))

  it('allow a text exactly if one pattern, with stars for any characters, matches all of it', async () => {
    const property = fc.asyncProperty(fc.array(pattern, { maxLength: 8 }), text, async (hosts, host) => {
      const { findings } = await (await trustOf({ hosts })).explain(bundle({ host }))
      const finding = findings.find(({ field }) => field === 'host')
      const matching = hosts.filter((one) => expressionOf(one).test(host))
      expect(finding?.isAllowed).toBe(matching.length > 0)
      if (matching.length > 0) expect(matching).toContain(finding?.by)
    })
    await fc.assert(property, runs(2000))
  })

  it('may number a thousand if each has one star, at its end or its beginning', async () => {
    const many = Array.from({ length: 1000 }, (_, at) => `edge-${at}-`)
    for (const [hosts, host, other] of [
      [many.map((one) => `${one}*`), 'edge-999-x', 'edge-1000-x'],
      [many.map((one) => `*${one}`), 'x-edge-999-', 'x-edge-1000-'],
    ] as const) {
      const trust = await trustOf({ hosts })
      expect((await trust.explain(bundle({ host }))).verdict).toBe('ACCEPTED')
      expect((await trust.explain(bundle({ host: other }))).verdict).toBe('SIGNER_NOT_ALLOWED')
    }
  })

  it('may be long and nearly match everywhere, and are compared as fast as short patterns', async () => {
    const tag = `*${'a'.repeat(500)}b${'a'.repeat(500)}*`
    const trust = await trustOf({ tags: [tag] })
    const near = `${'a'.repeat(499)}b${'a'.repeat(501)}`
    const verdictOn = async (text: string) =>
      (await trust.explain(bundle({ annotations: [annotationOf(text)] }))).verdict
    expect(await verdictOn(near)).toBe('SIGNER_NOT_ALLOWED')
    expect(await verdictOn(`aa${near}`)).toBe('ACCEPTED')
  })
})

// claim: format-61, trust-53
describe('the bounds of patterns in a trust policy', () => {
  const stars = (count: number) => 'a*'.repeat(count)
  const searches = (count: number) => Array.from({ length: count }, (_, at) => `a*${at}`)

  it.each([
    [
      'a pattern of nine stars',
      { tags: [stars(9)] },
      'signers.0.tags.0: expected at most 8 stars, got "a*a*',
    ],
    [
      'nine patterns with a star elsewhere than at one end',
      { hosts: searches(9) },
      'signers.0.hosts: expected at most 8 patterns other than text* and *text, got an Array',
    ],
    [
      'two stars at one end, nine times',
      { kinds: Array(9).fill('a**') },
      'signers.0.kinds: expected at most 8 patterns',
    ],
  ])('reject a policy with %s', async (_, rules, text) => {
    const { code, message } = await failure(() => readTrust(policyOf(rules)))
    expect([code, message]).toEqual(['CONFIG_INVALID', expect.stringContaining(text)])
  })

  it('allow eight stars in a pattern, and eight patterns with a star elsewhere than at one end in each list', async () => {
    const list = [
      ...searches(7),
      stars(8),
      ...Array(100).fill('a*'),
      ...Array(100).fill('*a'),
      '\\*'.repeat(20),
    ]
    expect(await readTrust(policyOf({ hosts: list, kinds: list, tags: list, sets: list }))).toBeDefined()
    expect(await leaseFrom({ hosts: list, kinds: list, tags: list })).toBeDefined()
  })

  it.each([
    ['a pattern of nine stars', [stars(9)]],
    ['nine patterns with a star elsewhere than at one end', searches(9)],
  ])('reject a lease with %s, although the signatures of the lease are valid', async (_, tags) => {
    const options = { subject: subject.signingKey, tags }
    expect(await codeOf(() => issueLease(key.signingKey, options))).toBe('CONFIG_INVALID')
    const lease = resignedLease(await leaseFrom(), ({ content }) => {
      content['tags'] = tags
    })
    const { why } = await (await trustOf()).explain(bundle({ signer: subject.keyId }), { leases: [lease] })
    expect(why).toMatch(/leases\[0\]: lease\.content\.tags.*: expected at most 8 /)
  })
})

describe('a batch of many long tags under a trust policy', () => {
  const tags = Array.from({ length: 7 }, (_, at) => `*${'a'.repeat(500)}${at}*`).concat('*z*')
  const long = (at: number) => `${'a'.repeat(900)}${at}z`

  // claim: threats-97
  it('is checked in several turns of the event loop, so that timers and sockets are served', async () => {
    const batch = batchOf(Array.from({ length: 64 }, () => Array.from({ length: 32 }, (_, at) => long(at))))
    const keyring = await trustOf({ tags })
    const turns = await countedTurns(1)
    const bundles = await verifyBatch(batch, { keyring })
    turns.end()
    expect(bundles.length).toBe(64)
    // The clock advances by 1 ms for each of 64 steps of 32 tags, and a turn lasts 8 ms.
    expect(turns.count).toBeGreaterThanOrEqual(8)
  })

  it('is refused if the policy does not permit its last tag, and the error names the index of that tag', async () => {
    const other = batchOf([[long(1)], [...Array<string>(99).fill(long(2)), 'a'.repeat(900)]])
    const { message } = await failure(async () => verifyBatch(other, { keyring: await trustOf({ tags }) }))
    expect(message).toContain('bundles[1].annotations[99].tag: gateway-1 may only say ')
  })
})
