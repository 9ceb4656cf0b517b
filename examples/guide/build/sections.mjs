// Splits pages at their headings, so that a search finds sections.

import { Slugger } from 'typedoc'

const HEADING = /^#{2,4} (.+)$/
const FENCE = /^\s*```/

/**
 * @typedef {{ title: string, anchor: string, text: string }} Section heading, its anchor on the page, and the
 * text
 */

/**
 * @param {string} page Markdown
 * @returns {{ intro: string, sections: Section[] }} text before the first heading of level 2 to 4, and the
 * sections
 */
export function sectionsOf(page) {
  const slugger = new Slugger({ lowercase: true })
  const [intro = '', ...parts] = partsOf(page)
  slugger.slug(withoutCode(/^# (.+)$/m.exec(intro)?.[1] ?? ''))
  const sections = parts.map((part) => {
    const [line = ''] = part.split('\n', 1)
    const heading = withoutLinks(HEADING.exec(line)?.[1] ?? '')
    const anchor = slugger.slug(withoutCode(heading))
    return { title: heading.replaceAll('`', ''), anchor, text: part.slice(line.length) }
  })
  return { intro, sections }
}

/**
 * Splits a page before each heading of level 2 to 4. In a code block, `#` begins a comment, not a heading.
 *
 * @param {string} page Markdown
 */
function partsOf(page) {
  const parts = ['']
  let isCode = false
  for (const line of page.split('\n')) {
    if (FENCE.test(line)) isCode = !isCode
    if (!isCode && HEADING.test(line)) parts.push('')
    parts[parts.length - 1] += `${line}\n`
  }
  return parts
}

/** @param {string} heading */
const withoutLinks = (heading) => heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')

/** Removes inline code, which TypeDoc's anchors omit. @param {string} heading */
const withoutCode = (heading) => heading.replace(/`[^`]*`/g, '')
