import type { BrokerFacts, BrokerPromise, BrokerReport } from '../../transport/doctor/doctor.js'
import { MARKS } from '../terminal/outcome.js'
import { bold, dim, padText, type SafeText, safeText, yellow } from '../terminal/safe-text.js'
import { count } from '../terminal/words.js'

/** Outcome for each answer to a test of a `BrokerPromise`. A promise that cannot be tested has no outcome. */
export const OUTCOME_OF = { yes: 'holds', no: 'does not hold', unknown: 'cannot tell' } as const
/** Width of the first column in characters: the longest promise name has 17, plus 2 spaces. */
const COLUMN = 19

export function brokerRows(report: BrokerReport): SafeText[] {
  const { url, facts, promises, failures } = report
  return [
    bold(safeText`${url}  ${brokerName(facts)}`),
    ...factsOf(facts).map(([name, value]) => safeText`  ${padText(name, COLUMN)}${value}`),
    ...failures.map(({ step, reason }) => safeText`  ${yellow('not decided:')} ${step}: ${reason}`),
    safeText``,
    ...promises.flatMap(promiseRows),
    safeText``,
    sumOf(promises),
  ]
}

function brokerName({ software, protocolVersion, isEncrypted }: BrokerFacts): string {
  const name = software
    ? [software.name, software.version ?? ''].join(' ').trim()
    : 'a broker that does not say its name'
  const protocol = protocolVersion === 5 ? 'MQTT 5' : 'MQTT 3.1.1'
  return `${name}, ${protocol}, ${isEncrypted ? 'over TLS' : 'not encrypted'}`
}

function factsOf(facts: BrokerFacts): [string, string][] {
  const { publishQos, subscribeQos, roundTrip, takeover } = facts
  const rows: [string, string | undefined][] = [
    ['certificate', certificateOf(facts)],
    ['QoS', `messages ${publishQos ?? '?'}, subscriptions ${subscribeQos ?? '?'}`],
    ['announces', announcedBy(facts)],
    [
      'round trip',
      roundTrip && `${ms(roundTrip.medianMs)} (${ms(roundTrip.minMs)} to ${ms(roundTrip.p99Ms)})`,
    ],
    ['one clientId twice', takeover && TAKEOVER[takeover]],
  ]
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]))
}

const ms = (milliseconds: number) => `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`

const TAKEOVER = {
  told: 'ends the first connection, and tells it why',
  silent: 'ends the first connection, and does not tell it why',
  refused: 'refuses the second one',
  both: 'keeps both',
}

function certificateOf({ certificate }: BrokerFacts): string | undefined {
  if (!certificate) return undefined
  const { subject, issuer, validTo, isAuthorized, reason } = certificate
  const trust = isAuthorized ? 'trusted here' : `not trusted here: ${reason}`
  return `${subject}, from ${issuer}, until ${validTo.toISOString().slice(0, 10)}, ${trust}`
}

function announcedBy({ announced }: BrokerFacts): string | undefined {
  if (!announced) return undefined
  const { receiveMaximum, maximumPacketSize, sessionExpirySeconds, serverKeepAliveSeconds } = announced
  const parts = [`${count(receiveMaximum)} messages at a time`]
  if (maximumPacketSize !== undefined) parts.push(`packets of ${count(maximumPacketSize)} bytes`)
  if (sessionExpirySeconds !== undefined) parts.push(`sessions for ${count(sessionExpirySeconds)} s`)
  if (serverKeepAliveSeconds !== undefined) parts.push(`keep alive ${count(serverKeepAliveSeconds)} s`)
  return parts.join(', ')
}

function promiseRows({ name, promise, holds, because, settings }: BrokerPromise): SafeText[] {
  const indent = ' '.repeat(COLUMN + 2)
  return [
    safeText`${holds === 'not-told' ? dim('–') : MARKS[OUTCOME_OF[holds]]} ${padText(bold(name), COLUMN)}${promise}`,
    safeText`${indent}${dim(because)}`,
    ...settings.flatMap(({ file, lines }) => [
      safeText`${indent}${file}:`,
      ...lines.map((line) => safeText`${indent}  ${line}`),
    ]),
  ]
}

function sumOf(promises: readonly BrokerPromise[]): SafeText {
  const of = (one: BrokerPromise['holds']) => promises.filter(({ holds }) => holds === one).length
  const parts = [`${of('yes')} of ${promises.length} promises hold`]
  if (of('no') > 0) parts.push(of('no') === 1 ? '1 does not' : `${of('no')} do not`)
  if (of('unknown') > 0) parts.push(`${of('unknown')} could not be tried`)
  if (of('not-told') > 0) parts.push(`${of('not-told')} cannot be tested from outside`)
  return safeText`${parts.join(', ')}`
}
