import type { Bundle } from '../../foundation/model/bundle.js'
import type {
  IdentityOf,
  JudgedKeyring,
  LoggedMessages,
  SignedAnnotation,
  SignedBy,
} from '../../signing/keys/trust-policy.js'
import { earlier } from './stated-logs.js'
import { isOfTime, type SeenLogs } from './witnessed-logs.js'

type CallJudge = NonNullable<JudgedKeyring['judge']>

/** Policy check that wraps another, and also permits late messages by the time at which witnesses had seen them. */
export class SeenJudge implements CallJudge {
  readonly #judge: CallJudge
  readonly #logs: SeenLogs

  constructor(judge: CallJudge, logs: SeenLogs) {
    this.#judge = judge
    this.#logs = logs
  }

  bundles(bundles: readonly Bundle[], receivedAt: number | undefined, identityOf?: IdentityOf): SignedBy {
    try {
      return this.#judge.bundles(bundles, receivedAt, identityOf)
    } catch (error) {
      const { signer } = bundles[0] as Bundle
      const at = isOfTime(error) ? this.#logs.messageSeenAt(signer, identityOf) : undefined
      if (at === undefined) throw error
      return asWitnessed(this.#judge.bundles(bundles, earlier(receivedAt, at), identityOf))
    }
  }

  comparingSteps(bundles: readonly Bundle[]): Generator<void, void> {
    return this.#judge.comparingSteps(bundles)
  }

  annotation(keyId: string, annotation: SignedAnnotation, receivedAt: number | undefined): SignedBy {
    return this.#judge.annotation(keyId, annotation, receivedAt)
  }

  request(keyId: string, signedAt: number | undefined, receivedAt: number): SignedBy {
    return this.#judge.request(keyId, signedAt, receivedAt)
  }

  checkpoint(checkpoint: LoggedMessages, signedAt: number, receivedAt: number | undefined): SignedBy {
    return this.#judge.checkpoint(checkpoint, signedAt, receivedAt)
  }

  owner(keyId: string, receivedAt: number | undefined): SignedBy {
    return this.#judge.owner(keyId, receivedAt)
  }
}

/** Returns a signer whose time is that of witnesses. */
export function asWitnessed(signedBy: SignedBy): SignedBy {
  return Object.freeze({ ...signedBy, time: 'witnessed' })
}
