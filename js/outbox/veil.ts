/** What a record of version 2 begins with. */
export const MAGIC = Uint8Array.of(2, 0x41, 0x4c, 0x56)
/** How long a veil is. */
export const VEIL = 4

/**
 * Whether a record may seem to begin in these bytes. Where records are looked for among rubbish, a copy of one in a message, which
 * may be anybody's, would be taken for one of the outbox's own.
 */
export function hasMagic(bytes: Uint8Array): boolean {
  // Looks at every fourth byte, as one of them is in each: at whatever place of it, the first is so many before.
  for (let at = VEIL - 1; at < bytes.length; at += VEIL) {
    const place = MAGIC.indexOf(bytes[at] as number)
    if (place >= 0 && MAGIC.every((byte, next) => bytes[at - place + next] === byte)) return true
  }
  return false
}

/** A veil, and behind it the bytes under it: nowhere in them a record seems to begin. Whoever wrote them cannot know the veil. */
export function veiled(bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(VEIL + bytes.length)
  do {
    crypto.getRandomValues(all.subarray(0, VEIL))
    for (let at = 0; at < bytes.length; at++) {
      all[VEIL + at] = (bytes[at] as number) ^ (all[at % VEIL] as number)
    }
  } while (hasMagic(all))
  return all
}

/** What was veiled. */
export function unveiled(all: Uint8Array): Uint8Array {
  // A copy, also of a Buffer.
  const bytes = new Uint8Array(all.subarray(VEIL))
  for (let at = 0; at < bytes.length; at++) bytes[at] = (bytes[at] as number) ^ (all[at % VEIL] as number)
  return bytes
}
