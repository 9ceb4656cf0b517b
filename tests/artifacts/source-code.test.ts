import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { checksum, type SourceCodeOptions, sourceCode } from 'alvarium-artifacts'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { answerOf } from '../support/answer.js'
import { codeOf } from '../support/failure.js'

const folder = mkdtempSync(join(tmpdir(), 'alvarium-source-'))
afterAll(() => rmSync(folder, { recursive: true }))
const tree = join(folder, 'tree')
const sums = join(folder, 'tree.sha256')

beforeEach(() => {
  rmSync(tree, { recursive: true, force: true })
  mkdirSync(join(tree, 'lib', '.hidden'), { recursive: true })
  for (const name of ['a', 'A_b', 'lib/b', 'a.b', 'a b', 'a-b', 'é', 'lib/.hidden/c', '.dot']) {
    writeFileSync(join(tree, name), 'same')
  }
  writeFileSync(join(tree, 'main.js'), 'main()')
})

function shell(flags = ''): string {
  const command = `find ${flags} . -type f -exec sha256sum {} + | LC_ALL=C sort | sha256sum | cut -d" " -f1`
  const text = execFileSync('sh', ['-c', command], { cwd: tree, encoding: 'utf8' })
  writeFileSync(sums, text)
  return text.trim()
}

const answer = (options: SourceCodeOptions = {}, sourceCodePath = tree) =>
  answerOf(sourceCode(options), { sourceCodePath, checksumPath: sums })

describe('the source-code annotator', () => {
  // claim: annotators-3
  it('is satisfied by the checksum that find, sort and sha256sum print, in lower or upper case', async () => {
    const text = shell()
    expect(await answer()).toBe(true)
    writeFileSync(sums, text.toUpperCase())
    expect(await answer()).toBe(true)
    writeFileSync(sums, `${text}  -\n`)
    expect(await answer()).toBe(true)
  })

  it('computes the same checksum for a path with a trailing slash and for a relative path', async () => {
    shell()
    expect(await answer({}, `${tree}/`)).toBe(true)
    expect(await answer({}, relative('', tree))).toBe(true)
  })

  it.each([
    ['a file was edited', () => writeFileSync(join(tree, 'main.js'), 'main( )')],
    ['a file was renamed', () => execFileSync('mv', ['a', 'z'], { cwd: tree })],
    ['a hidden file was added', () => writeFileSync(join(tree, '.new'), '')],
    ['a file was deleted', () => rmSync(join(tree, 'lib/b'))],
  ])('is not satisfied after a change of the tree: %s', async (_, change) => {
    shell()
    change()
    expect(await answer()).toBe(false)
  })

  it('sorts file names as the sort command does, even if one name extends another by a control character', async () => {
    for (const name of ['empty', 'empty\tb', 'empty\u0001']) writeFileSync(join(tree, name), '')
    shell()
    expect(await answer()).toBe(true)
  })

  it('escapes file names with line ends and backslashes as sha256sum does', async () => {
    for (const name of ['a\nb', 'back\\slash', 'both\\\n']) writeFileSync(join(tree, name), name)
    shell()
    expect(await answer()).toBe(true)
  })

  it('does not read a file name with a line end as two files', async () => {
    const empty = () => {
      rmSync(tree, { recursive: true })
      mkdirSync(tree)
    }
    empty()
    writeFileSync(join(tree, 'a'), 'same')
    writeFileSync(join(tree, 'b'), 'other')
    shell()
    const [second = ''] = execFileSync('sha256sum', ['./b'], { cwd: tree, encoding: 'utf8' }).split('\n')
    empty()
    // The line of this one file equals the lines of both files.
    mkdirSync(join(tree, `a\n${second.slice(0, -'/b'.length)}`))
    writeFileSync(join(tree, `a\n${second}`), 'same')
    expect(await answer()).toBe(false)
  })

  it('accepts file names that are not UTF-8', async () => {
    execFileSync('sh', ['-c', 'printf same > "$(printf \'n\\377me\')"'], { cwd: tree })
    shell()
    expect(await answer()).toBe(true)
  })

  it('follows symbolic links as find -L does, and ignores them with the option links: "skip"', async () => {
    writeFileSync(join(folder, 'outside'), 'outside')
    symlinkSync(join(folder, 'outside'), join(tree, 'link'))
    symlinkSync('lib', join(tree, 'folder'))
    symlinkSync('nowhere', join(tree, 'dangling'))
    shell('-L')
    expect([await answer(), await answer({ links: 'skip' })]).toEqual([true, false])
    shell()
    expect([await answer(), await answer({ links: 'skip' })]).toEqual([false, true])
  })

  // claim: threats-47
  it('reports a link that leads to a folder above it', async () => {
    shell()
    symlinkSync('..', join(tree, 'lib', 'again'))
    expect(await answer()).toContain('leads back')
    expect(await answer({ links: 'skip' })).toBe(true)
  })

  // claim: annotators-7
  it('stops at its timeout, in folders with links to each other and in a large file', async () => {
    shell()
    for (let at = 0; at < 38; at++) {
      mkdirSync(join(tree, `d${at}`))
      for (const name of ['l', 'r']) symlinkSync(`../d${at + 1}`, join(tree, `d${at}`, name))
    }
    const late = () =>
      ({ action: 'create', payload: new Uint8Array(), signal: AbortSignal.timeout(50) }) as const
    const input = { sourceCodePath: tree, checksumPath: sums }
    await expect(sourceCode().isSatisfied({ ...late(), input })).rejects.toThrow('timeout')
    const artifactPath = join(folder, 'large')
    writeFileSync(artifactPath, '')
    truncateSync(artifactPath, 2 ** 36)
    const large = checksum().isSatisfied({ ...late(), input: { artifactPath, checksumPath: sums } })
    await expect(large).rejects.toThrow('timeout')
  })

  it.runIf(process.platform === 'linux')('reports a file that cannot be read', async () => {
    shell()
    symlinkSync('/proc/self/mem', join(tree, 'unreadable'))
    expect(await answer()).toContain('EIO')
  })

  it('reports a path that is missing or not a folder', async () => {
    shell()
    expect(await answer({}, join(folder, 'absent'))).toContain('ENOENT')
    expect(await answer({}, sums)).toContain('expected a folder')
  })

  it('hashes an empty folder as sha256sum hashes empty input', async () => {
    rmSync(tree, { recursive: true })
    mkdirSync(tree)
    expect(shell()).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(await answer()).toBe(true)
  })

  it('reads the paths in its options if a call passes none', async () => {
    shell()
    const paths = { sourceCodePath: tree, checksumPath: sums }
    expect(await answerOf(sourceCode(paths))).toBe(true)
    expect(await answerOf(sourceCode())).toContain('source-code.sourceCodePath: needs a path')
    expect(await codeOf(() => sourceCode({ links: 'both' } as never))).toBe('CONFIG_INVALID')
  })
})
