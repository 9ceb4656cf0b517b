// Libraries that JavaScript programs use for serializing objects, each set up as its authors recommend: with
// compiled schemas, reused encoders, and structures shared with the reader.

import { Encoder, isNativeAccelerationEnabled as hasNativeCbor } from 'cbor-x'
import fastJson from 'fast-json-stringify'
import { isNativeAccelerationEnabled as hasNativeMsgpack, Packr } from 'msgpackr'
import protobuf from 'protobufjs'

/**
 * @typedef {object} Serializer
 * @property {(object: object) => Uint8Array} encode
 * @property {(bytes: Uint8Array) => unknown} decode for checking that nothing is lost
 */

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** @param {Uint8Array} bytes */
const parse = (bytes) => JSON.parse(decoder.decode(bytes))

const text = { type: 'string' }
/** Schema of strings without characters to escape. Like the core, it does not check for such characters. */
const plain = { type: 'string', format: 'unsafe' }

/** @param {Record<string, object>} properties all of them required */
const schema = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })

const annotation = schema({ id: plain, kind: text, tag: text, isSatisfied: { type: 'boolean' } })
const fastStringify = fastJson(
  /** @type {import('fast-json-stringify').ObjectSchema} */ (
    schema({
      action: plain,
      key: plain,
      hash: plain,
      host: text,
      layer: plain,
      timestamp: plain,
      annotations: { type: 'array', items: annotation },
    })
  ),
)

const packr = new Packr({ structures: [] })
const cborX = new Encoder({ structures: [] })

const Bundle = protobuf
  .parse(`syntax = "proto3";
    message Annotation { string id = 1; string kind = 2; string tag = 3; bool isSatisfied = 4; }
    message Bundle {
      string action = 1; string key = 2; string hash = 3; string host = 4; string layer = 5; string timestamp = 6;
      repeated Annotation annotations = 7;
    }`)
  .root.lookupType('Bundle')

/** @type {Record<string, Serializer>} */
export const SERIALIZERS = {
  JSON: { encode: (object) => encoder.encode(JSON.stringify(object)), decode: parse },
  'fast-json': { encode: (object) => encoder.encode(fastStringify(object)), decode: parse },
  msgpackr: { encode: (object) => packr.pack(object), decode: (bytes) => packr.unpack(bytes) },
  'cbor-x': { encode: (object) => cborX.encode(object), decode: (bytes) => cborX.decode(bytes) },
  protobufjs: {
    encode: (object) => Bundle.encode(object).finish(),
    decode: (bytes) => Bundle.toObject(Bundle.decode(bytes), { defaults: true }),
  },
}

/** Note on native code. Optional packages of both libraries read strings in C++, but write them in JavaScript. */
export const NATIVE = `native readers: msgpackr ${hasNativeMsgpack ? 'on' : 'off'}, cbor-x ${hasNativeCbor ? 'on' : 'off'}`
