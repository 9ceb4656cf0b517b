import type { MqttClient } from 'mqtt'

/** How an acknowledgement is sent. */
export interface Acknowledge {
  (): void
  /** Those behind it do not wait for it any more. */
  setAside?(): void
}

interface Owed {
  readonly packet: readonly number[]
  isDue: boolean
  isAside: boolean
}

/** What has come with QoS 2 is named in a PUBREC (MQTT 5, 3.5), with QoS 1 in a PUBACK (3.4). */
const HEADERS = { 1: 0x40, 2: 0x50 }

/**
 * Acknowledges what one connection brings, in the order in which it came (MQTT 5, 4.6), whatever the order in which it
 * is settled. Written by us and not by mqtt.js, which reads nothing further before it has acknowledged.
 *
 * What is set aside is the exception. In order, one message that waits would have all behind it wait, until the broker has no more room
 * for messages that are not acknowledged: brokers find an acknowledgement by its packet id.
 */
export class Acknowledgements {
  readonly #client: MqttClient
  readonly #owed: Owed[] = []

  constructor(client: MqttClient) {
    this.#client = client
  }

  /** A message has come; it is acknowledged when what this returns is called. */
  owe(qos: 1 | 2, id: number): Required<Pick<Acknowledge, 'setAside'>> & Acknowledge {
    const owed: Owed = { packet: [HEADERS[qos], 2, id >> 8, id & 0xff], isDue: false, isAside: false }
    this.#owed.push(owed)
    const acknowledge = () => {
      owed.isDue = true
      if (owed.isAside) this.#write(owed.packet)
      else this.#send()
    }
    const setAside = () => {
      owed.isAside = true
      this.#owed.splice(this.#owed.indexOf(owed), 1)
      this.#send()
    }
    return Object.assign(acknowledge, { setAside })
  }

  #send(): void {
    let due = 0
    while (this.#owed[due]?.isDue) due++
    const packets = this.#owed.splice(0, due).flatMap(({ packet }) => packet)
    if (due > 0) this.#write(packets)
  }

  #write(packets: readonly number[]): void {
    const { disconnecting, stream } = this.#client
    // On another connection the broker sends the message again. (`connected` is not yet true when the first messages of a
    // session that was kept are settled.)
    if (!disconnecting && !stream.destroyed) stream.write(Uint8Array.from(packets))
  }
}
