import { existsSync } from 'node:fs'
import { type AnyAnnotator, memory, openSdk } from 'alvarium-sdk'
import { readConfig } from 'alvarium-sdk/config'
import { AlvariumError, textOf } from '../../foundation/base/errors.js'
import { shownPath } from '../../foundation/base/text/text.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import type { Outcome } from '../../foundation/model/outcome.js'
import { exitOf, type Run } from '../session.js'
import { MARKS } from '../terminal/outcome.js'
import { padText, type SafeText, safeText, yellow } from '../terminal/safe-text.js'

/** Contents of a valid config, or all of its faults. `isTold` is false if the check failed to run. */
type ConfigVerdict =
  | {
      readonly works: true
      readonly signer: string
      readonly annotators: readonly string[]
      readonly hash: string
      readonly layer: string
      readonly warnings: readonly Foreseen[]
    }
  | {
      readonly works: false
      readonly isTold: boolean
      readonly code: string
      readonly faults: readonly string[]
    }

export const run: Run<{ readonly json?: boolean }> = async ([file = ''], { json }, { out }) => {
  const checked = await check(file)
  await out.show(json, checked, () => configRows(file, checked))
  return exitOf(outcomeOf(checked))
}

function outcomeOf(checked: ConfigVerdict): Outcome {
  if (!checked.works) return checked.isTold ? 'does not hold' : 'cannot tell'
  return checked.warnings.some(({ answer }) => answer === 'unknown') ? 'cannot tell' : 'holds'
}

/**
 * Checks a config by signing an empty payload with its key. Uses neither the config's stream nor its
 * annotators for this, because annotators may need hosts that only the production machine reaches.
 */
async function check(file: string): Promise<ConfigVerdict> {
  try {
    const { signingKey, annotators, hash = 'sha256', layer = 'app' } = await readConfig(file)
    const sdk = await openSdk({ signingKey, annotators: [], stream: memory() })
    if (signingKey instanceof Uint8Array) signingKey.fill(0)
    const { bundle } = await sdk.create(new Uint8Array(0))
    await sdk.close()
    const kinds = annotators.map(({ kind }) => kind)
    const warnings = await foresee(annotators)
    return { works: true, signer: bundle.signer, annotators: kinds, hash, layer, warnings }
  } catch (error) {
    if (!(error instanceof AlvariumError)) throw error
    const { code, message } = error
    return { works: false, isTold: existsSync(file) && isTold(error), code, faults: message.split('\n') }
  }
}

function configRows(file: string, checked: ConfigVerdict): SafeText[] {
  if (!checked.works) {
    return [
      safeText`${MARKS[outcomeOf(checked)]} ${shownPath(file)}  ${checked.code}`,
      ...checked.faults.map((fault) => safeText`    ${fault}`),
    ]
  }
  const { signer, annotators, hash, layer, warnings } = checked
  return [
    safeText`${MARKS.holds} ${file} would work`,
    ...Object.entries({ signer, annotators: annotators.join(', '), hash, layer }).map(
      ([name, value]) => safeText`    ${padText(name, 12)}${value}`,
    ),
    ...warnings.map(warning),
  ]
}

function warning({ kind, answer, why }: Foreseen): SafeText {
  return answer === 'no'
    ? safeText`  ${yellow('!')} ${kind} would answer no to every call: ${why}`
    : safeText`  ${MARKS['cannot tell']} ${kind}: it could not be decided whether it can ever be satisfied: ${why}`
}

interface Foreseen {
  readonly kind: string
  /**
   * `'no'` if every call gets "no" on this machine; `'unknown'` if the answer is late, or if the error is
   * unclear.
   */
  readonly answer: 'no' | 'unknown'
  readonly why: string
}

/** Annotators that check only this machine, with the reason to show if they say "no" without an error. */
const ON_THIS_MACHINE: Readonly<Record<string, string>> = {
  checksum: 'the artifact has another checksum than the file says',
  mock: 'shouldSatisfy is not true',
  sbom: 'the SBOM is not of this build',
  'source-code': 'the folder has another checksum than the file says',
  tpm: 'there is none here',
}
/** Milliseconds until a check times out, equal to the SDK's default for `annotatorTimeoutMs`. */
const CHECK_TIMEOUT_MS = 5_000
const ABSENT = ['ENOENT', 'ENOTDIR']

async function foresee(annotators: readonly AnyAnnotator[]): Promise<Foreseen[]> {
  const all = await Promise.all(annotators.map(foreseeOne))
  return all.filter((one) => one !== undefined)
}

async function foreseeOne(annotator: AnyAnnotator): Promise<Foreseen | undefined> {
  const { kind } = annotator
  if (!Object.hasOwn(ON_THIS_MACHINE, kind)) return undefined
  const late = new AbortController()
  const context = { action: 'create', payload: new Uint8Array(0), signal: late.signal } as const
  try {
    const answer = await within(Promise.resolve(annotator.isSatisfied(context)), CHECK_TIMEOUT_MS)
    if (answer === TOO_LATE)
      return { kind, answer: 'unknown', why: `no answer within ${CHECK_TIMEOUT_MS} ms` }
    return answer ? undefined : { kind, answer: 'no', why: ON_THIS_MACHINE[kind] as string }
  } catch (error) {
    if (isForCalls(error)) return undefined
    return { kind, answer: isTold(error) ? 'no' : 'unknown', why: textOf(error) }
  } finally {
    late.abort()
  }
}

/** Returns whether an annotator failed because it takes its path from each call. Other errors have a `cause`. */
function isForCalls(error: unknown): boolean {
  return error instanceof AlvariumError && error.code === 'CONFIG_INVALID' && error.cause === undefined
}

/** Returns whether an error proves that the annotator says "no". Others, such as missing rights, prove nothing. */
function isTold(error: unknown): boolean {
  const code = systemCode(error)
  return code === undefined || ABSENT.includes(code)
}

/** Returns the system error code of an error or its cause. Ignores the codes of parser errors. */
function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('syscall' in error && 'code' in error && typeof error.code === 'string') return error.code
  return systemCode(error.cause)
}
