import type { AnyAnnotator } from 'alvarium-sdk'
import { AlvariumError, textOf } from '../../base/errors.js'
import { TOO_LATE, within } from '../../base/time/timeout.js'

/** Of an annotator of which it can be told before any call. */
export interface Foreseen {
  readonly kind: string
  /** `no` to every call, as things are on this machine; `unknown`, where something kept us from looking. */
  readonly answer: 'no' | 'unknown'
  readonly why: string
}

/** Those that look at this machine and not at the payload, and ask nobody elsewhere; and why they say no without an error. */
const ON_THIS_MACHINE: Readonly<Record<string, string>> = {
  checksum: 'the artifact has another checksum than the file says',
  mock: 'shouldSatisfy is not true',
  sbom: 'the SBOM is not of this build',
  'source-code': 'the folder has another checksum than the file says',
  tpm: 'there is none here',
}
/** As long as a call would wait (`annotatorTimeoutMs`). */
const PATIENCE_MS = 5_000
/** What is not there, that can be told. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ERR_MODULE_NOT_FOUND']

/** What every call would be answered, where that is no yes. */
export async function foresee(annotators: readonly AnyAnnotator[]): Promise<Foreseen[]> {
  const all = await Promise.all(annotators.map(foreseeOne))
  return all.filter((one) => one !== undefined)
}

async function foreseeOne(annotator: AnyAnnotator): Promise<Foreseen | undefined> {
  const { kind } = annotator
  if (!Object.hasOwn(ON_THIS_MACHINE, kind)) return undefined
  const late = new AbortController()
  const context = { action: 'create', payload: new Uint8Array(0), signal: late.signal } as const
  try {
    const answer = await within(Promise.resolve(annotator.isSatisfied(context)), PATIENCE_MS)
    if (answer === TOO_LATE) return { kind, answer: 'unknown', why: `no answer within ${PATIENCE_MS} ms` }
    return answer ? undefined : { kind, answer: 'no', why: ON_THIS_MACHINE[kind] as string }
  } catch (error) {
    if (isForCalls(error)) return undefined
    return { kind, answer: isTold(error) ? 'no' : 'unknown', why: textOf(error) }
  } finally {
    late.abort()
  }
}

/** Of a path that calls have to give, as the config has none. What is missing beside the package has a cause. */
function isForCalls(error: unknown): boolean {
  return error instanceof AlvariumError && error.code === 'CONFIG_INVALID' && error.cause === undefined
}

/** Whether it says something about what was looked at, and not that one could not look. */
export function isTold(error: unknown): boolean {
  const code = systemCode(error)
  return code === undefined || ABSENT.includes(code)
}

/** What the file system, or whatever loads modules, says of an error, or of its cause. */
function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const isOurs = error instanceof AlvariumError
  if (!isOurs && 'code' in error && typeof error.code === 'string') return error.code
  return systemCode(error.cause)
}
