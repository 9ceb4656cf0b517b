import { outcomeOfCode, worstOf } from 'alvarium-sdk'
import type { Verdict } from 'alvarium-sdk/score'
import type { Trust } from 'alvarium-sdk/trust'
import { pathText } from '../fault.js'
import { openTrust } from '../keys/trusted.js'
import { EXIT, type ExitCode, exitOf, type Session } from '../session.js'
import { dim, joinTexts, red, type SafeText, safeText } from '../terminal/safe-text.js'
import { count, short } from '../terminal/words.js'

export interface TrustArgument {
  readonly trust?: string
}

/**
 * Opens the trust policy of `--trust`; returns undefined without the option.
 *
 * @throws AlvariumError `CONFIG_INVALID`, `FILE_UNREADABLE`
 */
export async function trustIn({ trust }: TrustArgument, { err }: Session): Promise<Trust | undefined> {
  return trust === undefined ? undefined : openTrust(trust, err)
}

type PolicyEffect = NonNullable<Verdict['trust']>

/** Returns a row with the digest of a trust policy and the number of bundles that it refused. */
export function trustRow(path: string, { policy = '', refused }: PolicyEffect): SafeText {
  const codes = Object.entries(refused).map(([code, bundles]) => red(`${count(bundles)} refused (${code})`))
  return safeText`${dim(safeText`by the trust policy ${pathText(path)}, ${short(policy)}:`)} ${joinTexts(codes.length > 0 ? codes : ['nothing refused'], ', ')}`
}

/** Adds the refusal counts of one page of bundles to the total. */
export function addRefused(sum: PolicyEffect | undefined, more: PolicyEffect): PolicyEffect {
  const refused: Record<string, number> = { ...sum?.refused }
  for (const [code, bundles] of Object.entries(more.refused)) refused[code] = (refused[code] ?? 0) + bundles
  return { ...more, refused }
}

/**
 * Returns the exit code of a query without results: that of the worst refusal by the policy, or `EXIT.unknown` if
 * the policy refused no bundle.
 */
export function codeOfRefused(applied: PolicyEffect | undefined): ExitCode {
  const codes = Object.keys(applied?.refused ?? {})
  return codes.length === 0 ? EXIT.unknown : exitOf(worstOf(codes.map(outcomeOfCode)))
}
