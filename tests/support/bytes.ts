/** UTF-8 of a text. */
export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** The text of UTF-8 bytes. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Bytes of a hexadecimal text. */
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

/** All parts in one array. */
export const concat = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts))
