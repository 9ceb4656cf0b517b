/** What `completeness` of a subscription has found out. Times are the signer's own. */
export type Finding = MissingFinding | ForkedFinding | BackdatedFinding | SilentFinding

/** What all findings say. */
export interface FindingAbout {
  /** Key id of the signer. */
  readonly signer: string
  /** The signer's name, where a trust policy gave it one. */
  readonly name?: string | undefined
  /** The finding for people: a sentence. */
  readonly text: string
}

/** Messages were signed, and did not come. */
export interface MissingFinding extends FindingAbout {
  readonly kind: 'missing'
  /** How many messages, at least: each is a single bundle or a batch. */
  readonly messages: number
  /** How many bundles they have, where a checkpoint lists them. */
  readonly bundles?: number | undefined
  /** Key id of the key that signs the checkpoints of the run. With a lease, that is not the key of `signer`. */
  readonly keyId: string
  /** The run, among those of that key: 32 hexadecimal digits. */
  readonly run: string
  /** The first position of its log, from 0. */
  readonly first: number
  /** The last position. Without a list, `messages` of the positions are missing, and nobody knows which. */
  readonly last: number
  /** The last time that is known before them. */
  readonly since: string
  /** The first time that is known after them. */
  readonly until: string
}

/** A signer told two logs of one run. */
export interface ForkedFinding extends FindingAbout {
  readonly kind: 'forked'
  /** Key id of the key that signs the checkpoints of the run. With a lease, that is not the key of `signer`. */
  readonly keyId: string
  /** The run, among those of that key: 32 hexadecimal digits. */
  readonly run: string
  /** Up to which size both are told. */
  readonly size: number
}

/** A message is in no log, although all logs of its time are known. */
export interface BackdatedFinding extends FindingAbout {
  readonly kind: 'backdated'
  /** The id of its first bundle. */
  readonly id: string
  /** When that was made, as the signer says. */
  readonly timestamp: string
}

/** Messages come, and no checkpoint has them. */
export interface SilentFinding extends FindingAbout {
  readonly kind: 'silent'
  /** How many messages wait for a checkpoint. */
  readonly messages: number
  /** Milliseconds since the first of them came. */
  readonly forMs: number
}

/** What `completeness` of a subscription knows now, in messages unless it says something else. */
export interface CompletenessStats {
  /** Those that are missing. What comes late is taken away again. */
  readonly missing: number
  /** Logs that were told in two ways. */
  readonly forked: number
  /** Those that are in no log, although all logs of their time are known. */
  readonly backdated: number
  /** Signers of whom messages come that are in no checkpoint, for too long. */
  readonly silent: number
  /** Those that are not there, and that the signer's stream refused: the signer says so itself. */
  readonly refused: number
  /** Those that are not there, and that the signer's stream had not accepted when it was last heard of. */
  readonly pending: number
  /**
   * Messages of which no one can know: in no checkpoint that has come yet, or signed before this subscription began; in a part of a log that no
   * checkpoint lists; or not there, where it gets only a part.
   */
  readonly unknown: number
}

/**
 * Something is missing, or a signer's log is not what it should be: see `completeness` of {@link subscribe}.
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
