// Prometheus text format, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
// Labels are paths of this API, HTTP statuses and error codes, so clients cannot create new ones.

import type { StoreStats } from '../questions/figures.js'

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Label for every path that this API does not have. */
const OTHER_LABEL = 'other'
/** Pattern of error codes. Other codes are possible if other programs write to the database. */
const IS_CODE = /^[A-Z_]{1,40}$/

/** Answers of one path by HTTP status, and the total seconds that they took. */
interface PathCounts {
  readonly statuses: Map<number, number>
  seconds: number
}

export class RequestCounts {
  readonly #labels: ReadonlySet<string>
  readonly #paths = new Map<string, PathCounts>()

  /** @param paths - paths that get their own label */
  constructor(paths: Iterable<string>) {
    this.#labels = new Set(paths)
  }

  add(path: string, status: number, ms: number): void {
    const label = this.#labels.has(path) ? path : OTHER_LABEL
    const counts = this.#paths.get(label) ?? { statuses: new Map<number, number>(), seconds: 0 }
    this.#paths.set(label, counts)
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
    counts.seconds += ms / 1000
  }

  text(): string {
    const paths = [...this.#paths]
    const requests = paths.flatMap(([path, { statuses }]) =>
      Array.from(statuses, ([status, count]) => [`{path="${path}",status="${status}"}`, count] as const),
    )
    const seconds = paths.map(([path, counts]) => [`{path="${path}"}`, counts.seconds] as const)
    return [
      metric('alvarium_store_requests_total', 'counter', 'Requests that were answered.', requests),
      metric('alvarium_store_request_seconds_total', 'counter', 'Time that the answers took.', seconds),
    ].join('')
  }
}

/** Returns the metrics of a store. Without `stats`, returns the metrics of a store that did not answer. */
export function storeText(stats: StoreStats | undefined): string {
  const up = gauge('alvarium_store_up', 'Whether the store answered: 1 or 0.', stats ? 1 : 0)
  if (!stats) return up
  const { bundles, pruned, messages, payloads, quarantinedBytes, entries, checkpoint, newest } = stats
  return [
    up,
    counter('alvarium_store_bundles_total', 'Bundles that were ever stored.', bundles),
    counter('alvarium_store_pruned_total', 'Bundles of which only the id is left.', pruned),
    counter('alvarium_store_messages_total', 'Messages that were ever stored.', messages),
    gauge('alvarium_store_payloads', 'Payloads that a bundle is about.', payloads),
    metric('alvarium_store_quarantined_messages', 'gauge', 'Messages in quarantine.', reasonsOf(stats)),
    gauge('alvarium_store_quarantined_bytes', 'Bytes of messages in quarantine.', quarantinedBytes),
    gauge('alvarium_store_log_entries', 'Entries of the log of the store.', entries),
    gauge('alvarium_store_checkpoint_entries', 'Entries of the newest checkpoint.', checkpoint?.size),
    time('alvarium_store_checkpoint_time_seconds', 'When it was signed.', checkpoint?.madeAt),
    time(
      'alvarium_store_newest_received_seconds',
      'When the newest bundle was received.',
      newest?.receivedAt,
    ),
    time('alvarium_store_newest_signed_seconds', 'When its signer says it was signed.', newest?.signedAt),
  ].join('')
}

function reasonsOf({ quarantined }: StoreStats): [string, number][] {
  const counts = new Map<string, number>()
  for (const [code, messages] of quarantined) {
    const label = `{code="${IS_CODE.test(code) ? code : OTHER_LABEL}"}`
    counts.set(label, (counts.get(label) ?? 0) + messages)
  }
  return [...counts]
}

type Sample = readonly [labels: string, value: number]

function metric(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return ''
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function counter(name: string, help: string, value: number): string {
  return metric(name, 'counter', help, [['', value]])
}

function gauge(name: string, help: string, value: number | undefined): string {
  return metric(name, 'gauge', help, value === undefined ? [] : [['', value]])
}

function time(name: string, help: string, ms: number | undefined): string {
  return gauge(name, help, ms === undefined ? undefined : ms / 1000)
}
