import type { Page } from 'puppeteer-core'

/** Adds what the page says in its console, and errors that nobody caught, to the list. */
export function listen(page: Page, complaints: string[], types: readonly string[] = ['error']): void {
  page.on('console', (message) => {
    if (types.includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
}
