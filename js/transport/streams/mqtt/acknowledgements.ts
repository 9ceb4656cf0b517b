import type { MqttClient } from 'mqtt'

export interface Acknowledge {
  (): void
  /** Lets later messages be acknowledged before this message. */
  setAside?(): void
}

/** First byte of the acknowledgement by QoS: PUBACK for 1 (MQTT 5, 3.4), PUBREC for 2 (MQTT 5, 3.5). */
const HEADERS = { 1: 0x40, 2: 0x50 }

/**
 * Sender of the acknowledgements of one connection. Sends them in the order in which the messages arrived
 * (MQTT 5, 4.6), even if the messages settle in another order. The acknowledgements of mqtt.js do not
 * suffice: mqtt.js reads no further message until it has acknowledged the current one.
 *
 * Messages that are set aside are acknowledged out of order. Otherwise one waiting message would hold back
 * all later acknowledgements, and the broker would stop sending at its limit of unacknowledged messages.
 * Another order is safe, because brokers match an acknowledgement by its packet id.
 */
export class Acknowledgements {
  readonly #client: MqttClient
  readonly #onAcknowledge: (qos: 1 | 2, id: number) => void
  readonly #pending: { packet: readonly number[]; isDue: boolean }[] = []

  constructor(client: MqttClient, onAcknowledge: (qos: 1 | 2, id: number) => void) {
    this.#client = client
    this.#onAcknowledge = onAcknowledge
  }

  register(qos: 1 | 2, id: number): Acknowledge {
    const pending = { packet: [HEADERS[qos], 2, id >> 8, id & 0xff], isDue: false }
    let isAside = false
    this.#pending.push(pending)
    const acknowledge = () => {
      this.#onAcknowledge(qos, id)
      pending.isDue = true
      if (isAside) this.#write(pending.packet)
      else this.#send()
    }
    const setAside = () => {
      isAside = true
      this.#pending.splice(this.#pending.indexOf(pending), 1)
      this.#send()
    }
    return Object.assign(acknowledge, { setAside })
  }

  #send(): void {
    let due = 0
    while (this.#pending[due]?.isDue) due++
    const packets = this.#pending.splice(0, due).flatMap(({ packet }) => packet)
    if (due > 0) this.#write(packets)
  }

  #write(packets: readonly number[]): void {
    const { disconnecting, stream } = this.#client
    // Do not write to a lost connection, because the broker resends the message on the next one. Do not test
    // `client.connected`, which is still false when the first messages of a resumed session are settled.
    if (!disconnecting && !stream.destroyed) stream.write(Uint8Array.from(packets))
  }
}
