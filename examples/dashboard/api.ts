/** Types and requests for the HTTP API of `alvarium-sdk/store/serve`, as described in its `/openapi.json`. */

export interface PayloadName {
  readonly key: string
  readonly hash: string
}

export interface About extends PayloadName {
  readonly bundles: number
  readonly answers: readonly { readonly kind: string; readonly yes: number; readonly no: number }[]
  readonly signers: readonly { readonly signer: string; readonly bundles: number }[]
  readonly hosts: readonly { readonly host: string; readonly bundles: number }[]
}

export interface Verdict {
  /** Score from 0 to 1. */
  readonly score: number | 'unknown'
  readonly why: {
    readonly own: number
    readonly vetoes: readonly string[]
    /** Payloads that this payload was made from, lowest score first. */
    readonly ancestors: readonly (PayloadName & { readonly score: number })[]
  }
}

export interface Bundle extends PayloadName {
  readonly seq: number
  readonly action?: string
  readonly signer: string
  readonly signedBy?: string
  readonly host: string
  readonly timestamp: string
  readonly receivedAt?: number
  readonly annotations: readonly { readonly kind: string; readonly isSatisfied: boolean }[]
}

export interface Page {
  readonly bundles: readonly Bundle[]
  readonly next?: string
}

export interface Lineage {
  readonly payloads: readonly (PayloadName & {
    readonly depth: number
    readonly madeFrom: readonly number[]
  })[]
  readonly isWhole: boolean
}

export interface Hour {
  readonly hour: string
  readonly host: string
  readonly kind: string
  readonly yes: number
  readonly no: number
}

export interface Answers {
  /** Counts per hour, newest first. */
  readonly hours: readonly Hour[]
  readonly isWhole: boolean
}

export interface Heard {
  readonly signer: string
  readonly signedBy?: string
  readonly host: string
  readonly timestamp: string
  readonly receivedAt?: number
}

/** Part of a log: consecutive positions without messages or, in `gaps`, without a checkpoint. */
export interface Gap {
  readonly run: string
  readonly first: number
  readonly last: number
  readonly since: string
  readonly until: string
}

/** Gaps of one signer: positions that the signer's checkpoints cover but the store does not have. */
export interface Missing {
  readonly signer: string
  readonly name?: string
  readonly verdict: 'complete' | 'unknown' | 'incomplete'
  readonly messages: number
  readonly runs: readonly { readonly until: string; readonly before: number }[]
  readonly missing: readonly Gap[]
  readonly gaps: readonly Gap[]
  readonly missingInGaps: number
  readonly forks: readonly { readonly size: number }[]
  readonly unlisted: readonly { readonly timestamp: string }[]
  readonly refused: number
  readonly pending: number
  readonly unknown: number
  readonly prunedOrMissing: number
  readonly isWhole: boolean
}

/** Page of a list of signers, ordered by key id. */
export interface MissingPage {
  readonly signers: readonly Missing[]
  readonly next?: string
}

export interface Stats {
  readonly bundles: number
  readonly messages: number
  readonly payloads: number
  readonly quarantinedBytes: number
  readonly quarantined: readonly { readonly code: string; readonly messages: number }[]
}

/** Error of the API, with the code and the advice of the problem document. */
export class Trouble extends Error {
  constructor(
    readonly code: string,
    detail: string,
  ) {
    super(detail)
  }
}

/** Timeout of a request in milliseconds. A request waits while the store answers another query. */
const LONGEST_MS = 60_000

/** Sends a request to the store. @throws Trouble */
export async function ask<T>(
  path: string,
  query: Readonly<Record<string, string | number>> = {},
  longestMs = LONGEST_MS,
): Promise<T> {
  const values = Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`])
  const signal = AbortSignal.timeout(longestMs)
  const response = await fetch(`api/${path}?${new URLSearchParams(values)}`, { signal }).catch(() => {
    throw new Trouble('STREAM_UNREACHABLE', 'The server of this page does not answer.')
  })
  // Ignore invalid JSON, because a proxy may answer in HTML.
  const answer = await response.json().catch(() => undefined)
  if (response.ok && answer !== undefined) return answer as T
  const said = response.ok ? 'The answer was cut short.' : 'What answers is not the store.'
  throw new Trouble(answer?.code ?? `HTTP ${response.status}`, answer?.detail ?? said)
}
