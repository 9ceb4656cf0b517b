// Builds the site with TypeDoc: guide, reference from docstrings, and one search for both.

import { join } from 'node:path'
import { Application, ReflectionKind } from 'typedoc'
import { addToPages } from './around.mjs'
import { entries, INDEX, PAGES, ROOT } from './pages.mjs'
import { completeReference } from './reference.mjs'
import { bundleSearchBox, ROUTER, searchSections } from './search.mjs'
import { writeStyle } from './style.mjs'
import { defineTheme, THEME } from './theme.mjs'

// Replace toLocaleLowerCase, with which TypeDoc makes wrong anchors in a Turkish locale.
String.prototype.toLocaleLowerCase = String.prototype.toLowerCase

/** Kinds of public names that must have a docstring. */
const DOCUMENTED = ['Class', 'Interface', 'TypeAlias', 'Function', 'Variable', 'Enum']

const SEARCH_BOX = join(ROOT, 'node_modules/.cache/guide/search-box.js')

/** Path of the style sheet, which uses the demo page's colours and sizes. */
const STYLE = join(ROOT, 'node_modules/.cache/guide/style.css')

/** @returns {import('typedoc').TypeDocOptions} */
const options = () => ({
  name: 'alvarium-sdk',
  entryPoints: entries().map(([, module]) => join(ROOT, 'js', `${module}.ts`)),
  tsconfig: join(ROOT, 'tsconfig.json'),
  readme: join(ROOT, INDEX),
  projectDocuments: Object.values(PAGES)
    .flat()
    .map((page) => join(ROOT, page)),
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  // Omit links to sources, because the repository's URL is not known here.
  disableSources: true,
  disableGit: true,
  githubPages: false,
  hideGenerator: true,
  // Do not turn names into links: `.md` is also a top-level domain, and FORMAT.md would become a link.
  markdownItOptions: { html: true, linkify: false },
  router: ROUTER,
  theme: THEME,
  customCss: STYLE,
  lightHighlightTheme: 'github-light-high-contrast',
  darkHighlightTheme: 'github-dark-high-contrast',
  visibilityFilters: {},
  useFirstParagraphOfCommentAsSummary: true,
  typePrintWidth: 76,
  customJs: SEARCH_BOX,
  navigation: { includeGroups: true, includeCategories: false },
  groupOrder: [...Object.keys(PAGES), 'Modules', '*'],
  highlightLanguages: 'ts js jsx vue json sh html css java go rust python yaml ini sql'.split(' '),
  requiredToBeDocumented: DOCUMENTED,
  validation: { notExported: false, invalidLink: true, notDocumented: true, rewrittenLink: true },
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  // Skip the type check, because tsc has already checked the types.
  skipErrorChecking: true,
  logLevel: 'Warn',
})

/** Writes the site. Throws if TypeDoc reports warnings. @param {string} folder */
export async function buildSite(folder) {
  await Promise.all([bundleSearchBox(SEARCH_BOX), writeStyle(STYLE)])
  const app = await Application.bootstrap(options())
  const writeSearch = searchSections(app)
  completeReference(app)
  defineTheme(app)
  addToPages(app)
  const project = await app.convert()
  if (project === undefined) throw new Error('TypeDoc could not read the package')
  app.validate(project)
  const bare = withoutExample(project)
  if (bare.length > 0)
    app.logger.error(`An example is missing, which tests/docs would run: ${bare.join(', ')}`)
  await app.generateDocs(project, folder)
  writeSearch(folder)
  if (app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error('TypeDoc has found what stands above')
  }
}

/**
 * Returns the names of public functions and classes without an example.
 *
 * @param {import('typedoc').ProjectReflection} project
 */
function withoutExample(project) {
  return project
    .getReflectionsByKind(ReflectionKind.Function | ReflectionKind.Class)
    .filter((one) => one.parent?.kindOf(ReflectionKind.Module))
    .filter((one) => ![one, ...(one.signatures ?? [])].some(({ comment }) => comment?.getTag('@example')))
    .map((one) => one.getFullName())
}
