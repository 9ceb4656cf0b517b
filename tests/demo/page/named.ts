import { type Page, Puppeteer } from 'puppeteer-core'

/** Finds an element by role and accessible name, and by the panel's id if the name is not unique. */
export type Selector = (role: string, name: string, panel?: string) => string

/**
 * Returns the selector of a browser. Chromium searches the roles and names of its accessibility tree. One such search
 * takes three seconds in Firefox, so the test reads roles and names from the HTML there.
 */
export function selectorIn(page: Page): Selector {
  const isFirefox = page.browser().process()?.spawnfile.includes('firefox') ?? false
  return (role, name, panel) => {
    const found = isFirefox ? `::-p-named(${role} ${name})` : `::-p-aria(${name}[role="${role}"])`
    return panel === undefined ? found : `#${panel} ${found}`
  }
}

Puppeteer.registerCustomQueryHandler('named', { queryOne })

/** Finds an element by a selector; all of this function runs in the page. */
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
