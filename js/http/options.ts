import * as v from 'valibot'
import { integer, LONGEST_TIMEOUT, oneOf, readOptions, strict } from '../base/schema.js'
import type { VerifyingKeyInput } from '../keys/verifying.js'
import type { HttpDialect } from './alvarium.js'

/** What both formats have. */
interface Common {
  /** The public Ed25519 keys that are trusted, by the name that requests call them by: `{ 'public.key': await readKey(…) }`. */
  readonly keys: Readonly<Record<string, VerifyingKeyInput>>
  /**
   * Scheme and authority as clients know this server, `https://api.example.com`. Without it those of the connection and
   * its `Host` field count, which behind a proxy are others, and which whoever sends a request for another host can choose.
   */
  readonly origin?: string | undefined
  /**
   * What has to be signed at least, by the names that headers have. Default with `rfc9421`: `@method`, `@authority`, `@path`,
   * `@query` and `content-digest`; with `alvarium` whatever the signer chose, but not nothing.
   */
  readonly components?: readonly string[] | undefined
  /**
   * Milliseconds after `created` for which a signature is good. Default with `rfc9421` 300,000, and `created` has to be
   * there; with `alvarium` for ever, as the other SDKs do not look.
   */
  readonly maxAgeMs?: number | undefined
  /**
   * Milliseconds by which clocks may differ, either way: a signature that was made later than now is refused, and one that is
   * too old, by more than this. Default 60,000.
   */
  readonly clockSkewMs?: number | undefined
}

/** Requests that are signed as the Go, Java and Python SDKs do. Their bodies are not signed. */
export interface AlvariumHttpOptions extends Common {
  readonly format?: 'alvarium' | undefined
  /** Which of the SDKs signed: they read some requests differently. Default `go`, with which Java mostly agrees. */
  readonly dialect?: HttpDialect | undefined
}

/** Requests that are signed by RFC 9421 with Ed25519, and whose bodies are by RFC 9530. */
export interface Rfc9421Options extends Common {
  readonly format: 'rfc9421'
  /** Which signature counts, where a request has several. */
  readonly label?: string | undefined
  /** What signatures have to say that they are for. */
  readonly tag?: string | undefined
  /**
   * Whether a nonce is new; then signatures need one. It is asked last, so that nobody without the key can use nonces up.
   * Without it, a request can be sent again while it is not too old.
   */
  readonly isNonceFresh?: ((nonce: string, keyId: string) => boolean | PromiseLike<boolean>) | undefined
  /**
   * Milliseconds until `isNonceFresh` has failed. Default 4,000, less than `annotatorTimeoutMs`, so that `pkiHttp` says why. If it
   * answers anything but true, throws, or does not answer, the request is refused with `SIGNATURE_INVALID`.
   */
  readonly nonceTimeoutMs?: number | undefined
}

/** How `pkiHttp` judges requests: a plain object, all of which but `isNonceFresh` JSON can have. */
export type PkiHttpOptions = AlvariumHttpOptions | Rfc9421Options

/** What covers a request: where it goes, and its body. */
export const WHOLE_REQUEST = ['@method', '@authority', '@path', '@query', 'content-digest'] as const
/** A hundred years. */
const LONGEST_AGE = 3_155_760_000_000

const text = v.pipe(v.string('a string'), v.minLength(1, 'a string that is not empty'))
const keys = v.pipe(
  v.record(text, v.any(), 'an object of public keys by name'),
  v.check((keys) => Object.keys(keys).length > 0, 'an object with at least one public key'),
)
const origin = v.pipe(
  v.string('a string'),
  v.regex(/^https?:\/\/[\w.:[\]-]+$/i, 'a scheme and an authority, such as https://api.example.com'),
)
const names = v.pipe(v.array(text, 'an array of names'), v.minLength(1, 'at least one name'))

/** What a config can say, too. */
export const SAYABLE = {
  format: oneOf(['alvarium', 'rfc9421']),
  dialect: oneOf(['go', 'java', 'python']),
  origin,
  components: names,
  maxAgeMs: v.pipe(integer(0, LONGEST_AGE, 300_000), v.description('With alvarium: for ever')),
  clockSkewMs: integer(0, LONGEST_AGE, 60_000),
  label: text,
  tag: text,
}
const common = { keys, origin: v.optional(origin), clockSkewMs: SAYABLE.clockSkewMs }

const alvarium = strict({
  ...common,
  format: v.optional(v.literal('alvarium', 'alvarium or rfc9421'), 'alvarium'),
  dialect: v.optional(SAYABLE.dialect, 'go'),
  components: v.optional(names),
  maxAgeMs: v.optional(integer(0, LONGEST_AGE, 0)),
})
const rfc9421 = strict({
  ...common,
  format: v.literal('rfc9421', 'alvarium or rfc9421'),
  components: v.optional(names, [...WHOLE_REQUEST]),
  maxAgeMs: SAYABLE.maxAgeMs,
  label: v.optional(text),
  tag: v.optional(text),
  isNonceFresh: v.optional(
    v.custom<NonNullable<Rfc9421Options['isNonceFresh']>>(
      (value) => typeof value === 'function',
      'a function',
    ),
  ),
  nonceTimeoutMs: integer(1, LONGEST_TIMEOUT, 4000),
})

/** What was given, with its defaults. */
export type PkiHttpSettings = v.InferOutput<typeof alvarium> | v.InferOutput<typeof rfc9421>

/** @throws AlvariumError `CONFIG_INVALID` naming the option */
export function readPkiHttpOptions(options: PkiHttpOptions): PkiHttpSettings {
  return Object(options).format === 'rfc9421'
    ? readOptions(rfc9421, options, 'pkiHttp')
    : readOptions(alvarium, options, 'pkiHttp')
}
