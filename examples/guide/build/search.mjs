// TypeDoc's search, which finds symbols and pages, finds the sections of the pages as well, by heading and text.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { DocumentReflection, IndexEvent, KindRouter } from 'typedoc'
import { sectionsOf } from './sections.mjs'

/** The name of the router, for TypeDoc's options. */
export const ROUTER = 'guide'

/** @param {import('typedoc').Application} app */
export function searchSections(app) {
  app.renderer.defineRouter(ROUTER, SectionRouter)
  app.renderer.on(IndexEvent.PREPARE_INDEX, (event) => {
    withoutTwins(event)
    withIntros(event)
  })
}

/** What several entries export is found once. @param {IndexEvent} event */
function withoutTwins(event) {
  for (const [at, found] of [...event.searchResults.entries()].reverse()) {
    if (found.isReference()) event.removeResult(at)
  }
}

/** A page is found by its name and its first lines: what follows belongs to its sections. @param {IndexEvent} event */
function withIntros({ searchResults, searchFields }) {
  for (const [at, found] of searchResults.entries()) {
    if (found.isDocument() && !(found instanceof Section)) {
      searchFields[at] = { document: sectionsOf(textOf(found)).intro }
    }
  }
}

/** What a built site's search leads to. @param {string} folder @returns {{ name: string, parent?: string, url: string }[]} */
export function resultsOf(folder) {
  const [, index = ''] = /"(.+)"/.exec(readFileSync(join(folder, 'assets/search.js'), 'utf8')) ?? []
  return JSON.parse(inflateSync(Buffer.from(index, 'base64')).toString()).rows
}

/** A section of a page, as far as a search needs to know it. */
class Section extends DocumentReflection {
  /** @param {import('./sections.mjs').Section} section @param {DocumentReflection} page */
  constructor({ title, text, anchor }, page) {
    super(title, page, [{ kind: 'text', text }], {})
    this.anchor = anchor
    // Words are looked for in the guide first; a name is a symbol's.
    this.relevanceBoost = 4
  }
}

/** Pages lie where they did; a section is a place on its page. */
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
}

/** @param {DocumentReflection} page */
function sectionsIn(page) {
  return sectionsOf(textOf(page)).sections.map((section) => new Section(section, page))
}

/** @param {DocumentReflection} page */
const textOf = (page) => page.content.map(({ text }) => text).join('')
