import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'puppeteer-core'
import { preview } from 'vite'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { selfSigned } from '../brokers/certificate.js'
import { launch } from '../browsers/launch.mjs'
import { printed } from './packed.js'

const typescript = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

/** A picture of 80 kB, what is about the code there, and what is read before a version is installed: npm shows them out of the repository. */
const IN_REPOSITORY = [
  ...['examples/demo/tamper.gif', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['bench/README.md', 'examples/README.md', 'tests/vectors'],
  'examples/node-service/service.mjs',
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
        'dist/esm/default.js',
        'dist/esm/default.d.ts',
        'dist/cjs/default.cjs',
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
    expect(names.length).toBeLessThanOrEqual(282)
  })

  it('is 1.2 MB to download at most, and takes 5.1 MB of blocks of a disk', async () => {
    const own = join(packed.folder, 'node_modules/alvarium-sdk')
    const blocks = packed.files.map(async (file) => {
      const { size } = await stat(join(own, file.replace('package/', '')))
      return 4096 * Math.ceil(size / 4096)
    })
    const onDisk = (await Promise.all(blocks)).reduce((total, size) => total + size, 0)
    const [tarball = ''] = (await readdir(packed.folder)).filter((name) => name.endsWith('.tgz'))
    expect((await stat(join(packed.folder, tarball))).size).toBeLessThan(1_200_000)
    expect(onDisk).toBeLessThan(5_100_000)
  })

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
      const esm = join(packed.folder, 'node_modules/alvarium-sdk/dist/esm')
      const program = await readFile(join(esm, `modules-${platform}.js`), 'utf8')
      const imported = [...program.matchAll(/"([^"]+\.wasm)(?:\?module)?"/g)].map(([, path = '']) =>
        join(esm, path),
      )
      expect(imported.map((path) => basename(path)).sort()).toEqual(['algorithms.wasm', 'core.wasm'])
      expect(imported.map((path) => existsSync(path))).toEqual([true, true])
    },
  )

  it('brings as many other packages as the guide says', async () => {
    const page = await readFile(new URL('../../examples/guide/runtimes.md', import.meta.url), 'utf8')
    const [, said] = page.match(/adds (\d+) other packages/) ?? []
    const lock = JSON.parse(await readFile(join(packed.folder, 'package-lock.json'), 'utf8'))
    // Besides the project itself and ours.
    expect(Object.keys(lock.packages).length - 2).toBe(Number(said))
  })

  it('works when a Node module imports it', async () => {
    expect(await printed('node', ['node-esm/main.mjs'], packed.folder)).toBe('[["src",true]]')
  })

  it('works when CommonJS requires it', async () => {
    expect(await printed('node', ['node-require/main.cjs'], packed.folder)).toBe('[["src",true]]')
  })

  it.each([[], ['--no-experimental-require-module']])(
    'reads configs, and has their schema %s',
    async (...flags) => {
      const said = JSON.parse(await printed('node', [...flags, 'node-config/main.mjs'], packed.folder))
      const kinds = ['src', 'mock']
      expect(said).toEqual(['https://json-schema.org/draft/2020-12/schema', kinds, kinds])
    },
  )

  it('says what to install where an outbox lacks its store', async () => {
    const said = await printed('node', ['node-outbox/main.mjs'], packed.folder)
    expect(said).toMatch(
      /^CONFIG_INVALID store: expected the package classic-level .*npm install classic-level/,
    )
  })

  it('says what to install where an annotator lacks what reads a file', async () => {
    const said = await printed('node', ['node-annotators/main.mjs'], packed.folder)
    expect(said).toMatch(/^CONFIG_INVALID expected the package smol-toml .*npm install smol-toml/)
  })

  /** In projects that check the types of their packages too, and have those of the DOM, or of Node, alone. */
  it.each([
    ['bundler', 'preserve', ['main.ts', 'everything.ts'], ['--lib', 'es2022,dom']],
    ['nodenext', 'nodenext', ['main.ts', 'everything.ts'], ['--lib', 'es2022', '--types', 'node']],
    ['node10', 'commonjs', ['everything.ts'], ['--lib', 'es2022', '--types', 'node']],
  ])('has types that TypeScript finds with module resolution %s', async (resolution, module, files, has) => {
    const checks = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false']
    const how = ['--module', module, '--moduleResolution', resolution, '--ignoreDeprecations', '6.0']
    const paths = files.map((file) => `typescript/${file}`)
    const args = [typescript, ...checks, ...how, ...has, ...paths]
    await expect(printed(process.execPath, args, packed.folder)).resolves.toBe('')
  })

  describe('in a page that Vite built without configuration', () => {
    describe.each(['chromium', 'firefox'] as const)('in %s', (name) => {
      let browser: Browser
      beforeAll(async () => {
        browser = await launch(name, { acceptInsecureCerts: true })
      })
      afterAll(() => browser?.close())

      /** What the page of a project puts out, which must be all that it has to say. */
      async function output(project: string, query = '', https?: ReturnType<typeof selfSigned>) {
        const settings = { port: 0, host: '127.0.0.1', ...(https && { https }) }
        const server = await preview({
          root: join(packed.folder, project),
          configFile: false,
          preview: settings,
        })
        try {
          const page = await browser.newPage()
          const complaints: unknown[] = []
          page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))
          page.on('pageerror', (error) => complaints.push(error))
          await page.goto(`${server.resolvedUrls?.local[0]}${query}`)
          const shown = await page.waitForSelector('output:not(:empty)')
          const text = await shown?.evaluate(({ textContent }) => textContent)
          expect(complaints).toEqual([])
          return { text, page }
        } finally {
          await server.close()
        }
      }

      it.each([
        ['HTTP, to a broker over WebSocket', undefined, false],
        ['HTTPS, to a broker over WebSocket with TLS', selfSigned(), true],
      ])('publishes from %s, and verifies what comes back', async (_, tls, isProtected) => {
        const broker = await startBroker(tls ? { tls } : {})
        try {
          const { text } = await output('vite', `?broker=${encodeURIComponent(broker.url)}`, tls)
          expect(text).toBe(`["127.0.0.1",["src",true],["tls",${isProtected}]]`)
        } finally {
          await broker.close()
        }
      })

      it('seals and verifies in a pool of workers, under a strict Content-Security-Policy', async () => {
        const { text, page } = await output('vite-pool')
        expect(text).toBe('[100,0]')
        // The browser tells of their end when it finds the time.
        await expect.poll(() => page.workers(), { timeout: 60_000 }).toEqual([])
      })
    })
  })
})
