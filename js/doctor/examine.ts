import { textOf } from '../base/errors.js'
import type { ProbeClient } from './client.js'
import { type CheckSettings, STEPS, type Step } from './options.js'
import { probeBacklog } from './probes/backlog.js'
import { probePublishQos, probeRetained, probeSize, probeSubscribeQos } from './probes/grants.js'
import { probeRoundTrip } from './probes/round-trip.js'
import { probeSharing } from './probes/sharing.js'
import { probeSoftware, softwareBy } from './probes/software.js'
import { probeTakeover } from './probes/takeover.js'
import type {
  BrokerAnnouncement,
  BrokerFacts,
  BrokerSharing,
  CheckFailure,
  PeerCertificate,
  PromiseName,
} from './report.js'
import type { Visit } from './visit.js'

/** What was seen, and what could not be. */
export interface Examined {
  readonly facts: BrokerFacts
  readonly failures: readonly CheckFailure[]
}

/**
 * Tries one thing after another. What fails is `undefined` then, and the rest goes on.
 *
 * @throws AlvariumError `STREAM_UNREACHABLE` when not even a connection comes about
 */
export async function examine(visit: Visit, certificate: PeerCertificate | undefined): Promise<Examined> {
  const failures: CheckFailure[] = []
  const attempt = async <T>(step: Step, probe: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await probe()
    } catch (error) {
      failures.push({ step, reason: textOf(error) })
      return undefined
    }
  }
  // With a session, for which MQTT 5 says how long it is kept.
  const first = await visit.connect('first', { isKept: true })
  const announced = first.version === 5 ? announcementOf(first) : undefined
  await first.end()
  const { settings } = visit
  const needs = (...names: PromiseName[]) => names.some((name) => settings.promises.includes(name))

  const subscribeQos = await attempt(STEPS.subscribeQos, () => probeSubscribeQos(visit))
  const publishQos = await attempt(STEPS.publishQos, () => probePublishQos(visit, announced?.maximumQos ?? 2))
  if (publishQos !== undefined && publishQos < visit.qos) visit.qos = publishQos
  const roundTrip = await attempt(STEPS.roundTrip, () => probeRoundTrip(visit))
  // Where nothing arrives, this would not either.
  const software = roundTrip && (await attempt(STEPS.software, () => probeSoftware(visit)))
  const takeover = await attempt(STEPS.takeover, () => probeTakeover(visit))
  // Where nothing arrives at all, the rest would blame the wrong settings.
  const canTry = (...names: PromiseName[]) => roundTrip !== undefined && needs(...names)
  const backlog = canTry('subscriber-killed', 'order')
    ? await attempt(STEPS.backlog, () => probeBacklog(visit))
    : undefined
  const isRetainedKept = canTry('retained')
    ? await attempt(
        STEPS.retained,
        async () => announced?.isRetainAvailable !== false && (await probeRetained(visit)),
      )
    : undefined
  const sharing = canTry('group')
    ? await attempt(STEPS.sharing, async () =>
        announced?.areSharedSubscriptionsAvailable === false ? NOTHING_SHARED : await probeSharing(visit),
      )
    : undefined
  const size = canTry('large-message')
    ? await attempt(STEPS.size, () => probeSize(visit, announced?.maximumPacketSize))
    : undefined
  const facts = {
    protocolVersion: first.version,
    isEncrypted: isEncrypted(settings),
    certificate,
    software: software ?? softwareBy(visit.hasHungUp, subscribeQos),
    ...{ announced, publishQos, subscribeQos, roundTrip, takeover, backlog, isRetainedKept, sharing, size },
  }
  return { facts, failures }
}

const NOTHING_SHARED: BrokerSharing = { published: 0, delivered: 0, doubled: 0, members: [0, 0] }

export function isEncrypted({ url }: CheckSettings): boolean {
  return /^(wss|mqtts):/i.test(url)
}

/** What CONNACK leaves out has a meaning, too (MQTT 5, 3.2.2.3). */
function announcementOf({ connack, receiveMaximum }: ProbeClient): BrokerAnnouncement {
  const said = connack.properties ?? {}
  return {
    receiveMaximum,
    maximumQos: (said.maximumQoS ?? 2) as 0 | 1 | 2,
    isRetainAvailable: said.retainAvailable !== false,
    areSharedSubscriptionsAvailable: said.sharedSubscriptionAvailable !== false,
    maximumPacketSize: said.maximumPacketSize,
    sessionExpirySeconds: said.sessionExpiryInterval,
    serverKeepAliveSeconds: said.serverKeepAlive,
  }
}
