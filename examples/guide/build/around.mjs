// Adds elements around the text of TypeDoc's pages.

import { JSX } from 'typedoc'
import { PAGES } from './pages.mjs'

const OPEN = JSON.stringify([...Object.keys(PAGES), 'Modules'].map((heading) => `tsd-accordion-${heading}`))

/**
 * Adds a link to the demo page above the navigation, and links to the previous and next page below the text.
 * Expands the headings of the guide and `Modules` in the navigation on the first visit.
 *
 * @param {import('typedoc').Application} app
 */
export function addToPages(app) {
  app.renderer.hooks.on('sidebar.begin', (context) =>
    link({ class: 'demo', href: context.relativeURL('demo/index.html') }, 'Try it in your browser'),
  )
  app.renderer.hooks.on('content.end', neighbours)
  app.renderer.hooks.on('head.end', () =>
    JSX.createElement('script', null, JSX.createElement(JSX.Raw, { html: `(${openAtFirst})(${OPEN})` })),
  )
}

/** Returns links to the previous and next page. @param {import('typedoc').DefaultThemeRenderContext} context */
function neighbours(context) {
  const { model, project } = context.page
  const at = project.documents?.indexOf(model) ?? -1
  if (at < 0) return JSX.createElement(JSX.Fragment, null)
  const to = (rel, page) => page && link({ rel, href: context.urlTo(page) }, page.name)
  return JSX.createElement(
    'nav',
    { class: 'neighbours', 'aria-label': 'Pages before and after' },
    to('prev', project.documents[at - 1]),
    to('next', project.documents[at + 1]),
  )
}

/** @param {Record<string, string>} attributes @param {string} text */
const link = (attributes, text) => JSX.createElement('a', attributes, text)

/**
 * Expands parts of the navigation. Runs in the page.
 *
 * @param {string[]} keys of TypeDoc's accordions, which remember what a reader has expanded
 */
function openAtFirst(keys) {
  for (const key of keys) {
    if (localStorage.getItem(key) === null) localStorage.setItem(key, 'true')
  }
}
