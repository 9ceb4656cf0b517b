import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { accept, check, faultsIn } from './plain/check.mjs'
import { RULES } from './plain/rules.mjs'

/** Sources around a text of each kind. */
const SOURCES: Readonly<Record<string, (text: string) => string>> = {
  function: (text) => `/** ${text} */\nexport function act() {}`,
  value: (text) => `interface Call {\n  /**\n   * ${text}\n   */\n  readonly size: number\n}`,
  comment: (text) => `const size = 1 // ${text}`,
  logged: (text) =>
    text.split(' > ').reduceRight((inner, title) => `describe('${title}', () => { ${inner} })`, ''),
  name: (text) => `export const ${text} = 1`,
  printed: (text) => `throw new Error('${text}')`,
}
const rulesBroken = (kind: string, text: string) =>
  faultsIn('js/a/a.ts', SOURCES[kind]?.(text) ?? '').map(({ rule }) => rule.name)

/** Sentences and names of this repository, each with a better version. */
const EXAMPLES = [
  [
    'function',
    'a docstring of a function begins with a verb',
    'Whether two byte strings are the same. Not for secrets: it takes longer, the later they differ.',
    'Returns whether two byte strings are equal. Not for secrets: the time it takes shows where they differ.',
  ],
  [
    'function',
    'a docstring of a function begins with a verb',
    'Bytes as padded standard base64 (RFC 4648 §4).',
    'Encodes bytes as padded standard base64 (RFC 4648 §4).',
  ],
  [
    'value',
    'a docstring of a value begins with a noun',
    'How many bytes the list has.',
    'Size of the list in bytes.',
  ],
  [
    'comment',
    'a comment begins with its subject',
    'What it choked on is most often in the fields: a cycle, a getter that throws.',
    'The likely cause is in the fields: a cycle, or a getter that throws.',
  ],
  [
    'value',
    'a noun is the subject, not a clause',
    'One check. It answers at once or with a promise; what it throws counts as not satisfied.',
    'One check. It answers at once or with a promise. An error counts as not satisfied.',
  ],
  [
    'function',
    'words are plain',
    "Settles as the promise does. The later outcome is nobody's any more.",
    'Settles as the promise does. The later outcome is ignored.',
  ],
  [
    'comment',
    'words are plain',
    'Made once, before steps that run beside each other look at it.',
    'Made once, before steps that run at the same time read it.',
  ],
  [
    'comment',
    'words are plain',
    'Under the same packet id, it is another to the broker. It is kept apart, not passed over.',
    'Under the same packet id, the broker treats it as a new message. It is set aside, not skipped.',
  ],
  [
    'function',
    'words are plain',
    'Decodes a key; undefined when it is none.',
    'Decodes a public key; undefined for other bytes.',
  ],
  [
    'logged',
    'a title stands alone in a log',
    'closes a source that gives what is no message, and names its place',
    'ingest closes a source at an invalid message and names its place',
  ],
  [
    'logged',
    'a title stands alone in a log',
    'when a worker dies > is not used for the next call',
    'when a worker dies > the pool does not use it for the next call',
  ],
  [
    'logged',
    'a title does not go on from another test',
    'when a worker dies > and it was the only one, the calls wait for the next',
    'when a worker dies > calls wait for the next if there is no other',
  ],
  [
    'printed',
    'printed words are plain',
    'Messages of unknown signers are kept apart.',
    'Messages of unknown signers are quarantined.',
  ],
  [
    'printed',
    'printed words are plain',
    'expected the private key, got a file that is another one',
    'expected the private key, got a different file',
  ],
  ['name', 'a bound is MAX_ or MIN_', 'LONGEST_TURN_MS', 'MAX_TURN_MS'],
  ['name', 'a name is a noun, or the verb of a function', 'SOME', 'SELECT_PAGE'],
  ['name', 'a name is no participle', 'joined', 'join'],
] as const

describe('the rules for comments, titles of tests and names', () => {
  it.each(EXAMPLES)('refuse a text of the kind %s by the rule "%s": %s', (kind, rule, bad, better) => {
    expect(rulesBroken(kind, bad)).toContain(rule)
    expect(rulesBroken(kind, better)).toEqual([])
  })

  it('each have an example in the test', () => {
    const names = new Set<string>(EXAMPLES.map(([, rule]) => rule))
    expect(RULES.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([])
  })

  it('report the file, the line and a better wording, in Rust and Python too', () => {
    const rust = "let c = '\"'; // fine\n\n/// Hashes a leaf.\n/// Whoever mends it.\npub fn leaf() {}\n"
    const python = 'def leaf(data):\n    """What a leaf is."""\n'
    const found = [...faultsIn('crate/a.rs', rust), ...faultsIn('tests/a.py', python)]
    expect(found.map(({ path, line, rule }) => [path, line, rule.instead])).toEqual([
      ['crate/a.rs', 4, 'fix'],
      ['crate/a.rs', 4, 'anyone who; or name who it is'],
      ['tests/a.py', 2, RULES[0]?.instead],
    ])
  })

  it('skip code, strings and directives for tools such as Biome', () => {
    const source =
      '// biome-ignore lint/a: whoever\n// Calls `whoever wants`.\n//     whoever\nconst a = "// Whoever", b = /\\/\\/ What/, c = `/* What */`'
    expect(faultsIn('js/a/a.ts', source)).toEqual([])
  })
})

describe('npm run words', () => {
  const OLD = '// What is old.\n'
  const NEW = '// What is new.\n'

  it('refuses a new fault in a branch, committed or not, and accepts old faults', () => {
    const { root, git, write, commit } = repository()
    write('js/a/a.ts', OLD)
    accept(root)
    commit('old')
    git('checkout', '-b', 'branch')
    write('js/a/b.ts', NEW)
    const refusals = [
      expect.stringMatching(
        /^js\/a\/b\.ts:1: "What is new\.": a comment begins with its subject; write instead: /,
      ),
      expect.stringMatching(
        /^js\/a: expected 1 faults in texts as in .*, got 2; npm run words -- js\/a lists them$/,
      ),
    ]
    expect(check(root)).toEqual(refusals)
    commit('new')
    expect(check(root)).toEqual(refusals)
  })

  it('refuses a branch that raised the accepted number of faults with --accept', () => {
    const { root, git, write, commit } = repository()
    write('js/a/a.ts', OLD)
    accept(root)
    commit('old')
    git('checkout', '-b', 'branch')
    write('js/a/b.ts', NEW)
    accept(root)
    expect(check(root).at(-1)).toMatch(/: expected at most 1 faults in all, as at [0-9a-f]{8}, got 2$/)
  })

  it('does not report old faults of main in lines that were moved to another file', () => {
    const { root, git, write, commit } = repository()
    write('js/a/a.ts', `${OLD}const a = 1\n`)
    accept(root)
    commit('old')
    git('checkout', '-b', 'branch')
    write('js/a/a.ts', 'const a = 2\n')
    write('js/b/b.ts', `const b = 1\n  ${OLD}`)
    git('add', '.')
    accept(root)
    expect(check(root)).toEqual([])
  })

  it('requires --accept when there are fewer faults than were accepted', () => {
    const { root, write } = repository()
    write('js/a/a.ts', OLD)
    accept(root)
    write('js/a/a.ts', '// The present.\n')
    expect(check(root).at(-1)).toMatch(/: js\/a now has fewer faults; run npm run words -- --accept$/)
    accept(root)
    expect(check(root)).toEqual([])
  })

  it('on main, compares with the branch origin/main if it exists, else with the last tag, else with the commit `since`', () => {
    const { root, git, write, commit } = repository()
    write('js/a/a.ts', OLD)
    commit('old')
    const news = () => check(root).filter((line) => line.startsWith('js/a/b.ts:1'))
    write('js/a/b.ts', NEW)
    commit('new')
    expect(news()).toHaveLength(1)
    git('tag', 'v1')
    write('js/a/c.ts', '// The last file.\n')
    commit('later')
    expect(news()).toEqual([])
    git('update-ref', 'refs/remotes/origin/main', 'HEAD~2')
    expect(news()).toHaveLength(1)
  })

  it('reports faults in uncommitted lines in a shallow clone too', () => {
    const { root, write, commit } = repository()
    write('js/a/a.ts', OLD)
    accept(root)
    commit('old')
    const clone = join(newFolder(), 'clone')
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${root}`, clone])
    expect(check(clone)).toEqual([])
    writeFileSync(join(clone, 'js/a/a.ts'), `${OLD}${NEW}const a = 1 ${NEW}`)
    expect(check(clone).map((line) => line.split(' ')[0])).toEqual(['js/a/a.ts:2:', 'js/a/a.ts:3:', 'js/a:'])
  })
})

/** Makes a repository with one commit on main, which its old-faults.json names as `since`. */
function repository() {
  const root = newFolder()
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false', ...args],
      {
        cwd: root,
        stdio: 'pipe',
      },
    ).toString()
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const commit = (message: string) => {
    git('add', '.')
    git('commit', '--message', message)
  }
  git('init', '--initial-branch=main')
  write('README.md', 'A repository.\n')
  commit('first')
  write(
    'tests/docs/plain/old-faults.json',
    JSON.stringify({ since: git('rev-parse', 'HEAD').trim(), rooms: {} }).replace(':', ': '),
  )
  return { root, git, write, commit }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-words-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
