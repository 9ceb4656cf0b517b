// Makes the page of exit codes by running each command on each kind of evidence. A test compares the result
// with the existing page:
//
//   node js/build/ready.mjs && node examples/guide/build/exit-codes.mjs     writes the page, in about two minutes

import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keyOf } from 'alvarium-sdk'
import { programFor } from '../../../dist/cli/program.js'
import { writeEvidence } from './exit-codes/evidence.mjs'
import { COLUMNS, ROWS, STORES } from './exit-codes/rows.mjs'
import { exitCode, startBroker, untilReady, whilePublished } from './exit-codes/running.mjs'
import { ROOT } from './pages.mjs'

export const PAGE = join(ROOT, 'examples/guide/exit-codes.md')

/**
 * Returns the names of the commands that have no subcommands, such as `set seal`, without `alvarium`.
 *
 * @returns {string[]}
 */
export function commandNames() {
  const others = (/** @type {any} */ command) =>
    command.commands.filter((/** @type {any} */ one) => one.name() !== 'help')
  const names = (/** @type {any} */ command, /** @type {string} */ above) => {
    const name = `${above}${command.name()}`
    const inside = others(command)
    return inside.length > 0 ? inside.flatMap((/** @type {any} */ one) => names(one, `${name} `)) : [name]
  }
  const nowhere = { write: () => {} }
  const session = /** @type {any} */ ({ out: nowhere, err: nowhere })
  return others(programFor(session, () => {})).flatMap((/** @type {any} */ command) => names(command, ''))
}

/**
 * Opens a folder with evidence, and a broker, for running the commands.
 *
 * @param {string} [server] URL of a PostgreSQL server, up to the name of a database; without it, each store
 * is a folder
 */
export async function openTrial(server) {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-codes-'))
  const before = process.cwd()
  const broker = await startBroker()
  process.chdir(folder)
  await writeEvidence(folder)
  /** Values of the placeholders in command lines. */
  const words = /** @type {Record<string, string>} */ ({ BROKER: broker.url, PAYLOAD, VKEY: '' })
  const located = (/** @type {string} */ line) =>
    server ? line.replaceAll(/\b(\w+)\.db\b/g, `${server}$1`) : line
  const run = runner(folder, words, located)
  return {
    /** Returns the table cells of a command. @param {string} name @returns {Promise<string[]>} */
    async codesOf(name) {
      if (name.startsWith('store') && !words['VKEY']) words['VKEY'] = await madeStores(located)
      const codes = /** @type {Record<string, number>} */ ({})
      for (const [column, cell] of Object.entries(ROWS[name] ?? {})) codes[column] = await run(cell)
      return COLUMNS.map((column) => `${codes[column] ?? '–'}`)
    },
    async close() {
      process.chdir(before)
      await broker.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const PAYLOAD = keyOf(new TextEncoder().encode('1,21.4'))

/**
 * Makes the stores with the command lines of `STORES`.
 *
 * @param {(line: string) => string} located replaces `NAME.db` by the URL of a database, if there is a server
 * @returns public key of the stores' logs, from `store checkpoint`
 */
async function madeStores(located) {
  let said = ''
  const onOut = (/** @type {string} */ text) => {
    said += text
  }
  for (const line of STORES) await exitCode(located(line), { onOut })
  return /example\.com\/store\+\w+\+[\w+/=]+/.exec(said)?.[0] ?? ''
}

/** @param {string} folder @param {Readonly<Record<string, string>>} words @param {(line: string) => string} located */
function runner(folder, words, located) {
  let files = 0
  const filled = (/** @type {string} */ line) =>
    located(line)
      .replaceAll(/\b(BROKER|PAYLOAD|VKEY)\b/g, (word) => words[word] ?? word)
      .replaceAll('NEW', () => join(folder, `new-${files++}`))
  return (/** @type {any} */ cell) => {
    if (typeof cell === 'string') return exitCode(filled(cell))
    if (cell.until) return untilReady(filled(cell.line), cell.until)
    const lines = readFileSync(join(folder, cell.publish), 'utf8').trimEnd().split('\n')
    const messages = lines.map((line) => new TextEncoder().encode(line))
    return whilePublished(filled(cell.listen), words['BROKER'] ?? '', messages)
  }
}

/** Returns a row of the table. @param {string} name @param {readonly string[]} codes */
export const rowText = (name, codes) => `| \`${name}\` | ${codes.join(' | ')} |`

/** @param {readonly string[]} rows */
function pageOf(rows) {
  return `# Exit codes

Every command ends with the exit code of an [outcome](../../crate/FORMAT.md#words-of-verdicts):

| exit code | mark | means |
|---|---|---|
| 0 | ✓ green | it holds, or it is done |
| 1 | ✗ red | it does not hold: something is altered, forbidden or missing |
| 2 | ? amber | it cannot tell: the last line says what is needed next. Also a mistake in the command |
| 130 | | stopped by Ctrl-C |

Several messages together have the worst of their outcomes: one that does not hold decides, then one that cannot tell.

## What each command says of what

All numbers of this table come from running the commands, and a test compares them with it. – stands where a command does not look at this.

| command | ${COLUMNS.join(' | ')} |
|---|${COLUMNS.map(() => '---|').join('')}
${rows.join('\n')}

| column | the evidence |
|---|---|
| good | everything verifies by a public key of the reader's, and nothing is missing |
| altered | one message, record, set or pack has another content than was signed; of a config or a policy, a mistake in it |
| unknown signer | the reader has other public keys than those of the signers |
| unreadable | a file or a store that is not there, or a broker that does not answer |
| expired | the reader's trust policy gives the signer time until 2020 |
| incomplete | one message, record or entry is left out |
| own policy only | the reader has neither a public key (\`--key\`) nor a policy (\`--trust\`): only what the sender says of itself is there |

Commands that read messages ask for \`--key\` or \`--trust\`, so without both they end with 2. Of a store, commands other than \`ingest\`, \`retry\` and \`audit\`
answer from what was verified before.
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const trial = await openTrial()
  const rows = []
  for (const name of Object.keys(ROWS)) rows.push(rowText(name, await trial.codesOf(name)))
  await trial.close()
  writeFileSync(PAGE, pageOf(rows))
}
