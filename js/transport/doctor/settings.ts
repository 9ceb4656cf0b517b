import type { BrokerFacts, BrokerSettings, PromiseName } from './report.js'

type GuideLines = Readonly<Record<PromiseName, readonly string[]>>

/** Configuration lines for Mosquitto, tested with 2.0.11, which allows no comment at the end of a line. */
const MOSQUITTO: GuideLines = {
  accepted: ['max_qos 2'],
  'subscriber-killed': [
    '# By default, all messages beyond 1000 are silently dropped. 0: as many as fit into memory.',
    'max_queued_messages 0',
    'max_queued_bytes 0',
    '# Leave out persistent_client_expiration, or set it longer than a subscriber may be away.',
  ],
  order: ['# With the default of 20, messages may be redelivered out of order.', 'max_inflight_messages 1'],
  'broker-killed': [
    'persistence true',
    '# A folder that its user can write to. Started by root, it runs as the user mosquitto.',
    'persistence_location /var/lib/mosquitto/',
    '# Saves after each message instead of every half hour: kill -9 loses the last one or few. Each time it writes',
    '# all that waits, so a higher number is faster; kill -9 then loses as many messages.',
    'autosave_on_changes true',
    'autosave_interval 1',
  ],
  retained: ['retain_available true'],
  group: ['# Mosquitto 1.6 and newer share subscriptions without any setting.'],
  'large-message': [
    'message_size_limit 0',
    '# Leave out max_packet_size, or set it to at least 17825792 (17 MiB).',
    '# 2.0.11 sends 40 kB a second to a subscriber over WebSocket: subscribe over TCP.',
  ],
}

/** Configuration lines for RabbitMQ. Version 3.13 changed the name and unit of the session lifetime. */
const RABBITMQ: GuideLines = {
  accepted: ['# RabbitMQ supports QoS 0 and 1: publish and subscribe with qos: 1.'],
  'subscriber-killed': [
    '# Up to 3.12; the default is a day.',
    'mqtt.subscription_ttl = infinity',
    '# From 3.13 on, set this instead; the default is a day.',
    '# mqtt.max_session_expiry_interval_seconds = infinity',
    '# Remove policies with max-length, max-length-bytes or message-ttl: rabbitmqctl list_policies shows them.',
    '# Up to 3.10, quorum queues deliver nothing to subscribers over WebSocket: subscribe over TCP.',
  ],
  order: ['mqtt.prefetch = 1'],
  'broker-killed': [
    '# A message is acknowledged when it is on the disks of most nodes.',
    'mqtt.durable_queue_type = quorum',
  ],
  retained: ['mqtt.retained_message_store = rabbit_mqtt_retained_msg_store_dets'],
  group: ['# RabbitMQ does not support shared subscriptions: give each member its own topics.'],
  'large-message': [
    'max_message_size = 17825792',
    '# From 3.13 on, also set:',
    '# mqtt.max_packet_size_authenticated = 17825792',
  ],
}

/**
 * Returns settings that make a broker keep a promise. For unknown software, returns those for Mosquitto and
 * those for RabbitMQ.
 */
export function settingsFor(name: PromiseName, software: BrokerFacts['software']): BrokerSettings[] {
  const mosquitto = { file: 'mosquitto.conf', lines: MOSQUITTO[name] } as const
  const rabbitmq = { file: 'rabbitmq.conf', lines: RABBITMQ[name] } as const
  if (software?.name === 'Mosquitto') return [mosquitto]
  if (software?.name === 'RabbitMQ') return [rabbitmq]
  // Return no lines for aedes, a library that has no configuration file.
  return software ? [] : [mosquitto, rabbitmq]
}
