// Formats SDK statistics (https://prometheus.io/docs/instrumenting/exposition_formats/).

/** @param {import('alvarium-sdk').SdkStats} stats */
export function prometheus({ accepted, failed, seal, accept, stream }) {
  return [
    counter('alvarium_messages_accepted_total', 'Messages that the stream has accepted.', accepted),
    counter('alvarium_messages_failed_total', 'Messages that it has not.', failed),
    summary('alvarium_seal_seconds', 'Time to hash and sign a message.', seal),
    summary('alvarium_accept_seconds', 'Time until the stream has accepted a message.', accept),
    ...(stream ? streamLines(stream) : []),
    ...(stream?.stored ? outboxLines(stream) : []),
  ].join('')
}

/** @param {import('alvarium-sdk').StreamStats} stream */
function streamLines({ online, queued, bytes, oldestMs, inFlight, resent, timedOut, refused, reconnects }) {
  return [
    gauge('alvarium_stream_online', 'Whether there is a connection.', Number(online)),
    gauge('alvarium_stream_queued_messages', 'Messages that have not settled.', queued),
    gauge('alvarium_stream_queued_bytes', 'Bytes that wait for the broker.', bytes),
    gauge('alvarium_stream_oldest_seconds', 'How long the oldest message has waited.', oldestMs / 1000),
    gauge('alvarium_stream_in_flight', 'Packets without an acknowledgement.', inFlight),
    counter('alvarium_stream_resent_total', 'Packets sent once more.', resent),
    counter('alvarium_stream_timed_out_total', 'Messages given up.', timedOut),
    counter('alvarium_stream_refused_total', 'Messages that the broker has refused.', refused),
    counter('alvarium_stream_reconnects_total', 'Times that the connection came back.', reconnects),
  ]
}

/** @param {import('alvarium-sdk').StreamStats} stream */
function outboxLines({ stored, setAside = 0, damaged = 0 }) {
  const { messages = 0, bytes = 0, oldestAt = Date.now() } = stored ?? {}
  const oldest = Math.max(0, Date.now() - oldestAt) / 1000
  return [
    gauge('alvarium_outbox_stored_messages', 'Messages that wait on the disk.', messages),
    gauge('alvarium_outbox_stored_bytes', 'Their bytes.', bytes),
    gauge('alvarium_outbox_oldest_seconds', 'How long ago the oldest of them was stored.', oldest),
    gauge('alvarium_outbox_set_aside_messages', 'Messages that wait for a decision.', setAside),
    counter('alvarium_outbox_damaged_total', 'Stored messages that can no longer be read.', damaged),
  ]
}

/** @param {string} name @param {string} help @param {string} type */
const head = (name, help, type) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`

/** @param {string} name @param {string} help @param {number} value */
const counter = (name, help, value) => `${head(name, help, 'counter')}${name} ${value}\n`

/** @param {string} name @param {string} help @param {number} value */
const gauge = (name, help, value) => `${head(name, help, 'gauge')}${name} ${value}\n`

/** @param {string} name @param {string} help @param {import('alvarium-sdk').LatencyStats} latency */
function summary(name, help, { count, sumMs, p50Ms, p99Ms }) {
  const quantile = (/** @type {number} */ share, /** @type {number} */ ms) =>
    `${name}{quantile="${share}"} ${ms / 1000}\n`
  const rows = `${name}_sum ${sumMs / 1000}\n${name}_count ${count}\n`
  return head(name, help, 'summary') + quantile(0.5, p50Ms) + quantile(0.99, p99Ms) + rows
}
