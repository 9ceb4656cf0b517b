import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { alvarium, inPipe, inTerminal } from './command.js'
import { signer, text } from './messages.js'

describe('a command in a terminal', () => {
  it('shows colours unless NO_COLOR is set', async () => {
    const { key, sealed, write } = await signer()
    const args = ['verify', ...key, await write('message.json', (await sealed()).a)]
    const [coloured, bare] = await Promise.all([
      inTerminal(args),
      inTerminal(args, { env: { NO_COLOR: '1' } }),
    ])
    expect(coloured.out).toContain('\x1b[32m✓ verified')
    expect(bare.out).not.toContain('\x1b')
  })

  it('escapes control characters of messages', async () => {
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

describe('the name of a signer in a trust policy', () => {
  it.each([
    ['control characters', 'gw\x00\x1b[2J\x9b1A\u202e\r\n✓ gw  complete'],
    ['255 characters', 'x'.repeat(255)],
  ])('with %s has no effect on the terminal, and is on one line of an audit', async (_, name) => {
    const { at, sealed, write } = await signer()
    const keys = [await readFile(at('public.key'), 'utf8')]
    const trust = await write('trust.json', JSON.stringify({ signers: [{ name, keys }] }))
    const args = ['audit', '-t', trust, await write('message.json', (await sealed()).a)]
    const { out } = await alvarium(args)
    const lines = out.split('\n').filter((line) => line.includes(name.slice(0, 2)))
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

describe('a command in a pipe', () => {
  it('shows no colours', async () => {
    const { key, sealed } = await signer()
    const { code, out, err } = await inPipe(['verify', ...key], { input: (await sealed()).a })
    expect([code, err]).toEqual([0, ''])
    expect(out).not.toContain('\x1b')
  })
})
