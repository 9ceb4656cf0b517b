import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { alvarium } from './command.js'
import { signer } from './messages.js'

describe('alvarium config check', () => {
  const half = (path: string) => ({ type: 'ed25519', path })
  const config = (at: (name: string) => string) => ({
    annotators: [{ kind: 'src' }, { kind: 'tls' }],
    hash: { type: 'sha256' },
    signature: { private: half(at('private.key')), public: half(at('public.key')) },
    stream: { type: 'console' },
    layer: 'host',
  })

  it('says what a config says, and whose key it has', async () => {
    const { at, keyId, write } = await signer()
    const { code, out } = await alvarium([
      'config',
      'check',
      '--json',
      await write('c.json', JSON.stringify(config(at))),
    ])
    const said = { works: true, signer: keyId, annotators: ['src', 'tls'], hash: 'sha256', layer: 'host' }
    expect([code, JSON.parse(out)]).toEqual([0, said])
  })

  it('tells all that is wrong, and ends with 1', async () => {
    const { at, write } = await signer()
    const wrong = { ...config(at), layer: 'ap', hash: { type: 'sha257' } }
    const { code, out } = await alvarium(['config', 'check', await write('c.json', JSON.stringify(wrong))])
    expect(code).toBe(1)
    expect(out).toMatch(/✗ .*c\.json {2}CONFIG_INVALID\n/)
    expect(out).toMatch(/ {4}hash\.type: expected sha256/)
    expect(out).toMatch(/ {4}layer: expected app/)
  })
})

describe('alvarium completion', () => {
  /** What bash offers behind these words. */
  async function offered(...words: string[]) {
    const { out } = await alvarium(['completion', 'bash'])
    const ask = `COMP_WORDS=(alvarium ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _alvarium; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', `${out}\n${ask}`], { encoding: 'utf8' }).trim()
  }

  it('completes commands, their commands and options, and leaves files to the shell', async () => {
    expect(await offered('ver')).toBe('verify')
    expect(await offered('key', 's')).toBe('show')
    expect(await offered('verify', 'x.json', '--pay')).toBe('--payload')
    expect(await offered('verify', 'x')).toBe('')
  })

  it.each(['zsh', 'fish'])('speaks to %s too', async (shell) => {
    const { code, out } = await alvarium(['completion', shell])
    expect([code, out]).toEqual([0, expect.stringContaining('verify')])
  })
})
