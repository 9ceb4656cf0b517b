// Replaces `lru-cache`, in which mqtt.js remembers topic aliases. The SDK uses no topic aliases.
export class LRUCache extends Map {
  constructor(_settings) {
    super()
  }
}
