/** Finding of the option `completeness` of a subscription. Times in findings are by the signer's clock. */
export type Finding = MissingFinding | ForkedFinding | BackdatedFinding | SilentFinding

/** Members that all kinds of findings have. */
export interface FindingAbout {
  /** Key id of the signer that the finding is about. */
  readonly signer: string
  /** Name of the signer in the trust policy; undefined if the policy does not name the signer. */
  readonly name?: string | undefined
  /** Sentence that describes the finding. */
  readonly text: string
}

/** Finding about signed messages that did not arrive. */
export interface MissingFinding extends FindingAbout {
  readonly kind: 'missing'
  /** Minimum number of missing messages. Each message is a single bundle or a batch. */
  readonly messages: number
  /** Number of bundles in the missing messages; undefined if no checkpoint lists them. */
  readonly bundles?: number | undefined
  /** Key id of the key that signs the run's checkpoints. For a leased key, `signer` is the issuer of the lease. */
  readonly keyId: string
  /** Id of the run (the lifetime of one SDK of the signer), unique for `keyId`: 32 hexadecimal digits. */
  readonly run: string
  /** First position of the gap in the log, from 0. */
  readonly first: number
  /** Last position of the gap. If no checkpoint lists the gap, some of its messages may have arrived. */
  readonly last: number
  /** Earliest time at which the missing messages can have been signed. */
  readonly since: string
  /** Latest time at which the missing messages can have been signed. */
  readonly until: string
}

/** Finding about a signer that signed two versions of one log. */
export interface ForkedFinding extends FindingAbout {
  readonly kind: 'forked'
  /** Key id of the key that signs the run's checkpoints. For a leased key, `signer` is the issuer of the lease. */
  readonly keyId: string
  /** Id of the run (the lifetime of one SDK of the signer), unique for `keyId`: 32 hexadecimal digits. */
  readonly run: string
  /** Size of the log at which the two versions differ. */
  readonly size: number
}

/** Finding about a message that is in no log, although all of the signer's logs from its time are known. */
export interface BackdatedFinding extends FindingAbout {
  readonly kind: 'backdated'
  /** Id of the first bundle in the message. */
  readonly id: string
  /** Timestamp of the first bundle, by the signer's clock. */
  readonly timestamp: string
}

/** Finding about received messages that no checkpoint has listed in time. */
export interface SilentFinding extends FindingAbout {
  readonly kind: 'silent'
  /** Number of messages that wait for a checkpoint. */
  readonly messages: number
  /** Milliseconds since the first of the waiting messages arrived, or since a later reconnection. */
  readonly forMs: number
}

/** Counts of the option `completeness` of a subscription, in messages unless stated otherwise. */
export interface CompletenessStats {
  /** Number of missing messages. A message that arrives late is subtracted. */
  readonly missing: number
  /** Number of forks. A fork is a log of which the signer signed two versions. */
  readonly forked: number
  /** Number of messages that are in no log, although all of the signer's logs from their time are known. */
  readonly backdated: number
  /** Number of signers with messages that no checkpoint has listed in time. */
  readonly silent: number
  /** Number of absent messages that the signer's stream refused, according to the signer. */
  readonly refused: number
  /** Number of absent messages that the signer's stream had not accepted by the last checkpoint. */
  readonly pending: number
  /**
   * Number of messages that cannot be checked. They are in no received checkpoint, were signed before the
   * subscription began, or lie in a part of a log that no checkpoint lists. Includes absent messages if the
   * subscription receives only some messages.
   */
  readonly unknown: number
}

/**
 * Event for a finding of the option `completeness` of {@link subscribe}.
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
