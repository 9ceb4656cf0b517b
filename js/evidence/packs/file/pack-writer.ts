import { crc32 } from '../../../foundation/base/bytes/checksum.js'
import { join } from '../../../foundation/base/bytes/join.js'
import { expected } from '../../../foundation/base/errors.js'
import { digestOf } from '../../../foundation/core/hashing.js'
import { type LineKind, maxPartBytes, partName } from './parts.js'
import { endBytes, endOf, headerOf, MAX_PACK_BYTES, type ZipEntry } from './zip.js'

/** Manifest entry for one part. */
export interface PackPart {
  /** Name of the part in the ZIP file. */
  readonly name: string
  readonly bytes: number
  /** SHA-256 of the part's bytes: 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** Writer of a pack. Each call returns the next bytes of the file. */
export class PackWriter {
  readonly #entries: ZipEntry[] = []
  readonly #parts: PackPart[] = []
  readonly #next = new Map<LineKind, number>()
  #bytes = 0

  get parts(): readonly PackPart[] {
    return this.#parts
  }

  /** Adds a part. @throws AlvariumError `CONFIG_INVALID` if the part or the file would be too long */
  part(name: string, bytes: Uint8Array): Uint8Array[] {
    const entry = { name, bytes: bytes.length, crc: crc32(bytes), at: this.#bytes }
    const header = headerOf(entry)
    this.#entries.push(entry)
    this.#parts.push({ name, bytes: bytes.length, sha256: digestOf(bytes) })
    this.#bytes += header.length + bytes.length
    if (this.#bytes + endBytes(this.#entries) > MAX_PACK_BYTES) {
      throw expected('CONFIG_INVALID', 'pack', `at most ${MAX_PACK_BYTES} bytes`, 'more')
    }
    const maxBytes = maxPartBytes(name)
    if (bytes.length > maxBytes)
      throw expected('CONFIG_INVALID', name, `at most ${maxBytes} bytes`, `${bytes.length}`)
    return [header, bytes]
  }

  lines(kind: LineKind, lines: readonly Uint8Array[]): Uint8Array[] {
    const number = this.#next.get(kind) ?? 0
    this.#next.set(kind, number + 1)
    return this.part(partName(kind, number), join(lines.flatMap((line) => [line, NEWLINE])).bytes)
  }

  /** Returns the ZIP directory, which ends the file. */
  end(): Uint8Array {
    return endOf(this.#entries, this.#bytes)
  }
}

const NEWLINE = Uint8Array.of(0x0a)
