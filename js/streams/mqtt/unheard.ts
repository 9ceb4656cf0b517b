import type { MqttClient } from 'mqtt'
import type { Logger } from '../../base/logger.js'
import { UNHEARD } from './reasons.js'

/** Says, once for each connection, that the broker had nobody to give a message to. It has accepted it all the same. */
export function warnOfUnheard(client: MqttClient, topics: readonly string[], logger: Logger): void {
  const listen = (packet: { readonly cmd?: string | undefined; readonly reasonCode?: number }) => {
    if (packet.reasonCode !== UNHEARD || (packet.cmd !== 'puback' && packet.cmd !== 'pubrec')) return
    client.off('packetreceive', listen)
    logger.warn({ topics }, 'mqtt: the broker accepts messages that nobody subscribes to')
  }
  client.on('packetreceive', listen)
}
