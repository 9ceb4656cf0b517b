import { textOf } from '../base/errors.js'
import type { ProbeClient } from './client.js'
import { type CheckSettings, STEPS, type Step } from './options.js'
import { probeBacklog } from './probes/backlog.js'
import { probePublishQos, probeRetained, probeSize, probeSubscribeQos } from './probes/grants.js'
import { probeRestart } from './probes/restart.js'
import { probeRoundTrip } from './probes/round-trip.js'
import { whileSaving } from './probes/saving.js'
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

/** Gives what a probe finds, or keeps why it failed. */
type Attempt = <T>(step: Step, probe: () => Promise<T>) => Promise<T | undefined>

/**
 * Tries one thing after another. What fails is `undefined` then, and the rest goes on.
 *
 * @throws AlvariumError `STREAM_UNREACHABLE` when not even a connection comes about
 */
export async function examine(visit: Visit, certificate: PeerCertificate | undefined): Promise<Examined> {
  const failures: CheckFailure[] = []
  const attempt: Attempt = async (step, probe) => {
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

  const { software, ...basics } = await probeBasics(visit, attempt, announced)
  // Where nothing arrives at all, the rest would blame the wrong settings.
  const isReached = basics.roundTrip !== undefined
  const promised = await probePromises(visit, isReached ? attempt : async () => undefined, announced)
  const facts = {
    protocolVersion: first.version,
    isEncrypted: isEncrypted(visit.settings),
    certificate,
    software: software ?? softwareBy(visit.hasHungUp, basics.subscribeQos),
    announced,
    ...basics,
    ...promised,
  }
  return { facts, failures }
}

/** Whether messages arrive at all, and at which QoS. */
async function probeBasics(visit: Visit, attempt: Attempt, announced: BrokerAnnouncement | undefined) {
  const subscribeQos = await attempt(STEPS.subscribeQos, () => probeSubscribeQos(visit))
  const publishQos = await attempt(STEPS.publishQos, () => probePublishQos(visit, announced?.maximumQos ?? 2))
  if (publishQos !== undefined && publishQos < visit.qos) visit.qos = publishQos
  const roundTrip = await attempt(STEPS.roundTrip, () => probeRoundTrip(visit))
  // Where nothing arrives, this would not either.
  const software = roundTrip && (await attempt(STEPS.software, () => probeSoftware(visit)))
  const takeover = await attempt(STEPS.takeover, () => probeTakeover(visit))
  return { publishQos, subscribeQos, roundTrip, takeover, software }
}

/** What decides the promises that were asked for. */
async function probePromises(visit: Visit, attempt: Attempt, announced: BrokerAnnouncement | undefined) {
  const asked = async <T>(names: readonly PromiseName[], step: Step, probe: () => Promise<T>) =>
    names.some((name) => visit.settings.promises.includes(name)) ? attempt(step, probe) : undefined
  const [backlog, saveFailure] =
    (await asked(['subscriber-killed', 'order', 'broker-killed'], STEPS.backlog, () =>
      whileSaving(visit, () => probeBacklog(visit)),
    )) ?? []
  const isRetainedKept = await asked(
    ['retained'],
    STEPS.retained,
    async () => announced?.isRetainAvailable !== false && (await probeRetained(visit)),
  )
  const sharing = await asked(['group'], STEPS.sharing, async () =>
    announced?.areSharedSubscriptionsAvailable === false ? NOTHING_SHARED : probeSharing(visit),
  )
  const size = await asked(['large-message'], STEPS.size, () =>
    probeSize(visit, announced?.maximumPacketSize),
  )
  // Last: nobody may be there to do it.
  const restart = visit.settings.restart
    ? await asked(['broker-killed'], STEPS.restart, () => probeRestart(visit))
    : undefined
  return { backlog, saveFailure, isRetainedKept, sharing, size, restart }
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
