// The table at the end, and below it the error of each ✗.

/** The job's steps, see job.mjs; a key is made before all of them. */
const COLUMNS = {
  seal: 'seals, verifies',
  refuse: 'refuses',
  batch: 'batches',
  hold: 'holds',
  sources: 'sources',
  algorithms: 'ECDSA, SM2',
  pool: 'pool',
  publish: 'publishes',
}
const NAME = 50

/** @typedef {import('./environment.mjs').Environment} Environment */
/** @typedef {import('./environment.mjs').Outcome} Outcome */

/** @param {Environment} environment @param {Outcome} outcome */
export function row(environment, outcome) {
  const cells = Object.entries(COLUMNS).map(([step, head]) =>
    mark(environment, outcome, step).padEnd(head.length + 2),
  )
  return `${environment.name.padEnd(NAME)}${cells.join('')}${outcome.seconds.toFixed(0).padStart(4)} s`
}

export function head() {
  return `${''.padEnd(NAME)}${Object.values(COLUMNS).join('  ')}`
}

/** @param {Environment} environment @param {Outcome} outcome @param {string} step */
function mark({ without = {}, says }, { results }, step) {
  if (says || without[step]) return '–'
  return results[step] === 'ok' ? '✓' : '✗'
}

/** @param {Environment} environment @param {Outcome} outcome */
export function isFine(environment, outcome) {
  return !outcome.failure && Object.keys(COLUMNS).every((step) => mark(environment, outcome, step) !== '✗')
}

/** @param {Environment} environment @param {Outcome} outcome @returns {string[]} */
export function notes({ name, without = {}, says }, { results, failure }) {
  const failed = Object.entries(results).filter(([step, result]) => result !== 'ok' && !without[step])
  return [
    ...(says && !failure ? [`– ${name}: it says what to do, ${says.source}`] : []),
    ...Object.entries(without).map(([step, why]) => `– ${name}, ${step}: ${why}`),
    ...failed.map(([step, why]) => `✗ ${name}, ${step}: ${why.slice(0, 600)}`),
    ...(failure ? [`✗ ${name}: ${failure.slice(-1500)}`] : []),
  ]
}
