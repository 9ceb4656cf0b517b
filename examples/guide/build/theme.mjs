// Makes TypeDoc's theme accessible. axe reports no violations (tests/docs/accessible.mjs).

import { DefaultTheme, PageEvent } from 'typedoc'

/** Name of the theme in TypeDoc's options. */
export const THEME = 'guide'
/** Maximum length of a line of code that needs no scrolling on a laptop. Narrow screens wrap lines. */
const MAX_LINE_LENGTH = 76

/** @param {import('typedoc').Application} app */
export function defineTheme(app) {
  app.renderer.defineTheme(THEME, GuideTheme)
  app.renderer.on(PageEvent.END, (page) => {
    page.contents = [withMain, withLevels, withoutNestedLinks, focusable].reduce(
      (html, change) => change(html),
      page.contents ?? '',
    )
  })
}

/** Theme with navigation rows that either expand or link to a page, never both. */
class GuideTheme extends DefaultTheme {
  buildNavigation(project) {
    return super.buildNavigation(project).map(withOverview)
  }
}

/** @param {import('typedoc').NavigationElement} element @returns {import('typedoc').NavigationElement} */
function withOverview({ path, kind, children, ...element }) {
  if (!children) return { ...element, path, kind }
  const inner = children.map(withOverview)
  return { ...element, children: path ? [{ text: 'All names', path }, ...inner] : inner }
}

/** Puts the content into `<main>`. @param {string} html */
function withMain(html) {
  return html
    .replace('<div class="col-content">', '<main class="col-content">')
    .replace(
      /<\/div>\s*<div class="col-sidebar">/,
      '</main><aside class="col-sidebar" aria-label="Navigation">',
    )
    .replace(/<\/div>(<\/div>\s*<footer)/, '</aside>$1')
}

/** Sets the levels of headings so that none is skipped. Keeps their appearance. @param {string} html */
function withLevels(html) {
  /** @type {number[]} */
  const above = []
  return html.replaceAll(/<h([1-6])(?=[ >])/g, (tag, digit) => {
    const level = Number(digit)
    while ((above.at(-1) ?? 0) >= level) above.pop()
    above.push(level)
    return above.length === level ? tag : `${tag} aria-level="${above.length}"`
  })
}

/** Removes a section's link from the row that expands the section. @param {string} html */
function withoutNestedLinks(html) {
  return html.replaceAll(/<summary\b.*?<\/summary>/gs, (row) =>
    row.replace(/<a [^>]*class="tsd-anchor-icon">.*?<\/a>/s, ''),
  )
}

/** Makes wide code, pictures and tables scrollable by keyboard. @param {string} html */
function focusable(html) {
  return html
    .replaceAll(/<pre><code(?: class="\w+")?>(.*?)<\/code>/gs, (block, code) =>
      isLong(code) ? block.replace('<code', '<code tabindex="0"') : block,
    )
    .replaceAll(/<table>(?=(?:(?!<\/tr>).)*?(?:<th\b.*?){4})/gs, '<table tabindex="0">')
    .replaceAll(/<p>(\s*<img [^>]*>\s*<\/p>)/g, '<p tabindex="0">$1')
}

/** @param {string} code HTML of a block */
function isLong(code) {
  const text = code
    .replaceAll(/<br\/?>/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#?\w+;/g, '.')
  return text.split('\n').some((line) => line.length > MAX_LINE_LENGTH)
}
