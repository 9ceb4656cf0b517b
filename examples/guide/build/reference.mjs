// Completes the site's reference: names of pages and modules, the purpose of each module, and a function's
// options on the function's own page.

import { Comment, Converter, ReflectionFlag, ReflectionKind } from 'typedoc'
import { importLine, importsIn } from './imports.mjs'
import { entries, PAGES, titleOf } from './pages.mjs'

const LINK = /\[([^\]]*)\]\(([^)#]+)(?:#[^)]*)?\)/

/** @typedef {import('typedoc').ProjectReflection} Project */
/** @typedef {import('typedoc').CommentDisplayPart} Part */

/** @param {import('typedoc').Application} app */
export function completeReference(app) {
  /** @type {Map<string, import('typedoc').DocumentReflection>} */
  const documents = new Map()
  const pages = Object.values(PAGES).flat()
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const page = pages[documents.size] ?? ''
    documents.set(page, document)
    document.name = titleOf(document.content.map(({ text }) => text).join('')) ?? page
    document.frontmatter.group = Object.keys(PAGES).find((heading) => PAGES[heading].includes(page))
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    nameModules(project)
    describeModules(project, documents)
  })
  // Expand options after TypeDoc has copied the comments: otherwise the options' types would appear twice.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => expandOptions(project))
}

/** Renames modules to their import names. @param {Project} project */
function nameModules(project) {
  const names = new Map(entries().map(([name, module]) => [module, name]))
  for (const one of project.getChildrenByKind(ReflectionKind.Module))
    one.name = names.get(one.name) ?? one.name
}

/**
 * Adds README's description to each module.
 *
 * @param {Project} project
 * @param {Map<string, import('typedoc').DocumentReflection>} documents
 */
function describeModules(project, documents) {
  const rows = new Map(importsIn().map((row) => [row.from, row]))
  for (const one of project.getChildrenByKind(ReflectionKind.Module)) {
    const row = rows.get(one.name)
    if (row === undefined) throw new Error(`README, What to import: expected a row for ${one.name}, got none`)
    const code = { kind: 'code', text: `\n\n\`\`\`ts\n${importLine(row)}\n\`\`\`\n` }
    one.comment = new Comment([{ kind: 'text', text: 'For ' }, ...partsOf(row.purpose, documents), code])
  }
}

/**
 * Splits a text at its links to pages.
 *
 * @param {string} text
 * @param {Map<string, import('typedoc').DocumentReflection>} documents
 * @returns {Part[]}
 */
function partsOf(text, documents) {
  const found = LINK.exec(text)
  if (found === null) return [{ kind: 'text', text: `${text}.` }]
  const [link, name = '', path = ''] = found
  const target = documents.get(path)
  if (target === undefined)
    throw new Error(`README, What to import: expected a page of the guide, got ${path}`)
  return [
    { kind: 'text', text: text.slice(0, found.index) },
    { kind: 'inline-tag', tag: '@link', text: name.replaceAll('`', ''), target },
    ...partsOf(text.slice(found.index + link.length), documents),
  ]
}

/**
 * Shows options on the pages of their functions. Omits the flag `readonly`, which all of them share.
 *
 * @param {Project} project
 */
function expandOptions(project) {
  for (const one of project.getReflectionsByKind(ReflectionKind.Interface | ReflectionKind.TypeAlias)) {
    if (!one.name.endsWith('Options')) continue
    one.comment?.modifierTags.add('@expand')
    for (const option of one.children ?? []) option.setFlag(ReflectionFlag.Readonly, false)
  }
}
