// Replaces modules that mqtt.js and its streams load but do not need: package.json, `abort-controller` and
// `string_decoder/`. The version in package.json is only logged, and silent.cjs removes the log. Each
// platform has its own AbortController. The streams carry only bytes.
module.exports = {}
