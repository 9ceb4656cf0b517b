import type { AnyAnnotator } from '../../signing/annotators/annotator.js'
import { OPEN_RUNS, type SigningRuns } from '../../signing/seal/log.js'
import { claim, release } from '../../transport/streams/claim.js'
import { closeUnused, connect } from '../../transport/streams/stream.js'
import { readSdkOptions, type SdkOptions, type SdkSettings } from '../config/options.js'
import { OpenedSdk } from './opened.js'
import type { Sdk } from './sdk.js'
import { openKey } from './signing-key.js'

/**
 * Opens an SDK: reads the key and connects the stream.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `KEY_INVALID`, `STREAM_UNREACHABLE` when the
 *   stream cannot be connected, and `STREAM_TIMEOUT` when connecting takes longer than `connectTimeoutMs`
 *
 * @example
 * ```ts
 * await using sdk = await openSdk({
 *   signingKey: await readKey('private.key'),
 *   annotators: [source(), tls()],
 *   stream: mqtt({ url: 'wss://broker:8084/mqtt', topic: 'alvarium-topic' }),
 * })
 * await sdk.create(payload)
 * ```
 */
export async function openSdk<const Annotators extends readonly AnyAnnotator[]>(
  options: SdkOptions<Annotators>,
): Promise<Sdk<Annotators>> {
  const settings = readSdkOptions(options)
  claim(settings.stream)
  try {
    const opening = settings.codec.openSigner?.(settings.signerTimeoutMs)
    if (opening) await opening
    const runs = settings.checkpoints?.[OPEN_RUNS]()
    const key = await openKey(settings, runs, () => connectAll(settings, runs))
    return new OpenedSdk(settings, key, runs)
  } catch (error) {
    release(settings.stream)
    throw error
  }
}

/**
 * Connects the stream of messages, then the stream of checkpoints. If the second cannot be connected, closes
 * the first.
 */
async function connectAll(settings: SdkSettings, runs: SigningRuns | undefined): Promise<void> {
  await connect(settings)
  try {
    await runs?.connect(settings)
  } catch (error) {
    await closeUnused(settings.stream)
    throw error
  }
}
