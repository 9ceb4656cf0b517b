import { type Page, Puppeteer } from 'puppeteer-core'

/** Finds what has this role and accessible name; in the panel with this id, where others have such a name too. */
export type Selector = (role: string, name: string, panel?: string) => string

/**
 * Chromium searches by the roles and names that it gives to assistive technology. Firefox takes three seconds for one such
 * search, so there the roles and names are read from the HTML.
 */
export function selectorIn(page: Page): Selector {
  const isFirefox = page.browser().process()?.spawnfile.includes('firefox') ?? false
  return (role, name, panel) => {
    const found = isFirefox ? `::-p-named(${role} ${name})` : `::-p-aria(${name}[role="${role}"])`
    return panel === undefined ? found : `#${panel} ${found}`
  }
}

Puppeteer.registerCustomQueryHandler('named', { queryOne })

/** Runs in the page, and so has everything in it. */
function queryOne(root: Node, selector: string): Node | null {
  const elements: Readonly<Record<string, string>> = {
    button: 'button, summary',
    checkbox: 'input[type=checkbox]',
    link: 'a[href]',
    radio: 'input[type=radio]',
    textbox: 'textarea, input:not([type]), input[type=text]',
  }
  const [, role = '', name] = /^(\w+) (.*)$/.exec(selector) ?? []
  const textOf = (element: Element) => {
    const shown = element.cloneNode(true) as Element
    for (const hidden of shown.querySelectorAll('[aria-hidden=true], input, textarea, select'))
      hidden.remove()
    return shown.textContent ?? ''
  }
  const nameOf = (element: Element) => {
    const [label = element] = (element as HTMLInputElement).labels ?? []
    return (element.getAttribute('aria-label') ?? textOf(label)).replaceAll(/\s+/g, ' ').trim()
  }
  const candidates = (root as Element).querySelectorAll(elements[role] ?? `[role=${role}]`)
  return [...candidates].find((element) => nameOf(element) === name) ?? null
}
