/** Finding of `completeness` of a subscription. Times are by the signer's clock. */
export type Finding = MissingFinding | ForkedFinding | BackdatedFinding | SilentFinding

/** Members of every finding. */
export interface FindingAbout {
  /** Key id of the signer. */
  readonly signer: string
  /** Name of the signer in the trust policy, if there is one. */
  readonly name?: string | undefined
  /** Finding as a sentence for people. */
  readonly text: string
}

/** Finding about signed messages that did not arrive. */
export interface MissingFinding extends FindingAbout {
  readonly kind: 'missing'
  /** Minimum number of missing messages: each is a single bundle or a batch. */
  readonly messages: number
  /** Number of their bundles, if a checkpoint lists them. */
  readonly bundles?: number | undefined
  /** Key id of the key that signs the checkpoints of the run. With a lease, it differs from `signer`. */
  readonly keyId: string
  /** Run id, unique for that key: 32 hexadecimal digits. */
  readonly run: string
  /** First position in its log, from 0. */
  readonly first: number
  /** Last position. Without a list, `messages` counts the missing ones, and no one knows their positions. */
  readonly last: number
  /** Last known time before them. */
  readonly since: string
  /** First known time after them. */
  readonly until: string
}

/** Finding about a signer that signed two versions of one log. */
export interface ForkedFinding extends FindingAbout {
  readonly kind: 'forked'
  /** Key id of the key that signs the checkpoints of the run. With a lease, it differs from `signer`. */
  readonly keyId: string
  /** Run id, unique for that key: 32 hexadecimal digits. */
  readonly run: string
  /** Size of the log at which the versions differ. */
  readonly size: number
}

/** Finding about a message that is in no log, although all logs of its time are known. */
export interface BackdatedFinding extends FindingAbout {
  readonly kind: 'backdated'
  /** Id of its first bundle. */
  readonly id: string
  /** Timestamp of that bundle, by the signer's clock. */
  readonly timestamp: string
}

/** Finding about received messages that no checkpoint lists in time. */
export interface SilentFinding extends FindingAbout {
  readonly kind: 'silent'
  /** Number of messages that wait for a checkpoint. */
  readonly messages: number
  /** Milliseconds since the first of them arrived. */
  readonly forMs: number
}

/** Counts by `completeness` of a subscription, in messages by default. */
export interface CompletenessStats {
  /** Number of missing messages. A message that arrives late is subtracted again. */
  readonly missing: number
  /** Number of forks: logs of which two versions were signed. */
  readonly forked: number
  /** Number of messages that are in no log, although all logs of their time are known. */
  readonly backdated: number
  /** Number of signers whose messages are in no checkpoint for too long. */
  readonly silent: number
  /** Number of absent messages that the signer's stream refused, by the signer's own statement. */
  readonly refused: number
  /** Number of absent messages that the signer's stream had not accepted at the last received checkpoint. */
  readonly pending: number
  /**
   * Number of messages of which no one can know. They are in no received checkpoint, were signed before this
   * subscription began, or lie in a part of a log that no checkpoint lists. Also absent messages if the subscription
   * receives only a part.
   */
  readonly unknown: number
}

/**
 * Event about missing messages or an invalid log of a signer: see `completeness` of {@link subscribe}.
 *
 * @example
 * ```ts
 * bundles.addEventListener('incomplete', ({ finding }) => console.warn(finding.kind, finding.text))
 * ```
 */
export class IncompleteEvent extends Event {
  readonly finding: Finding

  /** @internal */
  constructor(finding: Finding) {
    super('incomplete')
    this.finding = finding
  }
}
