// In place of what mqtt.js and its streams load and never use: its package.json, of which it logs the version (there is no log, see
// silent.cjs); what makes streams of generators and promises; what decodes text, as all its streams have bytes; and what reads fractions, of
// which MQTT has none.
module.exports = {}
