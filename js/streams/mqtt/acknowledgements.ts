import type { MqttClient } from 'mqtt'

interface Owed {
  readonly packet: readonly number[]
  isDue: boolean
}

/** What has come with QoS 2 is named in a PUBREC (MQTT 5, 3.5), with QoS 1 in a PUBACK (3.4). */
const HEADERS = { 1: 0x40, 2: 0x50 }

/**
 * Acknowledges what one connection brings, in the order in which it came (MQTT 5, 4.6), whatever the order in which it
 * is done with. Written by us and not by mqtt.js, which reads nothing further before it has acknowledged.
 */
export class Acknowledgements {
  readonly #client: MqttClient
  readonly #owed: Owed[] = []

  constructor(client: MqttClient) {
    this.#client = client
  }

  /** A message has come; it is acknowledged when what this returns is called. */
  owe(qos: 1 | 2, id: number): () => void {
    const owed: Owed = { packet: [HEADERS[qos], 2, id >> 8, id & 0xff], isDue: false }
    this.#owed.push(owed)
    return () => {
      owed.isDue = true
      this.#send()
    }
  }

  #send(): void {
    let due = 0
    while (this.#owed[due]?.isDue) due++
    const packets = this.#owed.splice(0, due).flatMap(({ packet }) => packet)
    const { disconnecting, stream } = this.#client
    // On another connection the broker sends the message again. (`connected` is not yet true when the first messages of a
    // session that was kept are done with.)
    if (due > 0 && !disconnecting && !stream.destroyed) stream.write(Uint8Array.from(packets))
  }
}
