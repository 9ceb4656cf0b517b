// In place of mqtt.js' package.json, of which it logs the version: there is no log, see silent.cjs.
module.exports = {}
