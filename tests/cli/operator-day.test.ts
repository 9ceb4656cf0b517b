// @node-only: it runs the command in processes of its own
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keyOf, memory, openSdk, readKey, source } from 'alvarium-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Postgres, startPostgres } from '../store/postgres.mjs'
import { utf8 } from '../support/bytes.js'
import { folder, inPipe } from './command.js'

let server: Postgres
beforeAll(async () => {
  server = await startPostgres('oldest')
})
afterAll(() => server?.stop())

const [MONDAY, TUESDAY, WEDNESDAY] = ['23', '24', '25'].map((day) => `2026-11-${day}T10:00:00Z`) as [
  string,
  string,
  string,
]

/** Signs messages about payloads, written as `from>to`, and returns their lines. */
async function linesBy(privateKey: string, tag: string, ...steps: string[]): Promise<string> {
  const stream = memory()
  const sdk = await openSdk({
    signingKey: await readKey(privateKey),
    annotators: [source()],
    stream,
    tag,
    host: 'edge-7',
  })
  for (const step of steps) {
    const [from = '', to] = step.split('>')
    await (to === undefined ? sdk.create(utf8(from)) : sdk.mutate(utf8(from), utf8(to)))
  }
  await sdk.close()
  return stream.messages.map((one) => `${Buffer.from(one).toString()}\n`).join('')
}

// claim: store-operating-16, store-operating-17
it("store commands serve an operator's day: a theft, a quarantine, a score, an erasure and an audit", async () => {
  const cwd = await folder()
  const at = (name: string) => join(cwd, name)
  const run = async (args: string[], input = '') => inPipe(args, { cwd, input })
  const store = (...args: string[]) => run(['store', ...args, '--database', server.url])
  const done = async (running: ReturnType<typeof inPipe>) => {
    const { code, out, err } = await running
    expect(code, err).toBe(0)
    return { out, err }
  }

  for (const name of ['dev-6', 'dev-7', 'log']) {
    await done(run(['keygen', '--out', `${name}.key`, '--public', `${name}.pub`]))
  }
  for (const name of ['dev-6', 'dev-7']) {
    await done(run(['trust', 'add', name, '-t', 'trust.json', '-k', `${name}.pub`]))
  }
  await done(store('init'))
  const ingest = async (name: string, receivedAt: string, tag: string, ...steps: string[]) =>
    done(
      run(
        ['store', 'ingest', '-t', 'trust.json', '--received-at', receivedAt, '--database', server.url],
        await linesBy(at(`${name}.key`), tag, ...steps),
      ),
    )
  await ingest('dev-7', MONDAY, 'hall', 'reading')
  await ingest('dev-6', MONDAY, 'person-17', 'letter', 'letter>summary')
  await ingest('dev-7', WEDNESDAY, 'hall', 'reading', 'forged')

  // The van was stolen on Tuesday. The command prints the next steps, and each of its commands runs unchanged.
  const { err: steps } = await done(
    run(['trust', 'revoke', 'dev-7', '-t', 'trust.json', '--since', TUESDAY, '--why', 'stolen']),
  )
  const commands = [...steps.matchAll(/^ {2}alvarium (store .*)$/gm)].map(([, command = '']) =>
    command.split(' '),
  )
  expect(commands.map(([, name]) => name)).toEqual(['find', 'score', 'about', 'serve', 'audit'])
  const asked = (command: string[], payload: string) =>
    run([...command.map((one) => (one === 'PAYLOAD' ? payload : one)), '--database', server.url])
  const [find = [], score = [], about = []] = commands
  const { out: since, err: by } = await done(asked(find, ''))
  expect(since.match(/✗ SIGNER_REVOKED/g)).toHaveLength(2)
  expect(by).toMatch(/by the trust policy trust\.json, [0-9a-f]{12}…: 2 refused \(SIGNER_REVOKED\)/)

  // Bundles from before the theft still count.
  const key = (text: string) => keyOf(utf8(text))
  expect((await done(asked(score, key('reading')))).out).toMatch(/^100 %[\s\S]*1 refused \(SIGNER_REVOKED\)/)
  expect((await done(asked(about, key('reading')))).out).toContain('1 bundle')
  const forged = await asked(score, key('forged'))
  expect([forged.code, forged.out.slice(0, 3)]).toEqual([1, '0 %'])
  expect((await done(store('score', key('forged')))).out).toMatch(/^100 %/)

  // A person asks to be forgotten.
  await done(store('checkpoint', '-k', 'log.key', '--origin', 'example.com/store-1', '-o', 'kept.txt'))
  const { out: forgotten } = await done(
    store('forget', '--tag', 'person-17', '--report', 'removal.md', '-t', 'trust.json'),
  )
  expect(forgotten).toContain('2 payloads forgotten: 2 bundles pruned')
  const report = await readFile(at('removal.md'), 'utf8')
  expect(report).toContain('- Removed: 2 payloads, 2 bundles, 2 messages')
  expect(report).toMatch(/- Audit afterwards: ✓ consistent/)
  expect(report).not.toContain('letter')
  expect((await store('about', key('letter'))).code).toBe(2)

  // The log has the removal, and nothing else has changed.
  const audited = await done(asked(commands.at(-1) ?? [], ''))
  expect(audited.out).toContain('2 messages revoked by your trust policy')
})
