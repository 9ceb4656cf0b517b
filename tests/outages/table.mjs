// Words for the results of trials, and the results that no trial may have.

/** @typedef {import('./trial.mjs').Seen} Seen */

/** Faults after which Mosquitto has forgotten its groups, because it restarts. */
const RESTARTS = ['restart, sessions kept', 'limit of size']

/** Returns the words for a trial: `all received`, `twice`, `lost`, and the codes of rejected calls. @param {Seen} seen @returns {string[]} */
export function wordsOf({ accepted, received, rejected, twice, strangers, letters }) {
  const codes = Object.keys(rejected).sort()
  const isLost = received < accepted || letters < strangers
  return [
    ...(isLost || codes.length > 0 ? [] : ['all received']),
    ...(twice > 0 ? ['twice'] : []),
    ...(isLost ? ['lost'] : []),
    ...codes,
  ]
}

/**
 * Returns the outcomes that are never allowed.
 *
 * @param {Seen} seen
 * @param {{ qos: number, feature: string, fault: string }} of
 * @returns {string[]}
 */
export function faultsOf(seen, { qos, feature, fault }) {
  const { accepted, received, rejected, unsettled, twice, ended, strangers, letters } = seen
  const isForgetting = fault === 'restart, sessions lost' || (feature === 'group' && RESTARTS.includes(fault))
  const mayLose = qos === 0 || isForgetting
  return [
    ...(unsettled > 0 ? [`${unsettled} calls neither accepted nor rejected`] : []),
    ...(ended.length > 0 ? [`the loop ended with ${ended}`] : []),
    ...Object.keys(rejected).filter((code) => !code.startsWith('STREAM_')),
    ...(feature === 'dedup' && twice > 0 ? [`${twice} twice in spite of dedup`] : []),
    ...(!mayLose && received < accepted ? [`${accepted - received} of ${accepted} lost`] : []),
    ...(!mayLose && letters < strangers ? [`${strangers - letters} dead letters lost`] : []),
  ]
}
