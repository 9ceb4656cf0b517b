// In place of what makes a stream of a generator or a promise: nothing in mqtt.js does.
module.exports = undefined
