// In place of what mqtt.js and its streams load and never use: its package.json, of which it logs the version (there is no log, see
// silent.cjs); what makes streams of generators and promises, iterates them and ends them by a signal, of which each platform has its own;
// what decodes text, as all its streams have bytes; and what shows values, which errors.cjs does not.
module.exports = {}
