// Makes the site's search: documents from TypeDoc's pages and names, and the program search-box.mjs, which
// replaces TypeDoc's search.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { DocumentReflection, IndexEvent, KindRouter } from 'typedoc'
import { sectionsOf } from './sections.mjs'

/** Name of the router in TypeDoc's options. */
export const ROUTER = 'guide'
/** File of the search documents. A page loads it when the reader begins to type. */
const DOCUMENTS = 'assets/guide-search.js'

/** @typedef {import('./find.mjs').Findable} Findable */

/**
 * Collects the search documents while TypeDoc makes its pages, and empties TypeDoc's own index.
 *
 * @param {import('typedoc').Application} app
 * @returns {(folder: string) => void} function that writes the documents into the site
 */
export function searchSections(app) {
  /** @type {Findable[]} */
  const documents = []
  app.renderer.defineRouter(ROUTER, SectionRouter)
  app.renderer.on(IndexEvent.PREPARE_INDEX, (event) => {
    const results = event.searchResults.filter((one) => !one.isReference())
    documents.push(...results.map((one) => findable(one, app.renderer.router)))
    for (const at of [...event.searchResults.keys()].reverse()) event.removeResult(at)
  })
  return (folder) =>
    writeFileSync(join(folder, DOCUMENTS), `globalThis.guideSearch = ${JSON.stringify(documents)}\n`)
}

/** @param {import('typedoc').Reflection} one @param {import('typedoc').Router} router @returns {Findable} */
function findable(one, router) {
  const url = router.getFullUrl(one)
  if (one instanceof Section)
    return { title: one.name, page: one.parent.name, url, text: textOf(one), isGuide: true }
  // Index only the introduction of a page, because the rest belongs to its sections.
  if (one.isDocument()) {
    return { title: one.name, page: one.name, url, text: sectionsOf(textOf(one)).intro, isGuide: true }
  }
  const { comment } = one.signatures?.[0] ?? one
  const text = comment?.summary.map(({ text }) => text).join('') ?? ''
  return { title: one.name, page: one.parent?.getFullName() ?? '', url, text, isGuide: false }
}

/** Writes the search program as one file for TypeDoc's option `customJs`. @param {string} file */
export async function bundleSearchBox(file) {
  const bundle = await rolldown({ input: join(import.meta.dirname, 'search-box.mjs'), platform: 'browser' })
  await bundle.write({ file, format: 'iife', minify: true })
  await bundle.close()
}

/** Reads the search documents of a built site. @param {string} folder @returns {Findable[]} */
export function resultsOf(folder) {
  const text = readFileSync(join(folder, DOCUMENTS), 'utf8')
  return JSON.parse(text.slice(text.indexOf('[')))
}

/** Section of a page, as a search document. */
class Section extends DocumentReflection {
  /** @param {import('./sections.mjs').Section} section @param {DocumentReflection} page */
  constructor({ title, text, anchor }, page) {
    super(title, page, [{ kind: 'text', text }], {})
    this.anchor = anchor
  }
}

/** Router that leaves pages unchanged, and makes each section an anchor on its page. */
class SectionRouter extends KindRouter {
  getLinkTargets() {
    const targets = super.getLinkTargets()
    const pages = targets.filter((target) => target instanceof DocumentReflection)
    return [...targets, ...pages.flatMap(sectionsIn)]
  }

  getFullUrl(target) {
    if (!(target instanceof Section)) return super.getFullUrl(target)
    return `${super.getFullUrl(target.parent)}#${target.anchor}`
  }

  /** Returns the home page by its file name, because a site opened from disk cannot link to a folder. */
  baseRelativeUrl(from, target) {
    return super.baseRelativeUrl(from, target === './' ? 'index.html' : target)
  }
}

/** @param {DocumentReflection} page */
function sectionsIn(page) {
  return sectionsOf(textOf(page)).sections.map((section) => new Section(section, page))
}

/** @param {DocumentReflection} page */
const textOf = (page) => page.content.map(({ text }) => text).join('')
