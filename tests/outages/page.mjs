// Writes the guide's page about outages, from a run of all trials.

import { writeFileSync } from 'node:fs'
import { BROKERS, FAULTS } from './brokers.mjs'

const PAGE = new URL('../../examples/guide/outages.md', import.meta.url)
const LEVELS = ['0', '1', '2']

const HEAD = `# When the broker or the way to it fails

The tables are made by \`node tests/outages/main.mjs --full\`. In each trial, a program makes 18 calls while something happens to its broker, and a second program has
a durable subscription with \`deadLetter\`. Each cell is for all kinds of subscribers together: without more options, with messages of an unknown signer, with \`dedup\`, two in a \`group\`, and with \`leases\`.
The time limit of a call is 15 seconds.

| a cell has | means |
|---|---|
| all received | in some trial, no call was rejected, and each bundle was received |
| twice | some bundles were received twice, but never with \`dedup\` |
| lost | some accepted call was not received. The broker had acknowledged its message; at QoS 0, nobody does |
| a code | some calls rejected with it |

RabbitMQ does not grant QoS 2. Only Mosquitto has groups, and forgets them when it restarts. No loop ended, no call was left open, and nothing was thrown outside of the calls.

| fault | is |
|---|---|
| reset | all connections break at once, as when a machine crashes |
| FIN | all connections are ended politely |
| half-open | nothing comes through any more, and no connection ends. \`keepAliveSeconds\` is 2 |
| restart, sessions kept | the broker ends and comes back, with what it had stored. RabbitMQ is killed |
| restart, sessions lost | the broker is killed, and comes back with nothing. The broker of the examples is closed |
| right to publish taken away | nobody may publish for half a second |
| limit of size | the broker restarts with a limit that no bundle is below, and restarts again without it |
`

const TAIL = `
What is lost in a restart without sessions was acknowledged by a broker that knew no subscriber. [\`noSubscribers: 'wait'\`](delivery.md) sends such
messages until someone subscribes. With [checkpoints](completeness.md), readers find what is missing.
`

/** @param {Map<string, Set<string>>} cells words by broker, fault and QoS @returns {string} */
export function pageOf(cells) {
  const tables = Object.keys(BROKERS).map((broker) => {
    const rows = FAULTS.flatMap((fault) => {
      const words = LEVELS.map(
        (qos) => [...(cells.get(`${broker}|${fault}|${qos}`) ?? [])].sort().join(' or ') || '–',
      )
      return words.some((text) => text !== '–') ? [`| ${[fault, ...words].join(' | ')} |`] : []
    })
    return [
      `\n## ${broker[0]?.toUpperCase()}${broker.slice(1)}\n`,
      '| fault | QoS 0 | QoS 1 | QoS 2 |',
      '|---|---|---|---|',
      ...rows,
    ].join('\n')
  })
  return `${HEAD}${tables.join('\n')}\n${TAIL}`
}

/** @param {string} text */
export const writePage = (text) => writeFileSync(PAGE, text)
