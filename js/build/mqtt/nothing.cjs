// In place of what mqtt.js and its streams load and never use: its package.json, of which it logs the version (there is no log, see
// silent.cjs), `abort-controller`, of which each platform has its own, and `string_decoder/`, as all its streams have bytes.
module.exports = {}
