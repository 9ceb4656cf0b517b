// @slow

import { describe, expect, it } from 'vitest'
import { alvarium, inPipe, inTerminal } from './command.js'
import { signer, text } from './messages.js'

/** Each command on good and on bad input, from files in a folder, with its exit code. */
const COMMANDS: [code: number, line: string][] = [
  [0, '--version'],
  [0, '--help'],
  [0, 'help verify'],
  [2, 'verfy'],
  [0, 'keygen -o new.key -p new.pub'],
  [2, 'keygen'],
  [0, 'key show private.key public.key'],
  [2, 'key show readings.csv'],
  [0, 'annotate readings.csv -k private.key'],
  [2, 'annotate readings.csv -k public.key'],
  [0, 'verify good.ndjson -k public.key'],
  [1, 'verify bad.ndjson -k public.key'],
  [0, 'inspect message.json'],
  [2, 'inspect readings.csv'],
  [2, 'listen ws://127.0.0.1:1 t -k public.key'],
  [0, 'score good.ndjson -k public.key'],
  [1, 'score bad.ndjson -k public.key'],
  [2, 'lineage ABCD good.ndjson -k public.key'],
  [2, 'doctor ws://127.0.0.1:1'],
  [2, 'doctor ws://127.0.0.1:1 --only nothing'],
  [2, 'broker --port nine'],
  [0, 'config check config.json'],
  [1, 'config check readings.csv'],
  [0, 'completion bash'],
]

/** Stack frames, a character that reverses text, and undefined values. */
const INSIDES = /^ {4}at .+:\d+:\d+|\u202e|undefined/m

async function workshop() {
  const { cwd, sealed, write } = await signer()
  const { a, b } = await sealed()
  await write('message.json', a)
  await write('good.ndjson', `${text(a)}\n${text(b)}\n`)
  await write('bad.ndjson', `${text(a)}\n${text(b).replace('edge-7', 'edge\u202e7')}\n`)
  await write('readings.csv', 'celsius\n21.4\n')
  const half = (path: string) => ({ type: 'ed25519', path })
  const signature = { private: half('private.key'), public: half('public.key') }
  const rest = {
    annotators: [{ kind: 'src' }],
    hash: { type: 'sha256' },
    stream: { type: 'mock' },
    layer: 'app',
  }
  await write('config.json', JSON.stringify({ ...rest, signature }))
  return cwd
}

describe('each command of the CLI', () => {
  // claim: readme-12
  it.each(COMMANDS)(
    'has exit code %i and prints no colours and no stack frames when it writes to a pipe: %s',
    async (expected, line) => {
      const { code, out, err } = await inPipe(line.split(' '), { cwd: await workshop() })
      expect([code, `${out}${err}`]).toEqual([expected, expect.not.stringMatching(INSIDES)])
      expect(out + err).not.toContain('\x1b')
    },
  )

  it.each(COMMANDS)(
    'has exit code %i and prints no stack frames when it writes to a terminal: %s',
    async (expected, line) => {
      const { code, out } = await inTerminal(line.split(' '), { cwd: await workshop() })
      expect([code, out]).toEqual([expected, expect.not.stringMatching(INSIDES)])
    },
  )
})

describe('alvarium bench', () => {
  it('prints the duration of calls and verifications in microseconds', async () => {
    const { code, out } = await alvarium(['bench', '--json'])
    const { results } = JSON.parse(out) as { results: { what: string; microseconds: number }[] }
    expect(code).toBe(0)
    expect(results.map(({ what }) => what)).toContain('verify a message')
    for (const { microseconds } of results) expect(microseconds).toBeGreaterThan(0)
  })
})
