import { cp, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import vue from '@vitejs/plugin-vue'
import type { Browser, Page } from 'puppeteer-core'
import { build, type InlineConfig, preview } from 'vite'
import { vi } from 'vitest'
import { blocksOf } from '../guide/blocks.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const blocks = blocksOf('examples/guide/react-vue.md')
const POLICY = 'Content-Security-Policy'
const BROKER = 'ws://localhost:9001'
const PACKAGES = { react: ['react', 'react-dom', 'idb-keyval'], vue: ['vue', 'idb-keyval'] }

/** Names of the blocks that both frameworks share. */
const SHARED = ['page', 'settings', 'worker']

/** A project as `npm create vite` makes it, with the files of the guide. */
export interface FrontEnd {
  readonly framework: 'react' | 'vue'
  /** Build mode. React's effects run twice in development only. */
  readonly mode: 'development' | 'production'
  /** The guide's alternative text, for the files whose names begin so. */
  readonly change?: { readonly file: string; readonly from: string; readonly to: string }
}

export interface Built {
  readonly config: InlineConfig
  /** Content security policy from the guide. */
  readonly policy: string
}

/** Writes the guide's files into a project next to the packed package, and builds it by Vite with the guide's settings. */
export async function built(packed: string, frontEnd: FrontEnd, brokerUrl: string): Promise<Built> {
  const root = await project(packed, frontEnd)
  for (const { code } of blocks.filter(({ mark }) => [...SHARED, frontEnd.framework].includes(mark))) {
    await save(root, code.replaceAll(BROKER, brokerUrl), frontEnd.change)
  }
  const { settings } = await import(pathToFileURL(join(root, 'vite.settings.js')).href)
  const plugins = frontEnd.framework === 'vue' ? [vue()] : []
  const config: InlineConfig = { ...settings, root, configFile: false, plugins, logLevel: 'error' }
  // Vite and React read NODE_ENV, which Vitest has set for itself.
  vi.stubEnv('NODE_ENV', frontEnd.mode)
  await build(config).finally(() => vi.unstubAllEnvs())
  return { config, policy: settings.preview.headers[POLICY] }
}

export async function serve({ config, policy }: Built): Promise<{ url: string; close(): Promise<void> }> {
  const headers = { [POLICY]: policy }
  const server = await preview({ ...config, preview: { port: 0, host: '127.0.0.1', headers } })
  return { url: `${server.resolvedUrls?.local[0]}`, close: () => server.close() }
}

async function project(packed: string, { framework }: FrontEnd): Promise<string> {
  const folder = await mkdtemp(join(packed, `${framework}-`))
  await cp(join(packed, framework), folder, { recursive: true })
  await mkdir(join(folder, 'node_modules'))
  for (const name of PACKAGES[framework]) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
  return folder
}

/** Saves a block under the name in its first line. */
async function save(folder: string, code: string, change: FrontEnd['change']): Promise<void> {
  const [, name = ''] = /^(?:\/\/|<!--) (\S+)/.exec(code) ?? []
  const isChanged = change && name.startsWith(change.file)
  await writeFile(join(folder, name), isChanged ? code.replace(change.from, change.to) : code)
}

/** A visitor of the guide's page. */
export class Visitor {
  readonly #page: Page
  /** Errors in the console, violations of the policy among them. */
  readonly complaints: string[] = []
  readonly requested: string[] = []

  private constructor(page: Page) {
    this.#page = page
    page.on('console', (line) => line.type() === 'error' && this.complaints.push(line.text()))
    page.on('pageerror', (error) => this.complaints.push(String(error)))
    page.on('request', (request) => this.requested.push(request.url()))
  }

  static async open(browser: Browser, url: string): Promise<Visitor> {
    const page = await browser.newPage()
    const visitor = new Visitor(page)
    await page.goto(url)
    return visitor
  }

  async isOnline(): Promise<void> {
    await this.#page.waitForFunction(() => document.querySelector('section p')?.textContent === 'online')
  }

  async sign(celsius: string): Promise<void> {
    await this.#page.locator('input[aria-label=Celsius]').fill(celsius)
    await this.#page.locator('button').click()
  }

  /** Shows or hides the component that subscribes. */
  async toggle(): Promise<void> {
    await this.#page.locator('input[type=checkbox]').click()
  }

  shown(selector: string): Promise<string[]> {
    return this.#page.$$eval(selector, (found) => found.map(({ textContent }) => (textContent ?? '').trim()))
  }

  /** Tries to export the private key from IndexedDB. Returns the name of the error. */
  exported(): Promise<string> {
    return this.#page.evaluate(async () => {
      const done = (request: IDBRequest) =>
        new Promise((resolve) => {
          request.onsuccess = () => resolve(request.result)
        })
      const database = (await done(indexedDB.open('keyval-store'))) as IDBDatabase
      const store = database.transaction('keyval').objectStore('keyval')
      const { privateKey } = (await done(store.get('key-pair'))) as CryptoKeyPair
      return crypto.subtle.exportKey('pkcs8', privateKey).then(
        () => 'exported',
        ({ name }) => name,
      )
    })
  }

  async reload(): Promise<void> {
    await this.#page.reload()
  }

  async close(): Promise<void> {
    await this.#page.close()
  }
}
