/** Returns a copy of the bytes in the Uint8Array of a frame, which is no instance of ours. */
export function foreign(bytes: Uint8Array): Uint8Array {
  return frame().Uint8Array.from(bytes)
}

/** Returns an error that is no instance of our `Error`. */
export function foreignError(message: string): Error {
  const { Error: Foreign } = frame()
  return new Foreign(message)
}

function frame(): typeof globalThis {
  const { contentWindow } = document.body.appendChild(document.createElement('iframe'))
  return contentWindow as unknown as typeof globalThis
}
