// Replaces `lru-cache`, in which mqtt.js remembers topic aliases. The SDK uses none.
export class LRUCache extends Map {
  constructor(_settings) {
    super()
  }
}
