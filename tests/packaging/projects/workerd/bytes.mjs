import { generateKey } from 'alvarium-sdk'
import { useCore } from 'alvarium-sdk/core'

/** What is said of the core as bytes, which may not be compiled here. */
export default {
  async fetch(request) {
    try {
      useCore(await request.arrayBuffer())
      return new Response(typeof generateKey())
    } catch ({ code, message }) {
      return new Response(`${code} ${message}`)
    }
  },
}
