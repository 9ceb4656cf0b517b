import { textOf } from '../../foundation/base/errors.js'
import type { ProbeClient } from './client.js'
import { type CheckSettings, STEPS, type Step } from './options.js'
import { probeBacklog } from './probes/backlog.js'
import { probePublishQos, probeRetained, probeSize, probeSubscribeQos } from './probes/grants.js'
import { probeRestart } from './probes/restart.js'
import { probeRoundTrip } from './probes/round-trip.js'
import { whileSaving } from './probes/saving.js'
import { NO_SHARING, probeSharing } from './probes/sharing.js'
import { probeSoftware, softwareBy } from './probes/software.js'
import { probeTakeover } from './probes/takeover.js'
import type { BrokerAnnouncement, BrokerFacts, CheckFailure, PeerCertificate, PromiseName } from './report.js'
import type { CheckSession } from './visit.js'

export interface Findings {
  readonly facts: BrokerFacts
  readonly failures: readonly CheckFailure[]
}

/** Runs a probe and returns its finding. If the probe fails, records the reason and returns undefined. */
type Attempt = <T>(step: Step, probe: () => Promise<T>) => Promise<T | undefined>

/**
 * Runs the probes one after another. The finding of a failed or skipped probe is `undefined`.
 *
 * @throws AlvariumError `STREAM_UNREACHABLE` when the first connection fails; the abort reason of the check if
 * it is aborted before that
 */
export async function examine(
  visit: CheckSession,
  certificate: PeerCertificate | undefined,
): Promise<Findings> {
  const failures: CheckFailure[] = []
  const attempt: Attempt = async (step, probe) => {
    try {
      return await probe()
    } catch (error) {
      failures.push({ step, reason: textOf(error) })
      return undefined
    }
  }
  // Ask for a session, because a CONNACK of MQTT 5 then states how long the broker keeps it.
  const first = await visit.connect('first', { keepsSession: true })
  const announced = first.version === 5 ? announcementOf(first) : undefined
  await first.end()

  const { software, ...basics } = await probeBasics(visit, attempt, announced)
  // Skip the other probes if the round trip failed, because they would blame the wrong settings.
  const isReached = basics.roundTrip !== undefined
  const promised = await probePromises(visit, isReached ? attempt : async () => undefined, announced)
  const facts = {
    protocolVersion: first.version,
    isEncrypted: isEncrypted(visit.settings),
    certificate,
    software: software ?? softwareBy(visit.endedWithoutConnack, basics.subscribeQos),
    announced,
    ...basics,
    ...promised,
  }
  return { facts, failures }
}

async function probeBasics(visit: CheckSession, attempt: Attempt, announced: BrokerAnnouncement | undefined) {
  const subscribeQos = await attempt(STEPS.subscribeQos, () => probeSubscribeQos(visit))
  const publishQos = await attempt(STEPS.publishQos, () => probePublishQos(visit, announced?.maximumQos ?? 2))
  if (publishQos !== undefined && publishQos < visit.qos) visit.qos = publishQos
  const roundTrip = await attempt(STEPS.roundTrip, () => probeRoundTrip(visit))
  // Skip this probe if the round trip failed, because it waits for a message to arrive.
  const software = roundTrip && (await attempt(STEPS.software, () => probeSoftware(visit)))
  const takeover = await attempt(STEPS.takeover, () => probeTakeover(visit))
  return { publishQos, subscribeQos, roundTrip, takeover, software }
}

async function probePromises(
  visit: CheckSession,
  attempt: Attempt,
  announced: BrokerAnnouncement | undefined,
) {
  const attemptFor = async <T>(names: readonly PromiseName[], step: Step, probe: () => Promise<T>) =>
    names.some((name) => visit.settings.promises.includes(name)) ? attempt(step, probe) : undefined
  const [backlog, saveFailure] =
    (await attemptFor(['subscriber-killed', 'order', 'broker-killed'], STEPS.backlog, () =>
      whileSaving(visit, () => probeBacklog(visit)),
    )) ?? []
  const isRetainedKept = await attemptFor(
    ['retained'],
    STEPS.retained,
    async () => announced?.isRetainAvailable !== false && (await probeRetained(visit)),
  )
  const sharing = await attemptFor(['group'], STEPS.sharing, async () =>
    announced?.areSharedSubscriptionsAvailable === false ? NO_SHARING : probeSharing(visit),
  )
  const size = await attemptFor(['large-message'], STEPS.size, () =>
    probeSize(visit, announced?.maximumPacketSize),
  )
  // Run the restart probe last, because it waits for a person to restart the broker.
  const restart = visit.settings.restart
    ? await attemptFor(['broker-killed'], STEPS.restart, () => probeRestart(visit))
    : undefined
  return { backlog, saveFailure, isRetainedKept, sharing, size, restart }
}

export function isEncrypted({ url }: CheckSettings): boolean {
  return /^(wss|mqtts):/i.test(url)
}

/** Reads a broker's announcement from its CONNACK. Applies the defaults of MQTT 5, 3.2.2.3. */
function announcementOf({ connack, receiveMaximum }: ProbeClient): BrokerAnnouncement {
  const properties = connack.properties ?? {}
  return {
    receiveMaximum,
    maximumQos: (properties.maximumQoS ?? 2) as 0 | 1 | 2,
    isRetainAvailable: properties.retainAvailable !== false,
    areSharedSubscriptionsAvailable: properties.sharedSubscriptionAvailable !== false,
    maximumPacketSize: properties.maximumPacketSize,
    sessionExpirySeconds: properties.sessionExpiryInterval,
    serverKeepAliveSeconds: properties.serverKeepAlive,
  }
}
