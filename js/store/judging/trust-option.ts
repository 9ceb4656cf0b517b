import * as v from 'valibot'
import { isTrustPolicy, type TrustPolicy } from '../../keys/trust-policy.js'

/** Option of a question that is answered by a trust policy. */
export interface TrustOption {
  /**
   * A trust policy by which the stored messages are verified again, by when they were received: bundles that it does not accept do not count. Default: all
   * count, as they were accepted when they were stored.
   */
  readonly trust?: TrustPolicy | undefined
}

/** The schema of {@link TrustOption}. */
export const trustSchema = v.optional(v.custom<TrustPolicy>(isTrustPolicy, 'a policy of readTrust'))
