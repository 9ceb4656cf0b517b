import type { Ingested, LastHeard, StoredBundle } from 'alvarium-sdk/store'
import { worstOf } from '../../foundation/model/outcome.js'
import { type ExitCode, exitOf } from '../session.js'
import { answer } from '../terminal/answers.js'
import { bold, dim, green, joined, red, type Shown, shown, yellow } from '../terminal/shown.js'
import { count, counted, short } from '../terminal/words.js'

export function bundleRow({
  seq,
  action,
  signer,
  signedBy,
  host,
  timestamp,
  key,
  annotations,
  trusted,
}: StoredBundle): Shown {
  const who = signedBy ?? short(signer)
  const what = bold(action ?? 'annotation')
  return shown`${dim(`#${seq}`)} ${timestamp}  ${what} ${short(key)} by ${who} on ${host}  ${joined(annotations.map(answer), '  ')}${trusted?.code === undefined ? '' : shown`  ${refusedText(trusted)}`}`
}

function refusedText({ outcome, code = '' }: NonNullable<StoredBundle['trusted']>): Shown {
  return outcome === 'does not hold' ? red(`✗ ${code}`) : yellow(`? ${code}`)
}

export function signerRow({ signer, signedBy, host, timestamp, receivedAt, seq }: LastHeard): Shown {
  const heard =
    receivedAt === undefined
      ? shown`signed ${timestamp}`
      : shown`received ${new Date(receivedAt).toISOString()}`
  const who = signedBy === undefined ? shown`${signer}` : shown`${bold(signedBy)} ${dim(short(signer))}`
  return shown`${who}  on ${host}  last ${heard}  ${dim(`#${seq}`)}`
}

export function ingestedRow({ bundles, copies, beside, quarantined, rejected, passedOver }: Ingested): Shown {
  const codes = Object.entries(rejected).map(([code, messages]) =>
    red(`${count(messages)} rejected (${code})`),
  )
  const others = [
    ...(beside > 0 ? [counted(beside, 'lease or checkpoint', 'leases and checkpoints')] : []),
    ...(copies > 0 ? [shown`${count(copies)} stored before`] : []),
    ...(quarantined > 0
      ? [yellow(`${count(quarantined)} quarantined (alvarium store judge retries them)`)]
      : []),
    ...codes,
    ...(passedOver > 0 ? [shown`${count(passedOver)} that say nothing about a payload`] : []),
  ]
  return shown`${green('✓')} ${joined([`${counted(bundles, 'bundle')} stored`, ...others], ', ')}`
}

/** Returns the exit code of an ingest. Quarantined messages may verify later. */
export function codeOf({ quarantined, rejected }: Ingested): ExitCode {
  return exitOf(
    worstOf([
      'holds',
      ...(quarantined > 0 ? (['cannot tell'] as const) : []),
      ...(Object.keys(rejected).length > 0 ? (['does not hold'] as const) : []),
    ]),
  )
}
