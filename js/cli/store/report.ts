import type { Ingested, LastHeard, StoredBundle } from 'alvarium-sdk/store'
import { worstOf } from '../../foundation/model/outcome.js'
import { type ExitCode, exitOf } from '../session.js'
import { answer } from '../terminal/bundle-text.js'
import { bold, dim, green, joinTexts, red, type SafeText, safeText, yellow } from '../terminal/safe-text.js'
import { count, countOf, short } from '../terminal/words.js'

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
}: StoredBundle): SafeText {
  const signerText = signedBy ?? short(signer)
  const actionLabel = bold(action ?? 'annotation')
  return safeText`${dim(`#${seq}`)} ${timestamp}  ${actionLabel} ${short(key)} by ${signerText} on ${host}  ${joinTexts(annotations.map(answer), '  ')}${trusted?.code === undefined ? '' : safeText`  ${refusedText(trusted)}`}`
}

function refusedText({ outcome, code = '' }: NonNullable<StoredBundle['trusted']>): SafeText {
  return outcome === 'does not hold' ? red(`✗ ${code}`) : yellow(`? ${code}`)
}

export function signerRow({ signer, signedBy, host, timestamp, receivedAt, seq }: LastHeard): SafeText {
  const heard =
    receivedAt === undefined
      ? safeText`signed ${timestamp}`
      : safeText`received ${new Date(receivedAt).toISOString()}`
  const signerText =
    signedBy === undefined ? safeText`${signer}` : safeText`${bold(signedBy)} ${dim(short(signer))}`
  return safeText`${signerText}  on ${host}  last ${heard}  ${dim(`#${seq}`)}`
}

export function ingestedRow({
  bundles,
  copies,
  controlMessages,
  quarantined,
  rejected,
  skipped,
}: Ingested): SafeText {
  const codes = Object.entries(rejected).map(([code, messages]) =>
    red(`${count(messages)} rejected (${code})`),
  )
  const others = [
    ...(controlMessages > 0
      ? [countOf(controlMessages, 'lease or checkpoint', 'leases and checkpoints')]
      : []),
    ...(copies > 0 ? [safeText`${count(copies)} stored before`] : []),
    ...(quarantined > 0
      ? [yellow(`${count(quarantined)} quarantined (alvarium store retry retries them)`)]
      : []),
    ...codes,
    ...(skipped > 0 ? [safeText`${count(skipped)} that say nothing about a payload`] : []),
  ]
  return safeText`${green('✓')} ${joinTexts([`${countOf(bundles, 'bundle')} stored`, ...others], ', ')}`
}

/** Returns the exit code of an ingestion. Quarantined messages leave it undecided, because they may verify later. */
export function codeOf({ quarantined, rejected }: Ingested): ExitCode {
  return exitOf(
    worstOf([
      'holds',
      ...(quarantined > 0 ? (['cannot tell'] as const) : []),
      ...(Object.keys(rejected).length > 0 ? (['does not hold'] as const) : []),
    ]),
  )
}
