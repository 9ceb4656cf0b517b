import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { beforeAll, describe, expect, inject, it } from 'vitest'

const { folder } = inject('packed')
const own = join(folder, 'node_modules/alvarium-sdk')
/** Files that are no module, and the entry that needs a package which is not installed here. */
const LEFT_OUT = /\.(json|wasm)$|pool\/worker$|opentelemetry$/

describe('each declared export of the package', () => {
  let subpaths: string[]
  beforeAll(async () => {
    const { exports } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'))
    subpaths = Object.keys(exports).filter((name) => !LEFT_OUT.test(name))
  })

  it('exists at run time, and no undeclared export does', async () => {
    const require = createRequire(join(folder, 'package.json'))
    const declared = declaredValues(subpaths.map((name) => join('alvarium-sdk', name)))
    for (const [at, name] of subpaths.entries()) {
      const namespace = await import(require.resolve(join('alvarium-sdk', name)))
      const there = Object.keys(namespace).filter((one) => !['default', 'module.exports'].includes(one))
      expect(declared[at], name).toEqual(there.sort())
    }
  })
})

/** Returns the names of each entry that a program may use as values: without those exported as types only. */
function declaredValues(names: readonly string[]): string[][] {
  const file = join(folder, 'names.mts')
  const text = names.map((name, at) => `import * as n${at} from '${name}'`).join('\n')
  const settings = { module: ts.ModuleKind.NodeNext, noLib: true, types: [] }
  const host = ts.createCompilerHost(settings)
  const { getSourceFile } = host
  host.getSourceFile = (path, ...how) =>
    path === file ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022) : getSourceFile(path, ...how)
  const program = ts.createProgram([file], settings, host)
  const checker = program.getTypeChecker()
  return (program.getSourceFile(file)?.statements ?? []).map((statement) => {
    const clause = (statement as ts.ImportDeclaration).importClause?.namedBindings as ts.NamespaceImport
    const values = checker.getTypeAtLocation(clause.name).getProperties()
    return values.map((value) => value.name).sort()
  })
}

describe('an error that a program does not catch', () => {
  const thrown = async (...flags: string[]) => {
    const args = [
      ...flags,
      '--input-type=module',
      '-e',
      "import { openSdk } from 'alvarium-sdk'; openSdk({})",
    ]
    const { stderr } = await promisify(execFile)('node', args, { cwd: folder }).catch((error) => error)
    return stderr as string
  }

  it('is shown by Node with lines of at most 250 characters, and with the SDK’s function names', async () => {
    const stderr = await thrown()
    expect(stderr).toMatch(/^AlvariumError: /m)
    expect(stderr).toMatch(/^ {4}at (\w+\.)?openSdk \(.*alvarium-sdk\/dist\/index\.js:\d+:\d+\)/m)
    expect(stderr.split('\n').filter((line) => line.length > 250)).toEqual([])
  })

  it('has a stack trace with positions in TypeScript files under --enable-source-maps', async () => {
    expect(await thrown('--enable-source-maps')).toMatch(
      /^ {4}at (\w+\.)?openSdk \(.*alvarium-sdk\/js\/sdk\/instance\/open\.ts:\d+:\d+\)/m,
    )
  })
})

describe('the source maps of the package', () => {
  it('refer only to TypeScript files that are in the package', async () => {
    const files = await readdir(join(own, 'dist'), { recursive: true })
    const maps = files.filter((name) => name.endsWith('.map'))
    const missing = await Promise.all(maps.map((name) => missingOf(join(own, 'dist', name))))
    expect(missing.flat()).toEqual([])
    expect(maps.length).toBeGreaterThan(200)
  })

  async function missingOf(path: string): Promise<string[]> {
    const { sources } = JSON.parse(await readFile(path, 'utf8')) as { sources: string[] }
    const paths = sources.map((source) => join(path, '..', source))
    return paths.filter((source) => !existsSync(source)).map((source) => `${path}: ${source}`)
  }
})
