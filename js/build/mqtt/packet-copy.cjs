// In place of `rfdc/default`: what mqtt.js copies is a packet, to take the alias of a topic out of its properties.
module.exports = (packet) => ({ ...packet, properties: { ...packet.properties } })
