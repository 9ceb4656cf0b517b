import type { AnyAnnotator } from '../annotators/annotator.js'
import { readSdkOptions, type SdkOptions, type SdkSettings } from '../config/options.js'
import { type LogSigner, RUN, type SigningRun } from '../seal/log.js'
import { openSealer } from '../seal/open.js'
import { claim, release } from '../streams/claim.js'
import { closeUnused, connect } from '../streams/stream.js'
import { OpenedSdk } from './opened.js'
import type { Sdk } from './sdk.js'

/**
 * Opens an SDK: reads the key and connects the stream.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `KEY_INVALID`, `STREAM_UNREACHABLE` when the
 * stream cannot be connected, and `STREAM_TIMEOUT` when it is not within `connectTimeoutMs`
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
    const run = settings.checkpoints?.[RUN]()
    const sealer = await openSealer({ ...settings, log: run })
    try {
      await connect(settings)
      if (run && sealer.logSigner) await beginRun(run, sealer.logSigner, settings)
    } catch (error) {
      sealer.free()
      await sealer.end?.()
      throw error
    }
    return new OpenedSdk(settings, sealer, run)
  } catch (error) {
    release(settings.stream)
    throw error
  }
}

/** A stream that was connected for nothing is closed again. */
async function beginRun(run: SigningRun, signer: LogSigner, settings: SdkSettings): Promise<void> {
  try {
    await run.begin(signer, settings)
  } catch (error) {
    await closeUnused(settings.stream)
    throw error
  }
}
