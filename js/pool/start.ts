import { hasWorkers } from '#workers'
import { AlvariumError, textOf } from '../base/errors.js'
import type { WorkerFrom } from '../platform/workers.js'
import type { PoolSettings } from './options.js'

/** What can be started, and ended half-way. */
interface Startable {
  start(): Promise<void>
  abandon(): void
}

/**
 * Starts workers from the first place from which they start.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE`, with the reason of each place, or where nothing starts workers
 */
export async function startFrom<T extends Startable>(
  given: PoolSettings['worker'],
  open: (from: WorkerFrom) => T,
): Promise<T> {
  if (typeof given !== 'function' && !hasWorkers()) {
    const got = 'none (the edge, service workers and shared workers have none): leave the pool out'
    throw new AlvariumError('CORE_UNAVAILABLE', `pool: expected a runtime that starts workers, got ${got}`)
  }
  if (given !== undefined) {
    return attempt(fromGiven(given), open).catch((cause) => {
      throw unavailable('pool.worker: expected alvarium-sdk/pool/worker of this version', cause)
    })
  }
  try {
    return await attempt('beside', open)
  } catch (missing) {
    // Loaded now and not before: most never need it.
    const { source } = await import('./worker-source.js')
    return attempt({ source }, open).catch((cause) => {
      throw unavailable('pool: expected workers to start', cause, `${inBoth(missing, cause)}${ADVICE}`)
    })
  }
}

const ADVICE =
  '. In Node, --permission needs --allow-worker too. Elsewhere, give pool({ worker }) the URL of alvarium-sdk/pool/worker, or a function that starts a worker on it; a ' +
  "Content-Security-Policy needs worker-src 'self' and 'wasm-unsafe-eval'"

function inBoth(missing: unknown, cause: unknown): string {
  return `${textOf(missing)} (from the file beside this module), ${textOf(cause)} (from its text)`
}

function unavailable(expected: string, cause: unknown, got = textOf(cause)): AlvariumError {
  return new AlvariumError('CORE_UNAVAILABLE', `${expected}, got: ${got}`, { cause })
}

function fromGiven(given: NonNullable<PoolSettings['worker']>): WorkerFrom {
  if (typeof given === 'function') return { make: given }
  return { url: typeof given === 'string' ? given : given.href }
}

async function attempt<T extends Startable>(from: WorkerFrom, open: (from: WorkerFrom) => T): Promise<T> {
  const opened = open(from)
  try {
    await opened.start()
    return opened
  } catch (error) {
    opened.abandon()
    throw error
  }
}
