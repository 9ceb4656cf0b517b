import { generateKey } from 'alvarium-sdk'
import { useCore } from 'alvarium-sdk/core'

/** Worker that returns the error for a core in bytes, which workerd must not compile. */
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
