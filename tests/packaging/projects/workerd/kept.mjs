import { generateKey, memory, mqtt, openSdk, source } from 'alvarium-sdk'

let kept

/** An SDK that the first request opens, shared with later requests. `?broker` is the address to publish to, if any. */
export default {
  async fetch(request) {
    const broker = new URL(request.url).searchParams.get('broker')
    const stream = broker ? mqtt({ url: broker, topic: 'alvarium' }) : memory()
    kept ??= openSdk({ signingKey: generateKey().signingKey, annotators: [source()], stream })
    const { bundle } = await (await kept).create(new Uint8Array(1))
    return new Response(JSON.stringify(bundle.host))
  },
}
