import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checksum, mock } from 'alvarium-artifacts'
import { KINDS } from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerOf } from '../support/answer.js'
import { codeOf } from '../support/failure.js'
import { countedTurns } from '../support/turns.js'

const folder = mkdtempSync(join(tmpdir(), 'alvarium-checksum-'))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string) => join(folder, name)
const digest = createHash('sha256').update('artifact').digest('hex')
const OTHER = 'ab'.repeat(32)

beforeAll(() => {
  writeFileSync(at('app.bin'), 'artifact')
  writeFileSync(at('back\\slash'), 'artifact')
})

/** Returns the answer of `checksum` on the artifact when its checksum file has this text. */
async function said(text: string, artifact = 'app.bin', options = {}) {
  writeFileSync(at('sums'), text)
  return answerOf(checksum(options), { artifactPath: at(artifact), checksumPath: at('sums') })
}

describe('the checksum annotator', () => {
  it.each([
    ['upper-case digits alone, as the Java SDK requires', digest.toUpperCase()],
    ['lower-case digits and a line end', `${digest}\n`],
    ['the line of sha256sum', `${digest}  app.bin\n`],
    ['the line of sha256sum --binary', `${digest} *app.bin\n`],
    ['the line of sha256sum --tag, or of BSD', `SHA256 (app.bin) = ${digest}\n`],
    ['a single line whose path contains another folder', `${digest}  dist/app.bin\n`],
    ['a line with "-" as the file name, as for a pipe', `${digest}  -\n`],
    ['digits with spaces around them', ` ${digest} \n`],
    [
      'lines for several algorithms',
      `MD5 (app.bin) = ${'0'.repeat(32)}\nSM3 (app.bin) = ${OTHER}\nSHA256 (app.bin) = ${digest}\n`,
    ],
    ['lines of several algorithms without their names', `${'0'.repeat(32)}  app.bin\n${digest}  app.bin\n`],
    ['a comment and a line, as in Fedora', `# app.bin: 8 bytes\n${digest}  app.bin\n`],
    [
      'many lines, one of them with the path of the artifact',
      `${OTHER}  lib/app.bin\r\n${digest}  ./app.bin\r\n`,
    ],
    ['two lines with the same checksum for the artifact', `${digest}  a/app.bin\n${digest}  b/app.bin\n`],
    ['as many lines as the limit', `${digest}  app.bin\n${'#\n'.repeat(499_998)}`],
    [
      'many lines, one of them with the name of the artifact',
      `${OTHER}  other.bin\n${digest}  dist/app.bin\n`,
    ],
  ])('is satisfied by %s', async (_, text) => {
    expect(await said(text)).toBe(true)
  })

  it.each([
    ['another checksum', OTHER],
    ['the checksum of another file among many', `${OTHER}  app.bin\n${digest}  other.bin\n`],
  ])('is not satisfied by %s', async (_, text) => {
    expect(await said(text)).toBe(false)
  })

  it.each([
    ['no text', '', 'expected one sha256 checksum'],
    ['a line for another file', `${digest}  other.bin\n`, 'got one of 64 digits for "other.bin"'],
    [
      'a line of an algorithm other than the configured one',
      `SM3 (app.bin) = ${digest}\n`,
      'got one of 64 digits for "app.bin"',
    ],
    [
      'more lines than the limit',
      `${digest}  app.bin\n${'#\n'.repeat(499_999)}`,
      'expected at most 500000 lines, got more',
    ],
    ['two lines with "-" as the file name', `${digest}  -\n${OTHER}  -\n`, 'got 0'],
    ['two lines of digits alone', `${digest}\n${OTHER}\n`, 'got 0'],
    ['no line for the artifact', `${OTHER}  a\n${digest}  b\n`, 'got 0'],
    ['two different checksums for the artifact', `${digest}  a/app.bin\n${OTHER}  b/app.bin\n`, 'got 2'],
    ['a checksum of another length', digest.slice(2), 'got one of 62 digits'],
    [
      'text without a checksum',
      'checksum: 123',
      'expected lines as sha256sum writes them, got "checksum: 123"',
    ],
    ['a long text without a checksum', 'x '.repeat(500), 'got a text of 1000 characters'],
  ])('reports a checksum file that contains %s', async (_, text, reason) => {
    expect(await said(text)).toContain(reason)
  })

  // claim: threats-46
  it('reads file names that sha256sum escapes', async () => {
    const text = execFileSync('sha256sum', ['back\\slash', 'app.bin'], { cwd: folder, encoding: 'utf8' })
    expect(text).toContain('\\\\')
    expect(await said(text, 'back\\slash')).toBe(true)
  })

  it('distinguishes names that begin or end with spaces', async () => {
    const names = ['spaced', 'spaced ', ' spaced']
    for (const name of names) writeFileSync(at(name), `artifact${name}`)
    const text = execFileSync('sha256sum', names, { cwd: folder, encoding: 'utf8' })
    for (const name of names) expect(await said(text, name)).toBe(true)
    expect(await said(text.replaceAll('\n', '\r\n'), 'spaced')).toBe(true)
  })

  it('hashes with the algorithm of its options', async () => {
    const md5 = createHash('md5').update('artifact').digest('hex')
    const sha512 = createHash('sha512').update('artifact').digest('hex')
    expect(await said(md5, 'app.bin', { hash: 'md5' })).toBe(true)
    expect(await said(sha512, 'app.bin', { hash: 'sha512' })).toBe(true)
    expect(await said(md5)).toContain('got one of 32 digits')
  })

  it('reads the paths that the call passes, or the paths in its options if the call passes none', async () => {
    writeFileSync(at('sums'), digest)
    const paths = { artifactPath: at('app.bin'), checksumPath: at('sums') }
    expect(await answerOf(checksum(paths))).toBe(true)
    writeFileSync(at('other-sums'), '0'.repeat(digest.length))
    expect(await answerOf(checksum(paths), { checksumPath: at('other-sums') })).toBe(false)
    expect(await answerOf(checksum())).toContain('checksum.artifactPath: needs a path')
    expect(await codeOf(() => checksum({ hash: 'none' } as never))).toBe('CONFIG_INVALID')
  })

  it('reports a file that it cannot read, and a named pipe that nobody writes to', async () => {
    expect(await said(digest, 'absent')).toContain('ENOENT')
    expect(await said(digest, '.')).toContain('expected a file')
    execFileSync('mkfifo', [at('pipe')])
    expect(await said(digest, 'pipe')).toContain('expected a file')
  })

  it('reads a large artifact in pieces, and never holds 32 MiB of it in memory', async () => {
    const size = 192 * 1024 * 1024
    writeFileSync(at('large'), '')
    truncateSync(at('large'), size)
    const hash = createHash('sha256')
    for (let at = 0; at < size; at += 1 << 20) hash.update(new Uint8Array(1 << 20))
    const expected = hash.digest('hex')
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }, 1)
    expect(await said(expected, 'large')).toBe(true)
    clearInterval(watch)
    expect(most).toBeLessThan(32 * 1024 * 1024)
  })
})

it('the checksum annotator yields to the event loop while it reads a file of many checksums', async () => {
  const lines = `${OTHER}  other.bin\n`.repeat(300)
  const turns = await countedTurns(10)
  expect(await said(`${lines}${digest}  app.bin\n`)).toBe(true)
  turns.end()
  expect(turns.count).toBeGreaterThan(100)
})

describe('the mock annotator', () => {
  it('returns the answer that its options set', async () => {
    expect(await answerOf(mock())).toBe(true)
    expect(await answerOf(mock({ shouldSatisfy: false }))).toBe(false)
    expect(await codeOf(() => mock({ shouldSatisfy: 'no' } as never))).toBe('CONFIG_INVALID')
  })
})

it('alvarium-artifacts has the same annotator kinds as the other SDKs', () => {
  expect(Object.values(KINDS).sort()).toEqual(
    'checksum mock pki pki-http sbom source-code src tls tpm vulnerability'.split(' '),
  )
  expect([mock().kind, checksum().kind]).toEqual([KINDS.mock, KINDS.checksum])
})
