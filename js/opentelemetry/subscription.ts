import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { ignoreRejection } from '../base/time/promises.js'
import type { VerifiedAnnotation } from '../classic/verify-classic.js'
import type { Group, GroupOptions } from '../consume/group.js'
import type { ReceivedBundle, ReceivedClassic, RejectedEvent } from '../consume/received.js'
import {
  fail,
  type InstrumentOptions,
  linksTo,
  quietly,
  readInstruments,
  SCOPE,
  spanKeyOf,
  standingIn,
  startSpan,
  typeOf,
} from './instrument.js'

/** What a loop is given. */
export type Consumed = ReceivedBundle | ReceivedClassic

/** What of a subscription is looked at. */
export interface Consuming {
  /** The loop, each of whose turns becomes a span. */
  [Symbol.asyncIterator](): AsyncGenerator<Consumed, void>
  /** The same in groups; each bundle of theirs becomes a span. */
  groups(options?: GroupOptions): AsyncGenerator<Group<Consumed>, void>
  /** Tells of messages that do not verify, which are counted. */
  addEventListener(type: 'rejected', listener: (event: RejectedEvent) => void): void
}

const contexts = new WeakMap<Consumed, Context>()

/**
 * The context of a bundle's span, to make what is done with the bundle part of it: a loop has no way to do so by itself.
 *
 * @returns the context that is active, if the bundle is none of an instrumented subscription
 *
 * @example
 * ```ts
 * for await (const bundle of instrumentSubscription(bundles)) {
 *   await context.with(contextOf(bundle), () => archive.put(bundle))
 * }
 * ```
 */
export function contextOf(bundle: Consumed): Context {
  return contexts.get(bundle) ?? context.active()
}

/**
 * A subscription that does what the given one does, and says so: use it in its place.
 *
 * Each bundle is a span, `alvarium process`, from when the loop is given it until it is acknowledged or given back
 * (`alvarium.outcome` says which: `ack`, `nack`, or `left`, when the loop ended with it in hand), alone or with its group, with `alvarium.action`,
 * `alvarium.key`, `alvarium.bundle.id` and `alvarium.signer` (of a classic message, those of its last annotation that verifies).
 * With hash `none`, `alvarium.key` is the SHA-256 of the payload. A message that does not verify is a span `alvarium reject` that failed.
 *
 * Spans link to the one that the message's trace context names, if one came with it: any publisher could have written that. They
 * have the attributes of OpenTelemetry's conventions for messaging: `messaging.system`, `messaging.destination.name`,
 * `messaging.operation.type` and `.name`, and `messaging.message.body.size`.
 *
 * Metrics: `alvarium.subscription.bundles` by `alvarium.action`, `alvarium.subscription.rejected` by `error.type`, and the
 * histogram `alvarium.subscription.process.duration`, in seconds.
 *
 * @example
 * ```ts
 * import { subscribe } from 'alvarium-sdk'
 * import { instrumentSubscription } from 'alvarium-sdk/opentelemetry'
 *
 * const bundles = instrumentSubscription(subscribe({ url, topic, clientId: 'archive-1', keyring }))
 * for await (const bundle of bundles) await archive.put(bundle)
 * ```
 */
export function instrumentSubscription<T extends Consuming>(bundles: T, options: InstrumentOptions = {}): T {
  const { meterProvider, tracerProvider, attributes } = readInstruments(options)
  const meter = meterProvider.getMeter(SCOPE)
  const tracer = tracerProvider.getTracer(SCOPE)
  const given = meter.createCounter('alvarium.subscription.bundles', { unit: '{bundle}' })
  const refused = meter.createCounter('alvarium.subscription.rejected', { unit: '{message}' })
  const duration = meter.createHistogram('alvarium.subscription.process.duration', { unit: 's' })
  bundles.addEventListener('rejected', (event) => {
    const { error } = event
    quietly(() => refused.add(1, { ...attributes, 'error.type': typeOf(error) }))
    const options = spanOptions('reject', event, attributes)
    fail(startSpan(tracer, 'alvarium reject', options, ROOT_CONTEXT), error)
  })
  const begin = (bundle: Consumed, open: Set<Processing>) => {
    quietly(() => given.add(1, { ...attributes, 'alvarium.action': bundle.action }))
    const processing = new Processing(bundle, spanOf(tracer, bundle, attributes), (ms) => {
      open.delete(processing)
      duration.record(ms / 1000, attributes)
    })
    open.add(processing)
    return processing
  }
  return standingIn(bundles, {
    [Symbol.asyncIterator]: () => watched(bundles[Symbol.asyncIterator](), begin),
    groups: (options?: GroupOptions) =>
      watched(bundles.groups(options), (group, open) => {
        watchGroup(
          group,
          group.bundles.map((bundle) => begin(bundle, open)),
        )
      }),
  })
}

/** Hands on what a loop is given; what is still in hand when it ends is left. `begin` adds what it begins to those that are open. */
async function* watched<Given>(
  given: AsyncGenerator<Given, void>,
  begin: (one: Given, open: Set<Processing>) => unknown,
): AsyncGenerator<Given, void> {
  const open = new Set<Processing>()
  try {
    for await (const one of given) {
      begin(one, open)
      yield one
    }
  } finally {
    for (const one of open) one.end('left')
  }
}

/** Acknowledges, and tells when that is done. As without us, nobody has to wait for it. */
function telling(ack: () => Promise<void>, done: () => void): () => Promise<void> {
  return () => {
    const acked = ack().then(done)
    ignoreRejection(acked)
    return acked
  }
}

/** However a group is settled, by the loop or because it asked for the next one, goes through its own two methods. */
function watchGroup(group: Group<Consumed>, all: readonly Processing[]): void {
  const [ack, nack] = [group.ack.bind(group), group.nack.bind(group)]
  group.ack = telling(ack, () => {
    for (const one of all) one.end('ack')
  })
  group.nack = () => {
    nack()
    for (const one of all) one.end('nack')
  }
}

/** Returns what the spans of a message have in common. */
function spanOptions(
  operation: 'process' | 'reject',
  { topic, message, traceContext }: Pick<Consumed, 'topic' | 'message' | 'traceContext'>,
  attributes: Attributes,
): SpanOptions {
  const messaging = {
    'messaging.system': 'mqtt',
    'messaging.destination.name': topic,
    'messaging.operation.type': 'process',
    'messaging.operation.name': operation,
    'messaging.message.body.size': message.length,
  }
  return {
    kind: SpanKind.CONSUMER,
    links: linksTo(traceContext),
    attributes: { ...attributes, ...messaging },
  }
}

function spanOf(tracer: Tracer, bundle: Consumed, attributes: Attributes): Span {
  const { action, id } = bundle
  const newest = bundle.format === 'bundle' ? bundle : newestOf(bundle)
  const content = { 'alvarium.action': action, 'alvarium.key': spanKeyOf(newest), 'alvarium.bundle.id': id }
  const own = { ...attributes, ...content, 'alvarium.signer': newest.signer }
  const options = spanOptions('process', bundle, own)
  const span = startSpan(tracer, 'alvarium process', options, ROOT_CONTEXT)
  contexts.set(bundle, trace.setSpan(ROOT_CONTEXT, span))
  return span
}

/** Of a classic message, whose annotations have each their own. Of a `mutate`, the first is about the old payload. */
function newestOf({ annotations }: ReceivedClassic): VerifiedAnnotation {
  const verified = annotations.filter(({ status }) => status === 'fulfilled')
  return (verified.at(-1) as PromiseFulfilledResult<VerifiedAnnotation>).value
}

/** A bundle in the hands of a loop. */
class Processing {
  readonly #span: Span
  readonly #took: (milliseconds: number) => void
  readonly #since = performance.now()
  #isOver = false

  /** However a bundle is settled, by the loop or because it asked for the next one, goes through its own two methods. */
  constructor(bundle: Consumed, span: Span, took: (milliseconds: number) => void) {
    this.#span = span
    this.#took = took
    const [ack, nack] = [bundle.ack.bind(bundle), bundle.nack.bind(bundle)]
    bundle.ack = telling(ack, () => this.end('ack'))
    bundle.nack = () => {
      nack()
      this.end('nack')
    }
  }

  end(outcome: 'ack' | 'nack' | 'left'): void {
    if (this.#isOver) return
    this.#isOver = true
    quietly(() => this.#took(performance.now() - this.#since))
    quietly(() => this.#span.setAttribute('alvarium.outcome', outcome).end())
  }
}
