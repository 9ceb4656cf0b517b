import { printable } from '../../foundation/base/text/text.js'
import { NEVER_EXPIRES } from '../streams/mqtt/grants.js'
import type { Qos } from './client.js'
import type { Findings } from './examine.js'
import { STEPS, type Step } from './options.js'
import type { BrokerFacts, BrokerPromise, PromiseHolds, PromiseName } from './report.js'
import { settingsFor } from './settings.js'

type PromiseResult = readonly [holds: PromiseHolds, because: string]

interface GuidePromise {
  readonly promise: string
  readonly step: Step
  decide(facts: BrokerFacts, qos: Qos): PromiseResult | undefined
}

/** Minimum session lifetime in seconds. A broker that ends sessions earlier does not keep messages long enough. */
const MIN_SESSION_SECONDS = 86_400

const number = (value: number) => value.toLocaleString('en-US')

const SURVIVAL =
  'it kept a subscriber and its messages through this restart. What a crash loses depends on how often it saves: check its config for these lines'
const IN_MEMORY =
  'aedes keeps everything in memory unless its program adds persistence: use Mosquitto or RabbitMQ where no message may be lost'
const NOT_REPORTED =
  'no broker tells its clients whether it writes to disk: check its config for these lines, and restart it during the check (restart: true; command: --restart)'

const GUIDE: Readonly<Record<PromiseName, GuidePromise>> = {
  accepted: {
    step: STEPS.roundTrip,
    promise: 'a call resolves when the broker has acknowledged its message, and the message arrives',
    decide({ publishQos, subscribeQos, roundTrip }, qos) {
      if (publishQos === undefined || typeof subscribeQos !== 'number' || !roundTrip) return undefined
      if (publishQos < qos)
        return ['no', `it accepts messages with QoS ${publishQos} at most, but qos is ${qos}`]
      if (subscribeQos < qos) return ['no', `it grants subscriptions QoS ${subscribeQos}, but qos is ${qos}`]
      return ['yes', `${number(roundTrip.count)} messages with QoS ${qos} were acknowledged and arrived`]
    },
  },
  'subscriber-killed': {
    step: STEPS.backlog,
    promise: 'nothing is lost while a subscriber with a clientId is away, or when it is killed',
    decide(facts) {
      const { backlog, announced } = facts
      if (!backlog) return undefined
      const { acknowledged, kept, isSessionKept, isRedelivered } = backlog
      const seconds = announced?.sessionExpirySeconds
      if (!isSessionKept) return ['no', 'it forgot the session as soon as the subscriber left']
      if (isRedelivered === false)
        return ['no', 'it did not resend the messages that were unacknowledged when the connection was cut']
      if (kept < acknowledged) {
        return [
          'no',
          `it acknowledged ${number(acknowledged)} messages for a subscriber that was away, but kept ${number(kept)}`,
        ]
      }
      if (seconds !== undefined && seconds < MIN_SESSION_SECONDS)
        return [
          'no',
          `it keeps a session for ${number(seconds)} seconds: less than a day (${number(MIN_SESSION_SECONDS)})`,
        ]
      return [
        'yes',
        `it kept all ${number(acknowledged)} messages for a subscriber that was away (it may have a limit above that)${describeSession(facts)}`,
      ]
    },
  },
  order: {
    step: STEPS.backlog,
    promise: 'messages arrive in the order of the calls, even when they are redelivered',
    decide({ backlog }) {
      if (!backlog || backlog.kept === 0) return undefined
      const seen = `${number(backlog.kept)} messages, some of them resent after the connection was cut,`
      return backlog.isInOrder ? ['yes', `${seen} arrived in order`] : ['no', `${seen} arrived out of order`]
    },
  },
  'broker-killed': {
    step: STEPS.restart,
    promise: 'an acknowledged message survives a restart or a crash of the broker',
    decide: ({ software, saveFailure, restart }) => {
      if (restart && !restart.isSessionKept) return ['no', 'it forgot the subscriber when it was restarted']
      if (restart && restart.received < restart.published)
        return ['no', `it kept ${restart.received} of ${restart.published} messages when it was restarted`]
      if (saveFailure !== undefined)
        return ['no', `it cannot save its messages: its log says "${printable(saveFailure)}"`]
      if (restart) return ['not-told', SURVIVAL]
      return ['not-told', software?.name === 'aedes' ? IN_MEMORY : NOT_REPORTED]
    },
  },
  retained: {
    step: STEPS.retained,
    promise: 'with retain: true the broker keeps the last message for later subscribers',
    decide({ isRetainedKept }) {
      if (isRetainedKept === undefined) return undefined
      return isRetainedKept
        ? ['yes', 'a later subscriber received it']
        : ['no', 'a later subscriber did not receive it']
    },
  },
  group: {
    step: STEPS.sharing,
    promise: 'a group shares the messages: each goes to one member',
    decide({ sharing }) {
      if (!sharing) return undefined
      const { published, delivered, repeated, members } = sharing
      if (delivered === 0) return ['no', 'it does not support shared subscriptions: a group receives nothing']
      if (delivered < published) return ['no', `${delivered} of ${published} messages reached the group`]
      if (repeated > 0) return ['no', `both members received ${repeated} of ${published} messages`]
      return ['yes', `two members received ${published} messages, each once: ${members.join(' and ')}`]
    },
  },
  'large-message': {
    step: STEPS.size,
    promise: 'large messages, such as batches, arrive',
    decide({ size }) {
      if (!size) return undefined
      const { arrived, ms, refused } = size
      if (!refused)
        return ['yes', `a message of ${number(arrived)} bytes arrived within ${number(Math.ceil(ms))} ms`]
      const largest =
        arrived > 0 ? `one of ${number(arrived)} bytes arrived` : 'no smaller one arrived either'
      return ['no', `a message of ${number(refused.bytes)} bytes did not arrive (${refused.how}); ${largest}`]
    },
  },
}

function describeSession({ announced, software }: BrokerFacts): string {
  const seconds = announced?.sessionExpirySeconds
  if (seconds !== undefined && seconds !== NEVER_EXPIRES)
    return `; it keeps a session for ${number(seconds)} seconds`
  if (software?.name === 'RabbitMQ') return '; by default, it keeps a session for one day'
  return ''
}

export function decidePromise(name: PromiseName, { facts, failures }: Findings, qos: Qos): BrokerPromise {
  const { promise, step, decide } = GUIDE[name]
  // Fall back to the failure of the round trip, after which the other probes did not run.
  const failure = [step, STEPS.roundTrip]
    .map((one) => failures.find((failed) => failed.step === one))
    .find(Boolean)
  const seen = decide(facts, qos)
  // Report `unknown` if the probe failed, because the failure says nothing about the broker.
  const isUntried = seen?.[0] === 'not-told' && failure !== undefined
  const [holds, because] =
    seen && !isUntried ? seen : (['unknown', failure?.reason ?? 'it could not be tried'] as const)
  const settings = holds === 'no' || holds === 'not-told' ? settingsFor(name, facts.software) : []
  return { name, promise, holds, because, settings }
}
