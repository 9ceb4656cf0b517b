// Runs one environment: a small project, as its usual template has it.

import { readPage } from './page.mjs'
import { read, serve, succeed } from './processes.mjs'
import { layOut } from './project.mjs'

/**
 * @typedef {object} Environment
 * @property {string} name
 * @property {boolean} [short] true if it is part of `--short`
 * @property {Record<string, string>} [packages] other packages to install, at exactly these versions
 * @property {true} [hasCommand] if it runs the command too
 * @property {Record<string, unknown>} [manifest] more members of its package.json
 * @property {{ name: string, version: string }} [tool] the package manager, if it is not npm
 * @property {string[]} [install] the command of the package manager
 * @property {Record<string, string>} files by their paths in the project; the job is there as job.mjs and job.cjs
 * @property {string[][]} [build] commands, one after another
 * @property {{ program: string, args: string[] }} [run] a program that prints the results of the job …
 * @property {{ root: string, policy?: string, browser?: 'chromium' | 'firefox', extension?: string }} [page] … or a page that prints them, in this folder …
 * @property {{ program: string, args: string[] }} [serve] … or a page of this server, at the URL that it prints
 * @property {Record<string, string>} [without] the columns that it lacks, with the reasons
 * @property {RegExp} [says] its advice, if it can have no column
 */

/** @typedef {{ results: Record<string, string>, seconds: number, failure?: string }} Outcome */

/**
 * @param {Environment} environment
 * @param {{ tarball: string, command: string, broker: string, cache: string, heldMs: number }} given
 * @returns {Promise<Outcome>}
 */
export async function tryOut(environment, given) {
  const start = performance.now()
  const ended = (outcome) => ({ results: {}, ...outcome, seconds: (performance.now() - start) / 1000 })
  try {
    const folder = await layOut(environment, given)
    for (const command of environment.build ?? []) await succeed(command, folder)
    const results = await resultsOf(environment, folder, given.broker)
    return ended(environment.says ? { failure: 'it did the job' } : { results })
  } catch (error) {
    return ended(environment.says?.test(error.message) ? {} : { failure: error.message })
  }
}

/** @param {Environment} environment @returns {Promise<Record<string, string>>} */
async function resultsOf({ run, page, serve: served }, folder, broker) {
  if (run) return read(run, folder, { BROKER: broker })
  if (page) return readPage({ folder, broker, ...page })
  const server = await serve(served, folder, { BROKER: broker })
  try {
    return await readPage({ folder, broker, url: server.url })
  } finally {
    await server.stop()
  }
}
