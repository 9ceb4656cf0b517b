import type * as v from 'valibot'
import { type AlvariumError, describe, expected, textOf } from '../../foundation/base/errors.js'
import { integer, MAX_TIMEOUT_MS, readOptions, strict } from '../../foundation/base/options/schema.js'
import { quote } from '../../foundation/base/text/text.js'
import { fetchJwks, isTrustworthy } from './fetch-jwks.js'
import { JwksKeys } from './jwks.js'
import type { HttpKey, HttpKeys } from './named-keys.js'

/** Limits and cache times for the key sets of {@link jwkSetAt} and {@link agentKeys}. */
export interface RemoteKeysOptions {
  /** Time limit of a fetch in milliseconds. Default 4,000, less than `annotatorTimeoutMs`. */
  readonly timeoutMs?: number | undefined
  /** Maximum size of a key set in bytes, after decompression. Default 262,144. */
  readonly maxBytes?: number | undefined
  /** Maximum number of keys in a key set, including unusable ones. Default 256. */
  readonly maxKeys?: number | undefined
  /** Milliseconds for which a fetched key set is used without fetching again. Default 600,000. */
  readonly freshMs?: number | undefined
  /** Milliseconds for which a fetched key set is used while fetching again fails. Default 86,400,000. */
  readonly keepMs?: number | undefined
  /** Minimum time in milliseconds between two fetches, even if messages name unknown keys. Default 60,000. */
  readonly minIntervalMs?: number | undefined
}

/** Valibot schema of {@link RemoteKeysOptions}. Exported because the docs list its limits. */
export const schema = strict({
  timeoutMs: integer(1, MAX_TIMEOUT_MS, 4000),
  maxBytes: integer(1, 16_777_216, 262_144),
  maxKeys: integer(1, 10_000, 256),
  freshMs: integer(0, MAX_TIMEOUT_MS, 600_000),
  keepMs: integer(0, MAX_TIMEOUT_MS, 86_400_000),
  minIntervalMs: integer(0, MAX_TIMEOUT_MS, 60_000),
})

/** JSON Web Key Set at a URL. It is fetched when a message needs it. */
export interface RemoteKeys {
  readonly url: string
}

/**
 * Returns the keys of a JSON Web Key Set at a URL, for the option `keys` of `verifyRequest` and
 * `verifyResponse`. Call it once and reuse the result, which caches the set.
 *
 * A message triggers a fetch if the set is missing, older than `freshMs`, or lacks the key. Fetches begin at
 * least `minIntervalMs` apart. If a fetch fails, earlier keys remain valid for `keepMs`. Messages name a key
 * by `kid` or thumbprint. Redirects are not followed. Unsupported or expired keys are not used.
 *
 * @param url - an https URL; http is allowed only for `localhost`, `127.0.0.1` and `[::1]`
 * @throws AlvariumError `CONFIG_INVALID`
 *
 * @example
 * ```ts
 * const keys = jwkSetAt('https://auth.example/.well-known/jwks.json')
 * const annotators = [pkiHttp({ format: 'rfc9421', keys })]
 * ```
 */
export function jwkSetAt(url: string, options: RemoteKeysOptions = {}): RemoteKeys {
  return new FetchedKeys(checkUrl(url), readOptions(schema, options, 'jwkSetAt'))
}

function checkUrl(url: unknown): string {
  if (typeof url === 'string' && isTrustworthy(url)) return url
  const requirement = 'an https URL without a password (or http of localhost)'
  const got = typeof url === 'string' ? 'another URL' : describe(url)
  throw expected('CONFIG_INVALID', 'jwkSetAt.url', requirement, got)
}

export class FetchedKeys implements HttpKeys, RemoteKeys {
  readonly url: string
  readonly #settings: v.InferOutput<typeof schema>
  #keys: JwksKeys | undefined
  /** Time of the last successful fetch, by `performance.now()`. */
  #fetchedAt = Number.NEGATIVE_INFINITY
  /** Time at which the last fetch began, by `performance.now()`. */
  #fetchBeganAt = Number.NEGATIVE_INFINITY
  #fetching: Promise<void> | undefined
  /** Error text of the last fetch, if it failed. */
  #fault: string | undefined

  constructor(url: string, settings: v.InferOutput<typeof schema>) {
    this.url = url
    this.#settings = settings
  }

  /**
   * Returns the key with a name, or a promise if a fetch is needed.
   *
   * @throws AlvariumError `SIGNER_UNKNOWN` if the key set is unavailable or lacks the key, `SIGNER_EXPIRED`
   */
  get(name: string): HttpKey | Promise<HttpKey> {
    const key = this.#isYounger(this.#settings.freshMs) ? this.#keys?.get(name) : undefined
    return key ?? this.#fetchFor(name)
  }

  async #fetchFor(name: string): Promise<HttpKey> {
    await this.#refresh()
    const key = this.#isYounger(this.#settings.keepMs) ? this.#keys?.get(name) : undefined
    if (key) return key
    throw this.#unknown(name)
  }

  #isYounger(milliseconds: number): boolean {
    return performance.now() - this.#fetchedAt <= milliseconds
  }

  /** Fetches the key set unless `minIntervalMs` forbids it. Concurrent callers share one fetch. */
  #refresh(): Promise<void> {
    const now = performance.now()
    if (!this.#fetching && now - this.#fetchBeganAt >= this.#settings.minIntervalMs) {
      this.#fetchBeganAt = now
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = undefined
      })
    }
    return this.#fetching ?? Promise.resolve()
  }

  async #fetch(): Promise<void> {
    try {
      this.#keys = new JwksKeys(await fetchJwks(this.url, this.#settings))
      this.#fetchedAt = performance.now()
      this.#fault = undefined
    } catch (error) {
      this.#fault = textOf(error)
    }
  }

  #unknown(name: string): AlvariumError {
    const fault = this.#fault === undefined ? '' : `, which could not be fetched: ${this.#fault}`
    return expected('SIGNER_UNKNOWN', 'keyid', `a key of the JSON Web Key Set${fault}`, quote(name))
  }
}
