// Shows search results with excerpts, in place of TypeDoc's search. Runs in each page of the site.

import { finder } from './find.mjs'

/** Milliseconds between the last keystroke and the search. */
const PAUSE_MS = 80

const { base = './' } = document.documentElement.dataset
const root = base.endsWith('/') ? base : `${base}/`
/** @type {Promise<ReturnType<typeof finder>> | undefined} */
let loading
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause
let count = 0

// Listen in the capturing phase, so that TypeDoc's own search does not answer, too.
document.addEventListener('input', answer, true)

/** @param {Event} event */
function answer(event) {
  const field = event.target
  if (!(field instanceof HTMLInputElement) || field.id !== 'tsd-search-input') return
  event.stopPropagation()
  loading ??= load()
  clearTimeout(pause)
  pause = setTimeout(async () => show(field.value.trim(), await loading), PAUSE_MS)
}

/** Loads the documents with a script element, because `fetch` does not work in a site opened from disk. */
async function load() {
  const script = document.createElement('script')
  script.src = `${root}assets/guide-search.js`
  await new Promise((resolve, reject) => {
    script.onload = resolve
    script.onerror = () => reject(new Error('The search did not load: load the page again.'))
    document.head.append(script)
  })
  return finder(Reflect.get(globalThis, 'guideSearch'))
}

/** @param {string} text @param {ReturnType<typeof finder>} find */
function show(text, find) {
  const list = document.getElementById('tsd-search-results')
  const status = document.getElementById('tsd-search-status')
  if (!list || !status) return
  const results = text === '' ? [] : find(text)
  list.replaceChildren(...results.map(item))
  status.textContent = text !== '' && results.length === 0 ? `Nothing found for “${text}”` : ''
}

/** @param {import('./find.mjs').Found} found */
function item({ title, page, url, excerpt }) {
  const link = Object.assign(document.createElement('a'), { href: root + url, tabIndex: -1 })
  const place = page === '' || page === title ? [] : [element('span', 'parent', `${page} › `)]
  const heading = element('span', 'text', '')
  heading.append(...place, title)
  link.append(heading, element('small', 'excerpt', excerpt))
  const row = document.createElement('li')
  // Use the role option, because TypeDoc's key handling moves through elements of this role.
  Object.assign(row, { id: `guide-search-${count++}`, role: 'option', ariaSelected: 'false' })
  row.append(link)
  return row
}

/** @param {string} name @param {string} className @param {string} text */
function element(name, className, text) {
  return Object.assign(document.createElement(name), { className, textContent: text })
}
