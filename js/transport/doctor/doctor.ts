import { AlvariumError } from '../../foundation/base/errors.js'
import { shownUrl } from '../../foundation/base/options/schema.js'
import { anySignal } from '../../foundation/base/time/abort.js'
import { platform } from '../../foundation/platform/platform.js'
import { examine, isEncrypted } from './examine.js'
import { type CheckBrokerOptions, type CheckSettings, readCheckOptions } from './options.js'
import { decidePromise } from './promises.js'
import type { BrokerPromise, BrokerReport, PeerCertificate } from './report.js'
import { CheckSession } from './visit.js'

export type { MqttTls } from '../streams/mqtt/options.js'
export type { CheckBrokerOptions, CheckProgress } from './options.js'
export * from './report.js'

/**
 * Connects to a broker as `mqtt` and `subscribe` do, and checks the guide's promises that a broker must keep.
 * Tests QoS, sessions, shared subscriptions, messages for an absent subscriber, the largest message and the
 * round-trip time. Reports an observation for each promise, and broker settings to fix a failure.
 *
 * The check publishes only below `alvarium-doctor/` and a random name, with client ids that begin with
 * `alvarium-doctor-`. The check removes its messages and sessions at the end, even after an error or an
 * abort. If the process is killed, messages remain; with MQTT 5 they expire after an hour. The broker must
 * allow the user to publish and subscribe below `alvarium-doctor/`.
 *
 * @throws AlvariumError `CONFIG_INVALID` for an option that cannot work, `STREAM_UNREACHABLE` when the broker
 * cannot be reached or refuses the connection, `STREAM_TIMEOUT` when `timeoutMs` ends before the first
 * connection; the signal's reason
 *
 * @example
 * ```ts
 * import { checkBroker } from 'alvarium-command/doctor'
 *
 * const report = await checkBroker({ url })
 * for (const { name, holds, because } of report.promises) console.log(holds, name, because)
 * if (report.verdict === 'no') console.log(report.promises.flatMap(({ settings }) => settings))
 * ```
 */
export async function checkBroker(options: CheckBrokerOptions): Promise<BrokerReport> {
  const settings = readCheckOptions(options)
  settings.signal?.throwIfAborted()
  const late = new AbortController()
  const reason = new AlvariumError(
    'STREAM_TIMEOUT',
    `timeoutMs: the checks took longer than ${settings.timeoutMs} ms`,
  )
  const timer = setTimeout(() => late.abort(reason), settings.timeoutMs)
  const signal = settings.signal ? anySignal(settings.signal, late.signal) : late.signal
  const visit = new CheckSession(settings, signal)
  try {
    return await check(visit, settings, signal)
  } finally {
    clearTimeout(timer)
    await visit.cleanUp()
  }
}

async function check(
  visit: CheckSession,
  settings: CheckSettings,
  signal: AbortSignal,
): Promise<BrokerReport> {
  const certificate = await certificateOf(settings, signal)
  const findings = await examine(visit, certificate).catch((error) => {
    throw withCertificate(error, certificate)
  })
  settings.signal?.throwIfAborted()
  const promises = settings.promises.map((name) => decidePromise(name, findings, settings.qos))
  return { url: shownUrl(settings.url), verdict: verdictOn(promises), promises, ...findings }
}

function verdictOn(promises: readonly BrokerPromise[]): BrokerReport['verdict'] {
  if (promises.some(({ holds }) => holds === 'no')) return 'no'
  if (promises.some(({ holds }) => holds === 'unknown')) return 'unknown'
  // Do not count `not-told` as `yes`, because the check cannot observe such a promise.
  return promises.some(({ holds }) => holds === 'yes') ? 'yes' : 'unknown'
}

/** Returns the broker's certificate. Ignores errors, because the later connection reports the reason. */
async function certificateOf(
  settings: CheckSettings,
  signal: AbortSignal,
): Promise<PeerCertificate | undefined> {
  if (!isEncrypted(settings)) return undefined
  return platform.peerCertificate?.(new URL(settings.url), settings.tls, signal).catch(() => undefined)
}

/** Adds subject, issuer and expiry of an invalid certificate to a connection error. */
function withCertificate(error: unknown, certificate: PeerCertificate | undefined): unknown {
  if (!(error instanceof AlvariumError) || !certificate || certificate.isAuthorized) return error
  const { subject, issuer, validTo } = certificate
  const text = `${error.message}; its certificate is for ${subject}, from ${issuer}, valid until ${validTo.toISOString()}`
  return new AlvariumError(error.code, text, { cause: error })
}
