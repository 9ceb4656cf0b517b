import { loadAlgorithms } from '../algorithms/load-algorithms.js'
import type { Codec } from '../codecs/codec.js'
import { type Keyring, openKeyring } from '../keys/keyring.js'
import type { Address } from '../keys/recovery.js'
import type { VerifyingKeyInput } from '../keys/verifying.js'
import type { Bundle, IdentifiedBundle } from '../model/bundle.js'
import type { WorkerPool } from '../model/worker-pool.js'

/** A bundle whose signature has been checked. */
export interface VerifiedBundle extends Bundle {
  /**
   * Names exactly what this bundle says, and by whom: 64 hexadecimal digits, the same wherever the bundle comes from (alone,
   * in a batch or taken out of one, whatever the codec). Keep these where a message that comes twice matters.
   */
  readonly id: string
  /**
   * Whether the bundle was also checked to speak about a payload that was given. With hash `md5` somebody else's
   * payload can have the same key: look at `hash` where that matters.
   */
  readonly payloadChecked: boolean
}

/** Whom to trust, and about what. */
export interface VerifyOptions {
  /** The keys to trust. Make one {@link Keyring} for many messages: it keeps their points at hand. */
  readonly keyring: Keyring | readonly (VerifyingKeyInput | Address)[]
  /** How messages are written; the SDK's own. Default JSON. */
  readonly codec?: Codec | undefined
  /** The payload that the message should be about. Without it only the signature is checked. */
  readonly payload?: Uint8Array | undefined
  /** Verifies in the pool's workers, with all cores. See `alvarium-sdk/pool`. */
  readonly pool?: WorkerPool | undefined
}

/** @internal What the options are called where no payload is looked at: who gives one believes that it is. */
export const WITHOUT_PAYLOAD: readonly string[] = ['keyring', 'codec', 'pool']
/** @internal What they are called where one is. */
export const WITH_PAYLOAD: readonly string[] = [...WITHOUT_PAYLOAD, 'payload']

/** @internal A bundle whose payload was not looked at. */
export function unchecked(bundle: IdentifiedBundle): VerifiedBundle {
  return withPayload(bundle, false)
}

/** @internal The same object, which nobody else has yet: copying it took a fifth of the time of a batch. */
export function withPayload(bundle: IdentifiedBundle, payloadChecked: boolean): VerifiedBundle {
  return Object.assign(bundle, { payloadChecked })
}

/**
 * @internal Runs on the keyring, or on one of these keys that is closed afterwards; with keys of other algorithms than
 * Ed25519 when what they take has been loaded.
 */
export async function withTrusted<T>(
  { keyring, pool }: Pick<VerifyOptions, 'keyring' | 'pool'>,
  use: (trusted: Keyring) => T | Promise<T>,
): Promise<T> {
  const found = openKeyring(keyring)
  const trusted = found instanceof Promise ? await found : found
  try {
    if (trusted.others) await loadAlgorithms()
    if (!pool && !trusted.isReady) await trusted.ready()
    const result = use(trusted)
    // Awaited only where there is something to wait for: every message passes here.
    return result instanceof Promise ? await result : result
  } finally {
    if (trusted !== keyring) trusted.close()
  }
}
