import { defineBrowserProvider } from '@vitest/browser'
import type { Browser } from 'puppeteer-core'
import type { BrowserProvider, TestProject } from 'vitest/node'
import { type BrowserName, launch } from './launch.mjs'

/**
 * Runs Vitest's browser mode with the browsers of launch.mjs. Vitest's own providers need a patched Firefox or a
 * separate driver.
 */
export const headless = () =>
  defineBrowserProvider({
    name: 'headless',
    supportedBrowser: ['chromium', 'firefox'],
    providerFactory: (project) => new Headless(project),
  })

class Headless implements BrowserProvider {
  readonly name = 'headless'
  readonly supportsParallelism = false
  readonly #browserName: BrowserName
  #browser: Promise<Browser> | undefined

  constructor(project: TestProject) {
    this.#browserName = project.config.browser.name as BrowserName
  }

  getCommandsContext() {
    return {}
  }

  async openPage(_sessionId: string, url: string): Promise<void> {
    this.#browser ??= launch(this.#browserName)
    const page = await (await this.#browser).newPage()
    await page.goto(url)
  }

  async close(): Promise<void> {
    await (await this.#browser)?.close()
  }
}
