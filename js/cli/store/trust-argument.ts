import { outcomeOfCode, worstOf } from 'alvarium-sdk'
import type { Verdict } from 'alvarium-sdk/score'
import type { Trust } from 'alvarium-sdk/trust'
import { pathText } from '../fault.js'
import { noteRecords } from '../input/payloads.js'
import { openTrust } from '../keys/trusted.js'
import { EXIT, type ExitCode, exitOf, type Session } from '../session.js'
import { dim, joinTexts, red, type SafeText, safeText } from '../terminal/safe-text.js'
import { count, short } from '../terminal/words.js'
import type { PayloadOptions } from './payload.js'

export interface TrustArgument {
  readonly trust?: string
}

export async function trustIn({ trust }: TrustArgument, { err }: Session): Promise<Trust | undefined> {
  return trust === undefined ? undefined : openTrust(trust, err)
}

type PolicyEffect = NonNullable<Verdict['trust']>

/** Returns a row with the digest of a trust policy and the number of bundles that it refused; none without a policy. */
export function trustRows({ trust = '' }: TrustArgument, effect: PolicyEffect | undefined): SafeText[] {
  if (!effect) return []
  const { policy = '', refused } = effect
  const codes = Object.entries(refused).map(([code, bundles]) => red(`${count(bundles)} refused (${code})`))
  const head = dim(safeText`by the trust policy ${pathText(trust)}, ${short(policy)}:`)
  return [safeText`${head} ${joinTexts(codes.length > 0 ? codes : ['nothing refused'], ', ')}`]
}

export function addRefused(sum: PolicyEffect | undefined, more: PolicyEffect): PolicyEffect {
  const refused: Record<string, number> = { ...sum?.refused }
  for (const [code, bundles] of Object.entries(more.refused)) refused[code] = (refused[code] ?? 0) + bundles
  return { ...more, refused }
}

/** Ends a query without results: returns the exit code of the worst refusal, or tells that nothing was found. */
export async function nothingFound(
  noun: 'bundle' | 'annotation',
  argument: string,
  { payloadKey }: Pick<PayloadOptions, 'payloadKey'>,
  effect: PolicyEffect | undefined,
  { err }: Session,
): Promise<ExitCode> {
  const codes = Object.keys(effect?.refused ?? {})
  if (codes.length > 0) return exitOf(worstOf(codes.map(outcomeOfCode)))
  await err.undecided(`no ${noun} of this store is about this payload`)
  if (!payloadKey) await noteRecords(argument, { err })
  return EXIT.unknown
}
