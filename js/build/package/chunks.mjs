// What the files of dist/esm share, and how it is cut into chunks: by who loads it, and into pieces.

import { basename, dirname } from 'node:path'
import { graphOf, ledTo, loadedWith } from './graph.mjs'
import { dist, NAMES } from './names.mjs'

const COMMAND = dist('cli/main')

/**
 * Who only verifies reads the first, who does more one more or two: of each, what those before it have not. A bundler leaves out whole
 * files: mqtt, for who has none.
 */
const LAYERS = {
  // With what is a line or two, which several names have.
  verifying: [
    'verifying',
    'algorithms/supply',
    'base/bytes/same',
    'base/search',
    'base/time/timestamp',
    'base/time/unref',
    'core/hashed',
    'keys/known',
    'streams/keeper',
  ],
  sdk: [
    ...['sdk/open', 'annotators/source', 'annotators/pki', 'annotators/tls', 'annotators/tpm'],
    ...[
      'base/time/backoff',
      'base/time/notifier',
      'streams/simple',
      'streams/tee',
      'platform/workers',
      'artifacts/mock',
      'config/file/text',
    ],
  ],
  // Apart from what signs: a Worker that opens no stream drops it as a whole. With what the next two have too: what loads those comes last.
  index: [...['streams/mqtt/options', 'classic/received', 'index']],
  // With the first connection, and the first subscription.
  mqtt: ['streams/mqtt/publisher'],
  received: ['subscribe/verified'],
  // With the first source, and with what reads packs, which is much more.
  reading: ['sources/reading', 'sources/hasher', 'sources/digest'],
  // What is long, or has much that is the same in pages.
  ...Object.fromEntries(
    ['http', 'outbox', 'trust', 'completeness', 'judge', 'sets', 'records', 'packs', 'store'].map((name) => [
      name,
      [NAMES[name]],
    ]),
  ),
}

/** gzip looks back for 32 kB: so much of an ES module it finds in the CommonJS that follows it in the tarball. See pack.mjs. */
const LONGEST = 30_200
const LOADED_BY_ALL = 'verifying'

/** Groups for Rolldown: of what the names share, and of the command. */
export async function groups() {
  const graph = await graphOf([
    ...Object.values(NAMES).map(dist),
    dist('platform/workers'),
    dist('later/now'),
    COMMAND,
  ])
  const chunks = new Map()
  for (const [name, paths] of Object.entries(LAYERS)) {
    const missing = paths.find((path) => !graph.has(dist(path)))
    if (missing) throw new Error(`chunks.mjs, ${name}: expected a module that is loaded, got ${missing}`)
    const own = loadedWith(graph, paths.map(dist)).filter((id) => !chunks.has(id) && !isEntry(id))
    for (const [chunk, modules] of partsOf(name, own, graph)) {
      for (const [id, piece] of inPieces(chunk, modules, graph))
        chunks.set(id, piece === 0 ? chunk : `${chunk}-${piece + 1}`)
    }
  }
  // By themselves, or they would go with what of the command imports them. So would what it loads at once.
  const others = [...ledTo(graph, COMMAND)].filter((id) => graph.has(id) && !chunks.has(id) && !isEntry(id))
  for (const id of others.filter((id) => !isOfCommand(id))) chunks.set(id, basename(id, '.js'))
  for (const [id, chunk] of ofCommand(graph).sort(([, chunk]) => (chunk === 'help' ? -1 : 1)))
    chunks.set(id, chunk)
  const names = [...new Set(chunks.values())]
  return names.map((name, at) => ({
    name,
    test: (id) => chunks.get(id) === name,
    priority: names.length - at,
  }))
}

const isOfCommand = (id) => id.startsWith(dirname(COMMAND))

/** Each has a file of its own name. */
const isEntry = (id) => Object.values(NAMES).some((path) => dist(path) === id)

/**
 * What leads to `#later`, and what does not: pages without a bundler load the latter out of dist/esm too, see pages.mjs.
 *
 * @param {readonly string[]} modules in their order
 * @returns {[chunk: string, modules: readonly string[]][]}
 */
function partsOf(name, modules, graph) {
  const asks = (id) => ledTo(graph, id).has('#later')
  const parts = [
    [name, modules.filter((id) => !asks(id))],
    [`${name}-here`, modules.filter(asks)],
  ]
  return parts.filter(([, modules]) => modules.length > 0)
}

/**
 * A piece imports only from those before it: there are no circles, which CommonJS would not stand. The first of what everybody loads takes
 * what the second cannot: a file more for each process costs more than what gzip would find in two shorter ones.
 *
 * @param {string} chunk
 * @param {readonly string[]} modules in their order
 * @returns {[id: string, piece: number][]}
 */
function inPieces(chunk, modules, graph) {
  const whole = modules.reduce((total, id) => total + graph.get(id).length, 0)
  const first = chunk === LOADED_BY_ALL ? Math.max(whole - LONGEST + 2_000, LONGEST) : LONGEST
  let [piece, length] = [0, 0]
  return modules.map((id) => {
    if (length > 0 && length + graph.get(id).length > (piece === 0 ? first : LONGEST))
      [piece, length] = [piece + 1, 0]
    length += graph.get(id).length
    return [id, piece]
  })
}

/**
 * What the command loads at once is for `--help`; what it loads later, by what of the package that loads: so nothing is read for a
 * subcommand that only another one needs, and there are a few files and not fifty.
 *
 * @returns {[id: string, chunk: string][]}
 */
function ofCommand(graph) {
  const first = new Set(loadedWith(graph, [COMMAND]))
  const own = [...ledTo(graph, COMMAND)].filter((id) => isOfCommand(id) && id !== COMMAND)
  return own.map((id) => [id, first.has(id) ? 'help' : ['command', ...loadedNames(graph, id)].join('-')])
}

/** The package's names that are loaded with a module, but for that which all of them need. */
function loadedNames(graph, module) {
  const imported = loadedWith(graph, [module]).flatMap((id) => graph.get(id).imports)
  const names = imported.flatMap((id) => id.match(/^alvarium-sdk\/(.+)$/)?.[1].replaceAll('/', '-') ?? [])
  return [...new Set(names)].sort()
}
