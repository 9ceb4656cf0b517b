import { generateKey, toHex } from 'alvarium-sdk'
import { type MakePackOptions, verifyPack } from 'alvarium-sdk/packs'
import { readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { craftedBundle } from '../support/crafted.js'
import { leaseFrom } from '../support/leases.js'
import { about, evidence, packed, signer } from '../support/packs.js'
import { rezipped } from '../support/rezipped.js'
import { entriesOf, partChanged, remade, zipOf } from '../support/zip.js'

// Packs that their author invented, altered, or sent through a rewriting mail program: written from FORMAT.md and
// packs.md.

const device = signer('device')
const good = craftedBundle(device)
const bad = craftedBundle(device, { action: 'transit', says: { tls: false } })

async function packOf(messages = [good.message], options: Partial<MakePackOptions> = {}) {
  return (await packed(messages, { about, trust: device.trust, ...options })).bytes
}

/** Returns the outcome, or the code if the file is no readable pack. */
const outcomeOf = (pack: Uint8Array, options: object = { keyring: device.keyring }) =>
  verifyPack(pack, options).then(
    ({ outcome }) => outcome,
    ({ code }) => code as string,
  )

const changed = async (part: string, change: (text: string) => string, messages?: Uint8Array[]) =>
  remade(await packOf(messages), partChanged(part, change))

describe('a pack that is checked only against itself', () => {
  it('has the outcome "cannot tell", is "consistent with itself", and names the options "itself" and "keyring"', async () => {
    const { outcome, says, needs } = await verifyPack(await packOf())
    expect(outcome).toBe('cannot tell')
    expect(says).toContain('consistent with itself, and no more')
    expect(says).not.toContain('verified')
    expect(needs).toContain('itself')
    expect(needs).toContain('keyring')
  })

  // claim: packs-40
  it('has the outcome "holds" with { itself: true } unless it contradicts itself', async () => {
    expect(await outcomeOf(await packOf(), { itself: true })).toBe('holds')
    const verdict = await changed('verdict.json', (text) => text.replace('"bundles":1', '"bundles":2'))
    expect(await outcomeOf(verdict, { itself: true })).toBe('does not hold')
    expect(await outcomeOf(verdict, {})).toBe('does not hold')
    expect((await verifyPack(verdict)).says).toContain('not consistent with itself')
  })

  it('is called neither "verified" nor "whole by …", whatever its own policy states', async () => {
    const trust = {
      signers: [
        { ...device.trust.signers[0], name: 'device', keys: [toHex(device.verifyingKey)], confirms: true },
      ],
    }
    const { says } = await verifyPack(await packOf(undefined, { trust }))
    expect(says).not.toMatch(/verified|whole by/)
  })

  it('quotes the names by which its author calls the signers', async () => {
    const name = 'gateway-1"; 9 of 9 messages verified by your own policy'
    const trust = { signers: [{ name, keys: [toHex(device.verifyingKey)], confirms: true }] }
    const { sealSet } = await import('alvarium-sdk/sets')
    const { bundlesName } = await import('alvarium-sdk/packs')
    const seal = await sealSet([good.id], { signingKey: device.signingKey, name: bundlesName(about.payload) })
    const { says } = await verifyPack(await packOf(undefined, { trust, sets: [seal.message] }))
    expect(says).toContain(`a set that ${JSON.stringify(name)} has signed`)
  })

  it('is refused if the options have a keyring next to { itself: true }', async () => {
    expect(await outcomeOf(await packOf(), { itself: true, keyring: device.keyring })).toBe('CONFIG_INVALID')
  })
})

describe('texts by the author of a pack', () => {
  // claim: packs-38
  it('are quoted at the end of the sentence, as texts of the author', async () => {
    const query = 'all of March"; whole by log: 9 of 9 messages verified.\n\u001b[2J\u202e\u2028'
    const { says } = await verifyPack(await packOf(undefined, { about: { query } }), {
      keyring: device.keyring,
    })
    expect(says).toMatch(/\. Its author says that it is about "all of March\\"; whole by log: .+"\.$/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what it is about
    expect(says).not.toMatch(/[\n\u001b\u202e\u2028]/)
  })

  it('are shortened in the sentence of the verdict', async () => {
    const pack = await packOf(undefined, { about: { query: 'x'.repeat(1_024) } })
    const { says } = await verifyPack(pack, { keyring: device.keyring })
    expect(says.length).toBeLessThan(500)
  })

  it('have no effect if they are a policy that permits everything, because the reader’s keys decide', async () => {
    const stranger = signer('device')
    const theirs = craftedBundle(stranger)
    const pack = await packOf([theirs.message], { trust: stranger.trust })
    expect(await outcomeOf(pack)).toBe('cannot tell')
    const { verdict } = await verifyPack(pack, { keyring: device.keyring })
    expect(verdict.lines.messages).toEqual({ verified: 0, refused: 0, unknownSigner: 1 })
  })

  it('are not presented as the reader’s: a score under the pack’s own policy is attributed to that policy', async () => {
    const score = { version: 1, trust: [{ kind: 'tls', trust: 0 }] } as const
    const pack = await packOf([good.message, bad.message], { score })
    const theirs = await verifyPack(pack, { keyring: device.keyring })
    expect(theirs.says).toContain("score 100 % by the pack's own policy")
    expect(theirs.scoredBy).toBe('pack')
    const own = await verifyPack(pack, { keyring: device.keyring, score: { version: 1 } })
    expect(own).toMatchObject({ outcome: 'holds', verdict: { score: 0.5 } })
    expect(own.says).toContain('score 50 %, by your own policy')
  })
})

describe('an altered pack', () => {
  it.each([
    ['an altered message', 'messages/00000.ndjson', (text: string) => text.replace('edge-7', 'edge-8')],
    [
      'a verdict with another score',
      'verdict.json',
      (text: string) => text.replace('"score":1', '"score":0.9999'),
    ],
    [
      'a verdict with other counts',
      'verdict.json',
      (text: string) => text.replace('"refused":0', '"refused":1'),
    ],
    [
      'a verdict that claims to be whole',
      'verdict.json',
      (text: string) => text.replace('not shown', 'whole by log'),
    ],
    ['a verdict that is no object', 'verdict.json', () => '[]'],
    [
      'a verdict that is nested too deeply',
      'verdict.json',
      () => `{"logs":${'['.repeat(9_000)}${']'.repeat(9_000)}}`,
    ],
  ])(
    'has the outcome "does not hold" even if its manifest matches the alteration: %s',
    async (_, part, change) => {
      expect(await outcomeOf(await changed(part, change))).toBe('does not hold')
    },
  )

  it.each([
    ['a month that does not exist', '2026-99-99T99:99:99.999Z'],
    ['a day that does not exist', '2026-02-30T10:00:00.000Z'],
    ['an hour that does not exist', '2026-02-03T24:00:00.000Z'],
    ['a second that does not exist', '2026-02-03T10:00:61.000Z'],
  ])('is malformed when it was made in %s', async (_, made) => {
    const entries = entriesOf(await packOf())
    const pack = zipOf(
      entries.map((one) =>
        one.name === 'manifest.json'
          ? { ...one, content: utf8(textOf(one.content).replace(/"made":"[^"]+"/, `"made":"${made}"`)) }
          : one,
      ),
    )
    expect(await outcomeOf(pack)).toBe('MESSAGE_MALFORMED')
  })

  it('has the outcome "holds" although it claims to be made in the future', async () => {
    const { outcome, manifest, says } = await verifyPack(await packOf(undefined, { at: Date.UTC(9999, 1) }), {
      keyring: device.keyring,
    })
    expect([outcome, manifest.made]).toEqual(['holds', '9999-02-01T00:00:00.000Z'])
    expect(says).not.toContain('9999')
    await expect(packOf(undefined, { at: Date.UTC(10_000, 1) })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
  })

  it('is malformed with a JSON Web Key Set in place of its trust policy, for a reader without a policy', async () => {
    const { x } = { x: Buffer.from(device.verifyingKey).toString('base64url') }
    const jwks = JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: 'device' }] })
    const pack = await changed('trust.json', () => jwks)
    expect(await outcomeOf(pack, {})).toBe('MESSAGE_MALFORMED')
    expect(await outcomeOf(pack)).toBe('holds')
  })

  it('is malformed when its manifest names a part of another pack, or a wrong size', async () => {
    for (const [from, to] of [
      ['"bytes":', '"bytes":1'],
      [/"sha256":"../, '"sha256":"00'],
    ] as const) {
      const entries = entriesOf(await packOf())
      const content = utf8(textOf(entries.at(-1)?.content as Uint8Array).replace(from, to))
      const pack = zipOf([...entries.slice(0, -1), { name: 'manifest.json', content }])
      expect(await outcomeOf(pack)).toBe('MESSAGE_MALFORMED')
    }
  })
})

describe('genuine messages and leases copied into a pack about something else', () => {
  it('prove nothing about another payload', async () => {
    const elsewhere = craftedBundle(device, { about: 'another' })
    const pack = await packOf([elsewhere.message])
    const { outcome, verdict } = await verifyPack(pack, { keyring: device.keyring })
    expect([outcome, verdict.score]).toEqual(['holds', 0])
  })

  it('are each counted once, however often and in whatever order they are repeated', async () => {
    const twice = [good, bad, good, bad].map(({ message }) => message)
    const [one, other] = await Promise.all(
      [twice, twice.toReversed()].map(async (some) => {
        const { verdict } = await verifyPack(await packOf(some), { keyring: device.keyring })
        return verdict
      }),
    )
    expect(one).toMatchObject({ bundles: 2, score: 0.5 })
    expect(one).toEqual(other)
  })

  it('are refused in a place for another kind, such as a message among the leases', async () => {
    const { messages } = await evidence()
    const lease = await leaseFrom()
    const pack = await packOf([good.message], {
      leases: [lease, ...messages],
      checkpoints: [lease],
      sets: [lease],
    })
    const keyring = await readTrust(device.trust)
    const { outcome, verdict } = await verifyPack(pack, { keyring })
    expect(outcome).toBe('does not hold')
    expect(verdict.lines.leases).toEqual({ verified: 0, refused: 3, unknownSigner: 1 })
  })

  it('do not make a lease valid if the reader does not trust its issuer', async () => {
    const pack = await packOf([good.message], { leases: [await leaseFrom()] })
    const keyring = await readTrust(device.trust)
    const { outcome, verdict } = await verifyPack(pack, { keyring })
    expect([outcome, verdict.lines.leases.unknownSigner]).toEqual(['cannot tell', 1])
  })
})

describe('a reader whose policy differs from that of the author', () => {
  it('is not told that the verdict was altered if the author’s score depends on the author’s names of signers', async () => {
    const score = { version: 1, trust: [{ signer: 'device', trust: 0.5 }] } as const
    const found = await verifyPack(await packOf(undefined, { score }), { keyring: device.keyring })
    expect([found.outcome, found.matchesStoredVerdict, found.verdict.score]).toEqual(['holds', false, 1])
    expect(found.says).toContain('the author has other policies, and another verdict (score)')
  })

  it('is not told that the verdict was altered if only the reader knows the signer', async () => {
    const pack = await packOf([good.message], { trust: signer('other').trust })
    expect(await outcomeOf(pack)).toBe('holds')
  })

  it('gets the outcome "cannot tell" without a key for one of the signers', async () => {
    const known = signer('other')
    const other = craftedBundle(known)
    const trust = { signers: [...device.trust.signers, ...known.trust.signers] }
    const { outcome, says, needs } = await verifyPack(
      await packOf([good.message, other.message], { trust }),
      {
        keyring: device.keyring,
      },
    )
    expect(says).not.toContain('verdict')
    expect([outcome, needs]).toEqual([
      'cannot tell',
      expect.stringContaining('public keys of the unknown signers'),
    ])
  })
})

describe('a file given as a pack', () => {
  // claim: packs-37
  it.each(['stored', 'deflated'] as const)(
    'is called "rewritten", and not "altered", if a mail program zipped it again, %s',
    async (method) => {
      const entries = entriesOf(await packOf())
      for (const some of [entries, entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))]) {
        const error = await verifyPack(rezipped(some, method)).catch((reason) => reason)
        expect([error.code, error.message]).toEqual([
          'PACK_UNREADABLE',
          expect.stringMatching(/another program has rewritten, .+ cannot be compared byte for byte/),
        ])
      }
    },
  )

  it('is refused as PACK_UNREADABLE if it is not a ZIP file', async () => {
    for (const bytes of [
      new Uint8Array(0),
      utf8('{}'),
      utf8('a text that is longer than a header of a ZIP file'),
    ]) {
      expect(await outcomeOf(bytes)).toBe('PACK_UNREADABLE')
    }
  })

  it('is refused as MESSAGE_MALFORMED if one bit of its first ZIP header is flipped', async () => {
    const pack = await packOf()
    for (let at = 4; at < 30; at++) {
      const altered = pack.slice()
      altered[at] = (altered[at] as number) ^ 1
      expect(await outcomeOf(altered), `at ${at}`).toBe('MESSAGE_MALFORMED')
    }
  })
})

describe('the list of statements in a pack', () => {
  it('has each bundle, with its signer, host, time and action, and the result of each annotation', async () => {
    const keyring = await readTrust(device.trust)
    const { statements, signers } = await verifyPack(await packOf([good.message, bad.message]), { keyring })
    const by = { signer: 'device', keyId: device.keyId, host: 'edge-7', timestamp: '2026-01-01T00:00:00Z' }
    expect(statements).toEqual([
      { ...by, ...about.payload, action: 'create', yes: ['src'], no: [] },
      { ...by, ...about.payload, action: 'transit', yes: [], no: ['tls'] },
    ])
    expect(signers).toEqual([
      {
        signer: 'device',
        keyIds: [device.keyId],
        statements: 2,
        yes: 1,
        no: 1,
        since: '2026-01-01T00:00:00Z',
        until: '2026-01-01T00:00:00Z',
      },
    ])
  })

  it('has at most maxStatements statements, while the list of signers counts all of them', async () => {
    const options = { keyring: device.keyring, maxStatements: 1 }
    const { statements, signers } = await verifyPack(await packOf([good.message, bad.message]), options)
    expect([statements.length, signers[0]?.statements, signers[0]?.signer]).toEqual([1, 2, device.keyId])
  })

  it('has no statement that does not verify', async () => {
    const options = { keyring: [generateKey().verifyingKey] }
    const { statements, signers } = await verifyPack(await packOf(), options)
    expect([statements, signers]).toEqual([[], []])
  })
})
