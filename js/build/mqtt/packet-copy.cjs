// Replaces `rfdc/default`. mqtt.js copies only packets, to remove the topic alias from the properties of the
// copy.
module.exports = (packet) => ({ ...packet, properties: { ...packet.properties } })
