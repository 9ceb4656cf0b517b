import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'puppeteer-core'
import { preview } from 'vite'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { launch } from '../browsers/launch.mjs'
import { printed } from './packed.js'

/** Beginning of the core in base64. */
const [, INLINED = 'nothing'] =
  readFileSync(new URL('../../js/foundation/core/generated/inline.js', import.meta.url), 'utf8').match(
    /'(.{40})/,
  ) ?? []

describe('the export condition alvarium-wasm, for applications that load the core themselves,', () => {
  const packed = inject('packed')

  const withCondition = (program: string) =>
    printed('node', ['--conditions=alvarium-wasm', `node-wasm-file/${program}`], packed.folder)

  it('makes calls fail until useCore() receives a valid module', async () => {
    const [early, promised, damaged, kinds] = JSON.parse(await withCondition('main.mjs'))
    expect([early, promised, damaged]).toEqual(['CORE_UNAVAILABLE', 'TypeError', 'CORE_UNAVAILABLE'])
    expect(kinds).toEqual(['src'])
  })

  it('may be absent in an application that calls useCore()', async () => {
    expect(await printed('node', ['node-wasm-file/both.mjs'], packed.folder)).toBe('["src"]')
  })

  describe('in a page that Vite built', () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launch('chromium')
    })
    afterAll(() => browser?.close())

    const scripts = async (project: string) => {
      const folder = join(packed.folder, project, 'dist/assets')
      const names = (await readdir(folder)).filter((name) => name.endsWith('.js'))
      return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('')
    }

    it('omits the core from the scripts', async () => {
      expect(await scripts('vite')).toContain(INLINED)
      expect(await scripts('vite-wasm-file')).not.toContain(INLINED)
    })

    it('loads the core with WebAssembly.compileStreaming', async () => {
      const root = join(packed.folder, 'vite-wasm-file')
      const server = await preview({ root, configFile: false, preview: { port: 0, host: '127.0.0.1' } })
      try {
        const page = await browser.newPage()
        await page.goto(`${server.resolvedUrls?.local[0]}`)
        await page.waitForFunction(() => document.querySelector('output')?.textContent)
        expect(await page.$eval('output', (output) => output.textContent)).toBe('[["src",true]]')
      } finally {
        await server.close()
      }
    })
  })
})
