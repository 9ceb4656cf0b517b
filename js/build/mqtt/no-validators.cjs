// In place of what checks the arguments that readable-stream is called with: it is mqtt.js that calls it.
const fine = () => {}
module.exports = {
  validateAbortSignal: fine,
  validateBoolean: fine,
  validateFunction: fine,
  validateInteger: fine,
  validateObject: fine,
}
