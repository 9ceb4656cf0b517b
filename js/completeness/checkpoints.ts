import * as v from 'valibot'
import { integer, LONGEST_TIMEOUT, readOptions, strict, withMethods } from '../base/options/schema.js'
import { readNote } from '../logs/note.js'
import { type Checkpoints, RUNS } from '../seal/log.js'
import type { StreamProvider } from '../streams/stream.js'
import { type AskedWitnesses, askedMembers, readQuorumIfAny } from '../witness/options.js'
import { noteOfMessage } from './message.js'
import { readText } from './read-text.js'
import { SignedRuns } from './runs.js'

/** When an SDK signs checkpoints, and where they go. */
export interface CheckpointsOptions extends Omit<AskedWitnesses, 'witnesses'> {
  /**
   * Where checkpoints go, each a message of its own: a topic beside that of the bundles, whose readers would refuse them. It is
   * opened and closed with the SDK.
   */
  readonly stream: StreamProvider
  /** Messages until the next checkpoint, 1 to 8,192. Of a killed process, as many may be unknown. Default 1,024. */
  readonly every?: number | undefined
  /** Milliseconds until the next checkpoint, where there is something new. Default 10,000. */
  readonly everyMs?: number | undefined
  /**
   * The last checkpoint of the run before, as it was published, if you have kept it: so nobody can leave out the end of that run. Ignored if another private key signed it. Default: if
   * `stream` is an outbox, its store keeps run, size and root.
   */
  readonly after?: Uint8Array | undefined
  /**
   * Witnesses that are asked about each checkpoint, while calls go on (`alvarium witness --signer`). With their lines, it is published once more. Lists have whole
   * leaves then, 32 bytes for each message instead of 8. `close()` waits for them. 1 to 15. Default: none.
   */
  readonly witnesses?: AskedWitnesses['witnesses'] | undefined
}

/** The page of limits shows it. */
export const schema = strict({
  stream: withMethods<StreamProvider>('a stream with publish()', 'publish'),
  every: integer(1, 8192, 1024),
  everyMs: integer(1, LONGEST_TIMEOUT, 10_000),
  after: v.optional(v.instance(Uint8Array, 'the message of a checkpoint')),
  ...askedMembers,
})

/**
 * Signs checkpoints of what an SDK signs: how much it was, and what. Whoever has them sees what was left out on the way. Each run of
 * an SDK keeps a log of its own (RFC 9162), in memory that does not grow with it.
 *
 * Where a checkpoint cannot be signed or published, calls go on, the SDK's logger hears of it, and the next one counts what it had.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option; `MESSAGE_MALFORMED` when `after` is no checkpoint
 *
 * @example
 * ```ts
 * import { checkpoints } from 'alvarium-sdk/completeness'
 *
 * await using sdk = await openSdk({
 *   signingKey,
 *   annotators: [source()],
 *   stream: mqtt({ url, topic: 'alvarium-topic' }),
 *   checkpoints: checkpoints({ stream: mqtt({ url, topic: 'alvarium-topic/signers' }) }),
 * })
 * ```
 */
export function checkpoints(options: CheckpointsOptions): Checkpoints {
  const { after, witnesses, quorum, witnessTimeoutMs, ...settings } = readOptions(
    schema,
    options,
    'checkpoints',
  )
  readQuorumIfAny({ witnesses, quorum }, 'checkpoints')
  const asked = witnesses && { witnesses, quorum, witnessTimeoutMs }
  const before = after && readText(readNote(noteOfMessage(after)).text)
  return { every: settings.every, [RUNS]: () => new SignedRuns({ ...settings, witnesses: asked }, before) }
}
