import type { MqttClient } from 'mqtt'

/**
 * Ends a connection on which the broker has not been heard since our last ping.
 *
 * @param isFull whether nothing is read for want of room
 */
export function watch(client: MqttClient, isFull: () => boolean): void {
  let heard = false
  client.on('packetreceive', () => {
    heard = true
  })
  const ping = client.sendPing.bind(client)
  client.sendPing = () => {
    heard = false
    ping()
  }
  const giveUp = client.onKeepaliveTimeout.bind(client)
  // While nothing is read for want of room, the answer to our ping is not either, and mqtt.js would end the
  // connection of every consumer that takes its time. It also takes other packets for no sign of life.
  client.onKeepaliveTimeout = () => {
    if (!heard && !isFull()) return giveUp()
    client.sendPing()
    client.reschedulePing(true)
  }
}

/** Resolves with the broker's answer to a ping: what we have sent before has reached it. */
export function pong(client: MqttClient): Promise<void> {
  return new Promise((resolve) => {
    const listen = ({ cmd }: { cmd?: string | undefined }) => {
      if (cmd !== 'pingresp') return
      client.off('packetreceive', listen)
      resolve()
    }
    client.on('packetreceive', listen)
    client.sendPing()
  })
}
