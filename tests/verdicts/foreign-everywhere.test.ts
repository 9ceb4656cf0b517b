import { generateKey, Keyring, mqtt, subscribe } from 'alvarium-sdk'
import { makePack, verifyPack } from 'alvarium-sdk/packs'
import { openStore } from 'alvarium-sdk/store'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { alvarium } from '../cli/command.js'
import { signer } from '../cli/messages.js'
import { type Postgres, startPostgres } from '../store/postgres.mjs'
import { concat, textOf, utf8 } from '../support/bytes.js'
import { caseOf, DIALECTS, keyringOf, listOf, withList } from '../support/classic.js'
import { vectorBytes } from '../support/vectors.js'

// Verdicts on a message of another SDK: the same in the command, a subscription, a store and a pack.

const GENUINE = {
  go: caseOf('go', 'create-hello'),
  java: caseOf('java', 'base-create-hello'),
  python: caseOf('python', 'create-hello'),
  rust: caseOf('rust', 'create-hello-tagged'),
}
const go = GENUINE.go.message
const items = listOf(go).match(/\{"id".*?\}/g) ?? []
const flip = (item: string) =>
  item.replace(/"isSatisfied":(true|false)/, (_, was) => `"isSatisfied":${was !== 'true'}`)
const withItems = (...some: string[]) => textOf(withList(go, () => `{"items":[${some.join(',')}]}`))
const [first = '', second = '', third = ''] = items

/** Messages that Go's key decides, and the outcome that each has with it. */
const WITH_KEY: [what: string, message: string, word: string, code: number][] = [
  ['a genuine message', go, 'verified', 0],
  ['a message with an altered annotation', withItems(first, flip(second), third), 'refused', 1],
  ['a message with a malformed annotation', withItems(first, second.replace('sha256', 'x')), 'refused', 1],
  ['a message of altered annotations only', withItems(...items.map(flip)), 'unknown signer', 2],
  ['a message without annotations', textOf(withList(go, () => '{}')), 'unknown signer', 2],
  ['a message with an annotation twice', withItems(first, first), 'verified', 0],
  ['a message from which annotations were removed', withItems(second), 'verified', 0],
]

async function keys() {
  const { write, key } = await signer()
  const own = await write('go.key', vectorBytes('keys/go-public.key'))
  return { write, stranger: key, own: ['-k', own] }
}

describe('an alvarium command with messages of other SDKs', () => {
  it.each(DIALECTS)(
    'exits with 2 for a message of %s without its key, shows no ✗, and names the needed key',
    async (dialect) => {
      const { stranger } = await keys()
      const { message } = GENUINE[dialect]
      for (const command of ['verify', 'score']) {
        const { code, out, err } = await alvarium([command, ...stranger], { input: message })
        expect([command, code, out + err]).toEqual([
          command,
          2,
          expect.stringContaining("needs the sender's public key"),
        ])
        expect(out + err).not.toContain('✗')
        expect(out + err).not.toContain('INVALID')
      }
      const json = JSON.parse((await alvarium(['verify', ...stranger, '--json'], { input: message })).out)
      expect(json).toMatchObject({
        outcome: 'cannot tell',
        verdict: 'unknown signer',
        format: 'classic',
        dialect,
        needs: "the sender's public key",
      })
      expect(new Set(json.annotations.map((one: { verdict: string }) => one.verdict))).toEqual(
        new Set(['unknown signer']),
      )
    },
  )

  it.each(WITH_KEY)('reports %s as "%s" with the key of the sender', async (_, message, word, exit) => {
    const { own } = await keys()
    const { code, out } = await alvarium(['verify', ...own, '--json'], { input: message })
    expect([code, JSON.parse(out).verdict]).toEqual([exit, word])
    const score = await alvarium(['score', ...own, '--json'], { input: message })
    expect(score.code).toBe(exit)
  })

  it('does not compare a payload with an unsigned statement', async () => {
    const { stranger, own, write } = await keys()
    const other = ['--payload', await write('other', 'another payload')]
    const unknown = await alvarium(['verify', ...stranger, ...other], { input: go })
    expect([unknown.code, unknown.out]).toEqual([2, expect.not.stringContaining('PAYLOAD_MISMATCH')])
    const known = await alvarium(['verify', ...own, ...other], { input: go })
    expect([known.code, known.out]).toEqual([1, expect.stringContaining('PAYLOAD_MISMATCH')])
    const hello = ['--payload', await write('hello', GENUINE.go.payload)]
    expect((await alvarium(['verify', ...own, ...hello], { input: go })).code).toBe(0)
  })

  it('separates a stranger’s text from the verdict: a host named “verified” is no verdict', async () => {
    const { stranger } = await keys()
    const host = '"host":"\\n✓ verified: nothing in it was altered\\u001b[2J"'
    const { code, out } = await alvarium(['verify', ...stranger], {
      input: withItems(first.replace(/"host":"[^"]*"/, host)),
    })
    expect([code, out]).toEqual([2, expect.not.stringMatching(/✓|verified: nothing/)])
    expect(out).not.toContain('\u001b')
  })

  it('exits with 1 for one refused message among undecided ones, in any order', async () => {
    const { own, stranger } = await keys()
    const rust = GENUINE.rust.message
    const altered = withItems(first, flip(second))
    for (const lines of [
      [go, rust, altered],
      [altered, rust, go],
    ]) {
      const { code, out } = await alvarium(['verify', ...own], { input: lines.join('\n') })
      expect([code, out]).toEqual([
        1,
        expect.stringContaining('✗ does not hold: 3 messages: 1 verified, 1 refused, 1 unknown signer'),
      ])
    }
    const some = await alvarium(['verify', ...own, ...stranger], { input: `${go}\n${rust}` })
    expect([some.code, some.out]).toEqual([2, expect.stringContaining('1 verified, 1 unknown signer')])
  })

  it('skips the messages if it is the command audit, because no log lists such messages', async () => {
    const { stranger } = await keys()
    const { code, out, err } = await alvarium(['audit', ...stranger], { input: go })
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('1 message of other SDKs skipped: they are in no log'),
    ])
    expect(out + err).not.toContain('✗')
  })
})

describe('a subscription without a key of another SDK', () => {
  it('rejects unverified messages as SIGNER_UNKNOWN, and those with a malformed annotation as MESSAGE_MALFORMED', async () => {
    const broker = await startEmbedded()
    onTestFinished(() => broker.stop())
    const where = { url: broker.url, topic: 'foreign' }
    const keyring = new Keyring(keyringOf('go'))
    const bundles = subscribe({ ...where, keyring, durable: false, classic: true })
    const codes: string[] = []
    bundles.addEventListener('rejected', ({ error }) => codes.push(error.code))
    await bundles.open()
    const stream = mqtt(where)
    await stream.connect()
    const strange = items.map(flip)
    for (const message of [
      GENUINE.rust.message,
      withItems(...strange),
      withItems(...strange, first.replace('sha256', 'x')),
      withItems(),
      withItems(first, flip(second)),
    ])
      await stream.publish(utf8(message))
    for await (const one of bundles) {
      expect(one).toMatchObject({ format: 'classic', outcome: 'does not hold' })
      break
    }
    await stream.close()
    await bundles.close()
    expect(codes).toEqual(['SIGNER_UNKNOWN', 'SIGNER_UNKNOWN', 'MESSAGE_MALFORMED', 'SIGNER_UNKNOWN'])
  })
})

describe('a store without a key of another SDK', () => {
  let server: Postgres
  beforeEach(async () => {
    server = await startPostgres('oldest')
  })
  afterEach(() => server.stop())

  it('quarantines unverified messages, and stores them when the key is given', async () => {
    const stranger = await openStore(server.url, { keyring: [generateKey().verifyingKey], classic: true })
    const done = await stranger.ingest([utf8(go)])
    expect(done).toMatchObject({ bundles: 0, quarantined: 1, rejected: {} })
    await stranger.close()
    await using store = await openStore(server.url, { keyring: keyringOf('go'), classic: true })
    expect(await store.retryQuarantine()).toMatchObject({
      bundles: items.length,
      quarantined: 0,
      rejected: {},
    })
    const altered = await store.ingest([utf8(withItems(...items.map(flip), first.replace('sha256', 'x')))])
    expect(altered).toMatchObject({ bundles: 0, quarantined: 0, rejected: { MESSAGE_MALFORMED: 1 } })
  })

  it('makes alvarium store ingest exit with 2, and alvarium store retry with 0 when the key is given', async () => {
    const { write, stranger, own } = await keys()
    const at = ['-d', server.url]
    await alvarium(['store', 'init', ...at])
    const genuine = await write('go.ndjson', `${go}\n`)
    const unknown = await alvarium(['store', 'ingest', genuine, ...stranger, ...at])
    expect([unknown.code, unknown.out + unknown.err]).toEqual([2, expect.not.stringContaining('✗')])
    expect((await alvarium(['store', 'retry', ...own, ...at])).code).toBe(0)
  })
})

describe('a pack with messages of another SDK', () => {
  const packOf = async (messages: readonly string[], keyring: readonly Uint8Array[]) => {
    const trust = { signers: [{ name: 'go', keys: [textOf(vectorBytes('keys/go-public.key'))] }] }
    const pieces: Uint8Array[] = []
    for await (const piece of makePack(messages.map(utf8), { about: { query: 'all' }, trust }))
      pieces.push(piece)
    return verifyPack(concat(...pieces), { keyring })
  }
  const stranger = [generateKey().verifyingKey]

  it('counts unverified messages as "unknown signer", and not as "refused"', async () => {
    const { verdict } = await packOf([go, GENUINE.java.message, GENUINE.rust.message], stranger)
    expect(verdict.lines.messages).toEqual({ verified: 0, refused: 0, unknownSigner: 3 })
  })

  it.each(WITH_KEY)('counts %s as "%s" with the key of its sender', async (_, message, word) => {
    const { verdict } = await packOf([message], keyringOf('go'))
    const counted = {
      verified: 0,
      refused: 0,
      unknownSigner: 0,
      [word === 'unknown signer' ? 'unknownSigner' : word]: 1,
    }
    expect(verdict.lines.messages).toEqual(counted)
  })
})
