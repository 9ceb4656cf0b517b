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
import { ignoreRejection } from '../../foundation/base/time/promises.js'
import type { VerifiedAnnotation } from '../../verifying/classic/verify-classic.js'
import type { Group, GroupOptions } from '../../verifying/consume/group.js'
import type { ReceivedBundle, ReceivedClassic, RejectedEvent } from '../../verifying/consume/received.js'
import {
  fail,
  type InstrumentOptions,
  linksTo,
  overrideMembers,
  quietly,
  readInstruments,
  SCOPE,
  spanKeyOf,
  startSpan,
  typeOf,
} from './instrument.js'

/** Bundle or classic message that a subscription delivers to a loop. */
export type ReceivedItem = ReceivedBundle | ReceivedClassic

/** Subscription that can be instrumented, with the members that the instrumentation uses. */
export interface InstrumentableSubscription {
  /** Iterates over bundles. Each bundle becomes a span. */
  [Symbol.asyncIterator](): AsyncGenerator<ReceivedItem, void>
  /** Iterates over groups. Each bundle in a group becomes a span. */
  groups(options?: GroupOptions): AsyncGenerator<Group<ReceivedItem>, void>
  /** Adds a listener for messages that do not verify. Each of them is counted, and becomes a failed span. */
  addEventListener(type: 'rejected', listener: (event: RejectedEvent) => void): void
}

const contexts = new WeakMap<ReceivedItem, Context>()

/**
 * Returns the context of a bundle's span. Activate it yourself, because a loop cannot activate it.
 *
 * @returns the active context if the bundle is not from an instrumented subscription
 *
 * @example
 * ```ts
 * for await (const bundle of instrumentSubscription(bundles)) {
 *   await context.with(contextOf(bundle), () => archive.put(bundle))
 * }
 * ```
 */
export function contextOf(bundle: ReceivedItem): Context {
  return contexts.get(bundle) ?? context.active()
}

/**
 * Instruments a subscription: the returned one behaves like the given one, and reports to OpenTelemetry.
 *
 * Each bundle is a span, `alvarium process`, from its delivery until `ack` or `nack` of the bundle or its
 * group. `alvarium.outcome` is `ack`, `nack`, or `left` if the loop ended first. Other attributes are
 * `alvarium.action`, `alvarium.key`, `alvarium.bundle.id` and `alvarium.signer`. A classic message has the
 * key and signer of its last verified annotation. With hash `none`, `alvarium.key` is the SHA-256 of the
 * payload. A message that does not verify is a failed span `alvarium reject`.
 *
 * Spans link to the span in the message's trace context, which any publisher could have written, because it
 * is not signed. They have the attributes of OpenTelemetry's conventions for messaging: `messaging.system`,
 * `messaging.destination.name`, `messaging.operation.type` and `.name`, and `messaging.message.body.size`.
 *
 * Metrics: `alvarium.subscription.bundles` by `alvarium.action`, `alvarium.subscription.rejected` by
 * `error.type`, and the histogram `alvarium.subscription.process.duration`, in seconds.
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
export function instrumentSubscription<T extends InstrumentableSubscription>(
  bundles: T,
  options: InstrumentOptions = {},
): T {
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
  const begin = (bundle: ReceivedItem, open: Set<Processing>) => {
    quietly(() => given.add(1, { ...attributes, 'alvarium.action': bundle.action }))
    const processing = new Processing(bundle, spanOf(tracer, bundle, attributes), (ms) => {
      open.delete(processing)
      duration.record(ms / 1000, attributes)
    })
    open.add(processing)
    return processing
  }
  return overrideMembers(bundles, {
    [Symbol.asyncIterator]: () => watchLoop(bundles[Symbol.asyncIterator](), begin),
    groups: (options?: GroupOptions) =>
      watchLoop(bundles.groups(options), (group, open) => {
        watchGroup(
          group,
          group.bundles.map((bundle) => begin(bundle, open)),
        )
      }),
  })
}

/**
 * Yields the deliveries of a loop. At the end of the loop, ends the spans of unsettled bundles with `left`.
 * `begin` adds the spans of a delivery to `open`.
 */
async function* watchLoop<Given>(
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

/** Returns an `ack` that also calls `done`. Handles a rejection, so callers need not await the promise. */
function withCallback(ack: () => Promise<void>, done: () => void): () => Promise<void> {
  return () => {
    const acked = ack().then(done)
    ignoreRejection(acked)
    return acked
  }
}

/** Wraps the methods that settle a group, to end the spans of its bundles. */
function watchGroup(group: Group<ReceivedItem>, all: readonly Processing[]): void {
  const [ack, nack] = [group.ack.bind(group), group.nack.bind(group)]
  group.ack = withCallback(ack, () => {
    for (const one of all) one.end('ack')
  })
  group.nack = () => {
    nack()
    for (const one of all) one.end('nack')
  }
}

function spanOptions(
  operation: 'process' | 'reject',
  { topic, message, traceContext }: Pick<ReceivedItem, 'topic' | 'message' | 'traceContext'>,
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

function spanOf(tracer: Tracer, bundle: ReceivedItem, attributes: Attributes): Span {
  const { action, id } = bundle
  const newest = bundle.format === 'bundle' ? bundle : newestOf(bundle)
  const content = { 'alvarium.action': action, 'alvarium.key': spanKeyOf(newest), 'alvarium.bundle.id': id }
  const spanAttributes = { ...attributes, ...content, 'alvarium.signer': newest.signer }
  const options = spanOptions('process', bundle, spanAttributes)
  const span = startSpan(tracer, 'alvarium process', options, ROOT_CONTEXT)
  contexts.set(bundle, trace.setSpan(ROOT_CONTEXT, span))
  return span
}

/** Returns the last verified annotation. In a `mutate`, the first is about the old payload. */
function newestOf({ annotations }: ReceivedClassic): VerifiedAnnotation {
  const verified = annotations.filter(({ status }) => status === 'fulfilled')
  return (verified.at(-1) as PromiseFulfilledResult<VerifiedAnnotation>).value
}

class Processing {
  readonly #span: Span
  readonly #took: (milliseconds: number) => void
  readonly #since = performance.now()
  #isOver = false

  /** Wraps the methods that settle a bundle, to end its span. */
  constructor(bundle: ReceivedItem, span: Span, took: (milliseconds: number) => void) {
    this.#span = span
    this.#took = took
    const [ack, nack] = [bundle.ack.bind(bundle), bundle.nack.bind(bundle)]
    bundle.ack = withCallback(ack, () => this.end('ack'))
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
