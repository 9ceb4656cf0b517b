// In place of `readable-stream`: the classes that mqtt.js makes its streams of, without operators, pipelines and promises.
const { Stream } = require('readable-stream/lib/internal/streams/legacy')

// As its own lib/stream.js has them: a writable stream asks for the two.
Stream._isUint8Array = (value) => value instanceof Uint8Array
Stream._uint8ArrayToBuffer = (chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)

module.exports = {
  Stream,
  Readable: require('readable-stream/lib/internal/streams/readable'),
  Writable: require('readable-stream/lib/internal/streams/writable'),
  Duplex: require('readable-stream/lib/internal/streams/duplex'),
  Transform: require('readable-stream/lib/internal/streams/transform'),
}
