import { readFile, writeFile } from 'node:fs/promises'
import { openSdk, source } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { file } from 'alvarium-sdk/file'
import { describe, expect, it } from 'vitest'
import { alvarium } from './command.js'
import { signer, text } from './messages.js'

/**
 * Writes messages in one file, their checkpoints in another, and returns a function that audits some of their lines.
 */
async function archive() {
  const { at, key, write, signingKey, keyId } = await signer()
  const own = checkpoints({ stream: file({ path: at('checkpoints.ndjson') }), every: 4 })
  const stream = file({ path: at('messages.ndjson') })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, checkpoints: own })
  for (let one = 0; one < 10; one++) await sdk.create(Uint8Array.of(one))
  await sdk.createMany([Uint8Array.of(1), Uint8Array.of(2)])
  await sdk.close()
  const linesOf = async (name: string) =>
    text(await readFile(at(name)))
      .trimEnd()
      .split('\n')
  const [messages, notes] = [await linesOf('messages.ndjson'), await linesOf('checkpoints.ndjson')]
  const audit = async (lines: readonly string[], more: readonly string[] = []) =>
    alvarium(['audit', await write('some.ndjson', `${lines.join('\n')}\n`), ...key, ...more])
  return { messages, notes, audit, keyId, at, key }
}

describe('alvarium audit', () => {
  // claim: completeness-10
  it('reports nothing missing, with messages and checkpoints in one file or in two, in any order', async () => {
    const { messages, notes, audit, keyId, at, key } = await archive()
    const one = await audit([...notes.toReversed(), ...messages, ...messages])
    expect([one.code, one.out, one.err]).toEqual([
      0,
      expect.stringMatching(`^✓ ${keyId}  complete: 11 messages, 1 run`),
      '',
    ])
    const two = await alvarium(['audit', at('messages.ndjson'), at('checkpoints.ndjson'), ...key])
    expect([two.code, two.out]).toEqual([0, one.out])
  })

  it('reports the positions of missing messages, and the times around them', async () => {
    const { messages, notes, audit } = await archive()
    const { code, out } = await audit([...messages.toSpliced(5, 2).slice(0, -1), ...notes])
    expect([code, out]).toEqual([1, expect.stringContaining('incomplete: 8 messages')])
    expect(out).toMatch(
      /missing +2 messages: positions 5 to 6 of run [\da-f]{12}…, \S+Z to \S+Z, 2 bundles\n/,
    )
    expect(out).toMatch(/missing +1 message: position 10 of run .*, 2 bundles\n/)
    const json = JSON.parse((await audit([...messages.slice(1), ...notes], ['--json'])).out)
    expect(json).toMatchObject({
      verdict: 'incomplete',
      missing: [{ first: 0, last: 0, bundles: 1 }],
      gaps: [],
    })
  })

  it('reports with --json that it cannot tell what is missing if a source could not be read', async () => {
    const { messages, notes, at, key } = await archive()
    await writeFile(at('some.ndjson'), [...messages.slice(1), ...notes].join('\n'))
    const { code, out } = await alvarium(['audit', at('some.ndjson'), at('no-such-file'), ...key, '--json'])
    expect([code, JSON.parse(out.split('\n')[0] ?? '')]).toEqual([
      2,
      expect.objectContaining({ verdict: 'unknown', outcome: 'cannot tell', needs: 'read all sources' }),
    ])
  })

  it('reports a minimum of missing messages, or the verdict "unknown", if checkpoints are missing', async () => {
    const { messages, notes, audit } = await archive()
    const [begin = '', , , end = ''] = notes
    const counted = await audit([...messages.slice(0, 6), ...messages.slice(8), begin, end])
    expect([counted.code, counted.out]).toEqual([
      1,
      expect.stringMatching(/gap +8 messages: positions 0 to 7/),
    ])
    expect(counted.out).toMatch(/missing +at least 2 messages of the gaps\n/)
    const unknown = await audit([...messages, begin, end])
    expect([unknown.code, unknown.out]).toEqual([2, expect.stringContaining('unknown: 11 messages')])
    const without = await audit(messages)
    expect([without.code, without.out]).toEqual([
      2,
      expect.stringContaining('no checkpoint from this signer was given'),
    ])
  })

  // claim: completeness-28
  it('names messages that do not verify, and unknown signers', async () => {
    const { messages, notes, audit, at } = await archive()
    const altered = notes.map((note) => note.replace('number 1', 'number 7'))
    const refused = await audit([...messages, ...altered])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('SIGNATURE_INVALID')])
    const other = await signer()
    const stranger = await alvarium(['audit', at('messages.ndjson'), at('checkpoints.ndjson'), ...other.key])
    expect([stranger.code, stranger.err]).toEqual([2, expect.stringContaining('SIGNER_UNKNOWN')])
    expect(stranger.out).toMatch(/^\? cannot tell: no message verified, .*; needs the sender's public key/)
    const [first = ''] = messages
    const forged = first.replace(
      /"signature":"./,
      (begin) => begin.slice(0, -1) + (begin.endsWith('0') ? '1' : '0'),
    )
    const many = await audit([...Array<string>(30).fill(forged), ...notes])
    expect([many.code, many.err.match(/SIGNATURE_INVALID/g)?.length]).toEqual([1, 20])
    expect(many.err).toContain('10 more messages did not verify: alvarium verify shows all\n')
    const { code, out } = await audit(messages)
    expect([code, out]).toEqual([
      2,
      expect.stringContaining('openSdk({ checkpoints }) signs them (alvarium annotate signs none)'),
    ])
    const nothing = await audit([''])
    expect([nothing.code, nothing.out]).toEqual([2, expect.stringContaining('no message to audit')])
  })
})
