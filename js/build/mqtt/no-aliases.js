// In place of `lru-cache`, in which mqtt.js has the topics that it has given a short name: the SDK has it give none.
export class LRUCache extends Map {
  constructor(_settings) {
    super()
  }
}
