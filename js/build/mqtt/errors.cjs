// In place of the errors of readable-stream: by their codes, those that a stream of mqtt.js can end with in their own words.
const TEXTS = {
  ERR_METHOD_NOT_IMPLEMENTED: (name) => `The ${name} method is not implemented`,
  ERR_MULTIPLE_CALLBACK: () => 'Callback called multiple times',
  ERR_STREAM_ALREADY_FINISHED: (name) => `Cannot call ${name} after a stream was finished`,
  ERR_STREAM_DESTROYED: (name) => `Cannot call ${name} after a stream was destroyed`,
  ERR_STREAM_PUSH_AFTER_EOF: () => 'stream.push() after EOF',
  ERR_STREAM_WRITE_AFTER_END: () => 'write after end',
}

const errorOf = (code) =>
  class extends Error {
    code = code

    constructor(...args) {
      super(TEXTS[code]?.(...args) ?? `${code}: ${args.join()}`)
    }
  }

class AbortError extends Error {
  code = 'ABORT_ERR'
  name = 'AbortError'
}

/** The later of two is thrown, with both. */
function aggregateTwoErrors(first, later) {
  if (!first || !later || first === later) return first || later
  return Object.assign(new AggregateError([later, first], later.message), { code: later.code })
}

const codes = new Proxy({}, { get: (_, code) => errorOf(code) })
module.exports = { AbortError, aggregateTwoErrors, codes, hideStackFrames: (called) => called }
