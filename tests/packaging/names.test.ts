import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { beforeAll, describe, expect, inject, it } from 'vitest'

const { folder } = inject('packed')
const own = join(folder, 'node_modules/alvarium-sdk')
/** What is no module, and the one that needs a package which is not installed here. */
const LEFT_OUT = /\.(json|wasm)$|pool\/worker$|opentelemetry$/
/** Texts of programs, as they run where nobody sees their lines. */
const SHORTENED = ['platform-mqtt-workerd.js', 'pool-worker-source.js', 'pool-worker-source-start.js']

describe('what the package declares', () => {
  let subpaths: string[]
  beforeAll(async () => {
    const { exports } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'))
    subpaths = Object.keys(exports).filter((name) => !LEFT_OUT.test(name))
  })

  it('is there when it is imported, name by name, and nothing else', async () => {
    const require = createRequire(join(folder, 'package.json'))
    const declared = declaredValues(subpaths.map((name) => join('alvarium-sdk', name)))
    for (const [at, name] of subpaths.entries()) {
      const namespace = await import(require.resolve(join('alvarium-sdk', name)))
      const there = Object.keys(namespace).filter((one) => !['default', 'module.exports'].includes(one))
      expect(declared[at], name).toEqual(there.sort())
    }
  })
})

/** What a program may use as a value of each: without what is exported as a type alone. */
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

describe('an error that nobody caught', () => {
  it.each([
    ['ES modules', '--input-type=module', "import { openSdk } from 'alvarium-sdk'; openSdk({})"],
    ['CommonJS', '--no-experimental-require-module', "require('alvarium-sdk').openSdk({})"],
  ])(
    'is shown by Node with a line of code that fits a screen, and the names of our functions: %s',
    async (...how) => {
      const [, flag, program] = how
      const { stderr } = await promisify(execFile)('node', [flag, '-e', program], { cwd: folder }).catch(
        (error) => error,
      )
      expect(stderr).toMatch(/^AlvariumError: /m)
      expect(stderr).toMatch(/^ {4}at (\w+\.)?openSdk \(/m)
      expect(stderr.split('\n').filter((line: string) => line.length > 250)).toEqual([])
    },
  )

  it('is thrown by no line that is longer, wherever it is', async () => {
    for (const kind of ['esm', 'cjs']) {
      for (const file of await readdir(join(own, 'dist', kind))) {
        if (!/\.c?js$/.test(file) || SHORTENED.includes(file)) continue
        const lines = (await readFile(join(own, 'dist', kind, file), 'utf8')).split('\n')
        expect(
          lines.filter((line) => line.length > 1000 && line.includes('throw ')),
          file,
        ).toEqual([])
      }
    }
  })
})
