import mqtt, { type MqttClient } from 'mqtt'

/** The last message of a test, after which no more arrive. */
const END = 'end'

/** A consumer that is independent of the tested code: plain mqtt.js. */
export interface Witness {
  readonly messages: string[]
  /**
   * Sends a message `end`, and returns all messages before it. Brokers keep only the order of each sender, so first
   * wait for the messages of others.
   */
  untilEnd(): Promise<string[]>
  distinct(count: number): Promise<Set<string>>
  hears(text: string): Promise<void>
  close(): Promise<void>
}

export async function witness(url: string, topic: string, more: object = {}): Promise<Witness> {
  const client = mqtt.connect(url, { reconnectPeriod: 50, ...more })
  const messages: string[] = []
  let check = () => {}
  client.on('message', (_, payload) => {
    messages.push(payload.toString())
    check()
  })
  await client.subscribeAsync(topic, { qos: 2 })
  const until = (enough: () => boolean) =>
    new Promise<void>((resolve) => {
      check = () => enough() && resolve()
      check()
    })
  return {
    messages,
    untilEnd: () => untilEnd(client, topic, messages, until),
    distinct: async (count) => {
      const seen = new Set<string>()
      let read = 0
      await until(() => {
        for (; read < messages.length; read++) seen.add(messages[read] ?? '')
        return seen.size >= count
      })
      return seen
    },
    hears: (text) => until(() => messages.includes(text)),
    close: () => client.endAsync(true),
  }
}

async function untilEnd(
  client: MqttClient,
  topic: string,
  messages: string[],
  until: (enough: () => boolean) => Promise<void>,
): Promise<string[]> {
  await client.publishAsync(topic, END, { qos: 2 })
  await until(() => messages.includes(END))
  return messages.slice(0, messages.indexOf(END))
}
