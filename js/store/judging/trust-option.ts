import * as v from 'valibot'
import { isTrustPolicy, type TrustPolicy } from '../../signing/keys/trust-policy.js'

/** Option of a question with a trust policy. */
export interface TrustOption {
  /**
   * Trust policy by which the stored messages are verified again, by their times of receipt. Bundles that it does not accept do not count.
   * Default: all count, because they were accepted when they were stored.
   */
  readonly trust?: TrustPolicy | undefined
}

export const trustSchema = v.optional(v.custom<TrustPolicy>(isTrustPolicy, 'a policy of readTrust'))
