// @internal: our own readers refuse such names before a report can have them
import type { SignerReport } from 'alvarium-sdk/completeness'
import { describe, expect, it } from 'vitest'
import { rowsOf } from '../../dist/cli/audit/report.js'
import { signerRow } from '../../dist/cli/store/report.js'
import { plain } from '../../dist/cli/terminal/shown.js'
import { inPipe, inTerminal } from './command.js'
import { signer, text } from './messages.js'

describe('in a terminal', () => {
  it('shows colours, unless NO_COLOR asks for none', async () => {
    const { key, sealed, write } = await signer()
    const args = ['verify', ...key, await write('message.json', (await sealed()).a)]
    const [coloured, bare] = await Promise.all([
      inTerminal(args),
      inTerminal(args, { env: { NO_COLOR: '1' } }),
    ])
    expect(coloured.out).toContain('\x1b[32m✓ verified')
    expect(bare.out).not.toContain('\x1b')
  })

  it('lets no message write to it what it likes', async () => {
    const { key, sealed, write } = await signer()
    const { a, b } = await sealed({ host: 'edge\x1b[2J\x9b1A\u202e\r\n✓ verified' })
    const path = await write('hostile.ndjson', `${text(a)}\n${text(b)}\n{"\x1b[2J":1}`)
    for (const command of [
      ['verify', ...key],
      ['verify', ...key, '--json'],
    ]) {
      const { out } = await inTerminal([...command, path], { env: { NO_COLOR: '1' } })
      // A terminal ends lines with \r\n.
      expect(out.replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(out.replaceAll('\r\n', '\n')).not.toMatch(/^✓ verified/m)
    }
  })
})

describe('of signers that are missing something, or silent', () => {
  it.each([
    ['controls', 'gw\x00\x1b[2J\x9b1A\u202e\r\n✓ gw  complete'],
    ['no end', 'x'.repeat(16_384)],
  ])('shows names with %s harmless, each in its one line', (_, name) => {
    const counts = { messages: 1, missingInGaps: 0, refused: 0, pending: 0, unknown: 0 }
    const lists = { runs: [], missing: [], gaps: [], forks: [], unlisted: [] }
    const judged = { verdict: 'unknown', outcome: 'cannot tell', says: name } as const
    const report: SignerReport = { signer: 'ab'.repeat(16), name, ...judged, ...counts, ...lists }
    const heard = { signer: report.signer, signedBy: name, host: name, timestamp: name, seq: 1 }
    for (const row of [...rowsOf(report), signerRow(heard)]) {
      expect(plain(row)).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      expect(plain(row).length).toBeLessThan(4_000)
    }
  })
})

describe('in a pipe', () => {
  it('shows no colours', async () => {
    const { key, sealed } = await signer()
    const { code, out, err } = await inPipe(['verify', ...key], { input: (await sealed()).a })
    expect([code, err]).toEqual([0, ''])
    expect(out).not.toContain('\x1b')
  })
})
