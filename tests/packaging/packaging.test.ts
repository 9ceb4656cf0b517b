import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { printed } from './packed.js'

/** A picture of 80 kB, what is about the code there, and what is read before a version is installed: npm shows them out of the repository. */
const IN_REPOSITORY = [
  ...['examples/demo/tamper.gif', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['bench/README.md', 'examples/README.md', 'tests/vectors'],
  ...[
    'examples/node-service/service.mjs',
    'examples/guide/gateway.md',
    'examples/guide/migrating.md',
    'examples/guide/threats.md',
  ],
]
const GUIDE = /^examples\/guide\/\w[\w-]*\.md$/
/** What the docs lead to, of the folders that are not packed otherwise. */
const GIVEN = [GUIDE, /^examples\/guide\/[\w-]+\.svg$/, /^examples\/metrics\/prometheus\.mjs$/]

describe('the packed package, installed as users do', () => {
  const packed = inject('packed')

  it('carries what it needs and nothing of the build', () => {
    const names = packed.files.map((file) => file.replace('package/', ''))
    expect(names).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'LICENSE',
        'crate/FORMAT.md',
        'dist/index.js',
        'dist/index.d.ts',
        'dist/index.js.map',
        'js/sdk/open.ts',
        'dist/THIRD-PARTY-NOTICES.txt',
      ]),
    )
    expect(
      names.filter(
        (name) =>
          !GIVEN.some((given) => given.test(name)) &&
          /(^|\/)(tests|bench|examples|target|node_modules|build)\//.test(name),
      ),
    ).toEqual([])
    expect(names).not.toContain('.ready')
  })

  it('is 3.7 MB to download at most, and takes 14 MB of blocks of a disk', async () => {
    const own = join(packed.folder, 'node_modules/alvarium-sdk')
    const blocks = packed.files.map(async (file) => {
      const { size } = await stat(join(own, file.replace('package/', '')))
      return 4096 * Math.ceil(size / 4096)
    })
    const onDisk = (await Promise.all(blocks)).reduce((total, size) => total + size, 0)
    const [tarball = ''] = (await readdir(packed.folder)).filter((name) => name.startsWith('alvarium-sdk-'))
    expect((await stat(join(packed.folder, tarball))).size).toBeLessThan(3_700_000)
    expect(onDisk).toBeLessThan(14_000_000)
  })

  // claim: readme-15
  it('carries its guide: the links of README and of each page lead to a file in it', async () => {
    const own = join(packed.folder, 'node_modules/alvarium-sdk')
    const pages = packed.files.map((file) => file.replace('package/', '')).filter((file) => GUIDE.test(file))
    expect(pages.length).toBeGreaterThan(25)
    const dead: string[] = []
    for (const page of ['README.md', ...pages]) {
      const text = await readFile(join(own, page), 'utf8')
      for (const [, path = ''] of text.matchAll(/\]\((?!\w+:|#)([^)#]+)/g)) {
        const linked = join(dirname(page), path)
        if (IN_REPOSITORY.includes(linked)) continue
        if (!linked.startsWith('tests/') && !existsSync(join(own, linked))) dead.push(`${page}: ${path}`)
      }
    }
    expect(dead).toEqual([])
  })

  it.each(['workerd', 'edge-light'])(
    'imports its WebAssembly from where it lies, for %s',
    async (platform) => {
      const folder = join(packed.folder, 'node_modules/alvarium-sdk/dist/modules')
      const program = await readFile(join(folder, `${platform}.js`), 'utf8')
      const imported = [...program.matchAll(/"([^"]+\.wasm)(?:\?module)?"/g)].map(([, path = '']) =>
        join(folder, path),
      )
      expect(imported.map((path) => basename(path)).sort()).toEqual(['algorithms.wasm', 'core.wasm'])
      expect(imported.map((path) => existsSync(path))).toEqual([true, true])
    },
  )

  it('works when a Node module imports it', async () => {
    expect(await printed('node', ['node-esm/main.mjs'], packed.folder)).toBe('[["src",true]]')
  })

  it('reads configs, and has their schema', async () => {
    const said = JSON.parse(await printed('node', ['node-config/main.mjs'], packed.folder))
    const kinds = ['src', 'mock']
    expect(said).toEqual(['https://json-schema.org/draft/2020-12/schema', kinds, kinds])
  })

  it('has an outbox that needs no other package', async () => {
    expect(await printed('node', ['node-outbox/main.mjs'], packed.folder)).toBe('stored and delivered')
  })

  it('loads the annotators of files from alvarium-artifacts, for a config that names one', async () => {
    expect(await printed('node', ['node-annotators/main.mjs'], packed.folder)).toBe('checksum 0 true')
  })
})
