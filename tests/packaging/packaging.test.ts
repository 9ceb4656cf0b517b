import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { build, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { CHROMIUM } from '../../examples/shared/chromium.mjs'
import { installPacked, printed } from './packed.js'

const typescript = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

describe('the packed package, installed as users do', () => {
  let packed: Awaited<ReturnType<typeof installPacked>>
  beforeAll(async () => {
    packed = await installPacked()
  }, 120_000)
  afterAll(() => packed.remove())

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
      ]),
    )
    expect(
      names.filter(
        (name) =>
          name !== 'tests/vectors/bundle-1.json' &&
          /(^|\/)(tests|bench|examples|target|node_modules|build)\//.test(name),
      ),
    ).toEqual([])
  })

  it('works when a Node module imports it', async () => {
    expect(await printed('node', ['node-esm/main.mjs'], packed.folder)).toBe('[["src",true]]')
  })

  it('works when CommonJS requires it', async () => {
    expect(await printed('node', ['node-require/main.cjs'], packed.folder)).toBe('[["src",true]]')
  })

  it.each([
    ['bundler', 'esnext'],
    ['nodenext', 'nodenext'],
  ])('has types that TypeScript finds with module resolution %s', async (moduleResolution, module) => {
    const flags = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--target',
      'es2023',
      '--lib',
      'es2023,esnext.disposable,dom',
    ]
    const args = [
      typescript,
      ...flags,
      '--module',
      module,
      '--moduleResolution',
      moduleResolution,
      'typescript/main.ts',
    ]
    await expect(printed(process.execPath, args, packed.folder)).resolves.toBe('')
  })

  describe('in a page that Vite built without configuration', () => {
    let browser: Browser
    beforeAll(async () => {
      const root = join(packed.folder, 'vite')
      await build({ root, configFile: false, logLevel: 'error', build: { target: 'es2022' } })
      browser = await chromium.launch(CHROMIUM)
    }, 120_000)
    afterAll(() => browser?.close())

    it('publishes to a broker over WebSocket and verifies what comes back', async () => {
      const broker = await startBroker()
      const server = await preview({
        root: join(packed.folder, 'vite'),
        configFile: false,
        preview: { port: 0, host: '127.0.0.1' },
      })
      try {
        const page = await browser.newPage()
        const complaints: string[] = []
        page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))
        page.on('pageerror', (error) => complaints.push(error.message))
        await page.goto(`${server.resolvedUrls?.local[0]}?broker=${encodeURIComponent(broker.url)}`)
        await page.waitForFunction(() => document.querySelector('output')?.textContent)
        expect(await page.textContent('output')).toBe('["127.0.0.1",["src",true],["tls",false]]')
        expect(complaints).toEqual([])
      } finally {
        await server.close()
        await broker.close()
      }
    })
  })
})
