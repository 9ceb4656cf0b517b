import { memory, openSdk, type SdkOptions, type Signer, signBytes, source } from 'alvarium-sdk'
import { type CheckpointsOptions, checkpoints } from 'alvarium-sdk/completeness'
import { type LeasedOptions, leased } from 'alvarium-sdk/trust'
import { key } from './sdk.js'

/** Opens an SDK whose key is leased by a signer that can become unreachable. Returns the leases, too. */
export async function openLeased(options: Partial<LeasedOptions> = {}, more: Partial<SdkOptions> = {}) {
  const leases: Uint8Array[] = []
  const hsm = { isAway: false, asked: 0 }
  const issuer: Signer = {
    verifyingKey: key.verifyingKey,
    sign: async (identity) => {
      hsm.asked++
      if (hsm.isAway) throw new Error('the HSM is away')
      return signBytes(key.signingKey, identity)
    },
  }
  const signingKey = leased(issuer, { onLease: (lease) => leases.push(lease), ...options })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), host: 'edge-7', ...more })
  return { sdk, leases, hsm }
}

/** Opens such an SDK with checkpoints. By default, only the number of messages starts one. */
export async function openLogged(
  options: Partial<LeasedOptions> = {},
  { every = 8192, ...own }: Partial<CheckpointsOptions> = {},
  more: Partial<SdkOptions> = {},
) {
  const [stream, notes] = [memory(), memory()]
  const signing = checkpoints({ stream: notes, everyMs: 3_600_000, every, ...own })
  const opened = await openLeased(options, { stream, ...more, checkpoints: signing })
  return { ...opened, messages: stream.messages, notes: notes.messages }
}
