import fs, { type PathLike } from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** A file or a folder, under any of its names. */
interface Node {
  /** True if its content may be lost with the power. */
  isDirty: boolean
  /** Mode at its creation; undefined if it existed before. */
  readonly mode: number | undefined
}

type Open = number | FileHandle

/**
 * A disk that loses all unflushed changes when the power fails: the content of a file without `fsync` of the file,
 * its name without `fsync` of the folder.
 */
export class Disk {
  readonly #nodes = new Map<string, Node>()
  readonly #open = new Map<Open, string>()
  /** New names that are not flushed. */
  readonly #names = new Set<string>()
  /** Faults that no later flush can repair. */
  readonly faults: string[] = []
  /** Number of calls that created or changed something. */
  steps = 0

  /** List of the contents and names that a power loss would take away now. */
  get atRisk(): string[] {
    const contents = [...this.#nodes].filter(([, { isDirty }]) => isDirty)
    return [
      ...contents.map(([path]) => `content of ${basename(path)}`),
      ...[...this.#names].map((path) => `name of ${basename(path)}`),
    ]
  }

  opened(file: Open, path: string, isNew: boolean, mode: number): void {
    this.#open.set(file, path)
    if (!isNew && this.#nodes.has(path)) return
    this.#nodes.set(path, { isDirty: false, mode: isNew ? mode & ~process.umask() : undefined })
    if (isNew) this.named(path)
  }

  closed(file: Open): void {
    this.#open.delete(file)
  }

  changed(file: Open | string): void {
    const node = this.#node(file)
    if (!node) return
    node.isDirty = true
    this.steps++
  }

  flushed(file: Open): void {
    const path = this.#open.get(file)
    if (path === undefined) return
    for (const name of this.#names) if (dirname(name) === path) this.#names.delete(name)
    const node = this.#nodes.get(path)
    if (node) node.isDirty = false
  }

  renamed(from: string, to: string): void {
    const node = this.#nodes.get(from)
    if (node?.isDirty) this.faults.push(`${basename(from)} was renamed before its content was flushed`)
    this.removed(from)
    if (node) this.#nodes.set(to, node)
    for (const [file, path] of this.#open) if (path === from) this.#open.set(file, to)
    this.named(to)
  }

  removed(path: string): void {
    this.#nodes.delete(path)
    this.#names.delete(path)
  }

  /** Records a fault if others could open the file until its mode was changed. */
  moded(file: Open | string, mode: number): void {
    const made = this.#node(file)?.mode
    if (made === undefined || (made & ~mode) === 0) return
    this.faults.push(`a file was made with mode ${made.toString(8)}, and is ${mode.toString(8)} afterwards`)
  }

  named(path: string): void {
    this.#names.add(path)
    this.steps++
  }

  #node(file: Open | string): Node | undefined {
    return this.#nodes.get(typeof file === 'string' ? file : (this.#open.get(file) ?? ''))
  }
}

/** Delay of each flush, in turns of the event loop. A call that does not wait for the flush then comes first. */
const SLOW_TURNS = 20

type Any = (...given: never[]) => unknown

/** Replaces a function until the test is over. */
function instead<O extends object, N extends keyof O>(object: O, name: N, make: (real: O[N]) => Any): void {
  const real = object[name]
  object[name] = make(real) as O[N]
  onTestFinished(() => {
    object[name] = real
    syncBuiltinESMExports()
  })
}

const isThere = (path: PathLike) => fs.existsSync(path)
const pathOf = (path: unknown) => {
  const whole = resolve(String(path))
  return isThere(whole) ? fs.realpathSync(whole) : whole
}

/**
 * Records the file operations of this process until the test is over: flushes count when they end, other calls when
 * they begin.
 */
export async function recordDisk(): Promise<Disk> {
  const disk = new Disk()
  const handle = await promises.open('.')
  const handles = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  followOpen(disk)
  followPaths(disk)
  followFolders(disk)
  followNumbers(disk)
  followHandles(disk, handles)
  syncBuiltinESMExports()
  return disk
}

function followOpen(disk: Disk): void {
  instead(promises, 'open', (real) => async (path: string, flags?: string, mode = 0o666) => {
    const isNew = !isThere(path)
    const file = await real(path, flags, mode)
    disk.opened(file, pathOf(path), isNew, Number(mode))
    return file
  })
  instead(fs, 'openSync', (real) => (path: string, flags: string, mode = 0o666) => {
    const isNew = !isThere(path)
    const file = real(path, flags, mode)
    disk.opened(file, pathOf(path), isNew, Number(mode))
    return file
  })
  instead(fs, 'open', (real) => (path: string, flags: string, mode: number, done: Any) => {
    const isNew = !isThere(path)
    return real(path, flags, mode, (error, file) => {
      if (!error) disk.opened(file, pathOf(path), isNew, Number(mode))
      done(error as never, file as never)
    })
  })
}

function followPaths(disk: Disk): void {
  const renaming = (from: unknown, to: unknown) => disk.renamed(pathOf(from), pathOf(to))
  for (const object of [promises, fs] as { rename: Any; rm: Any; truncate: Any; chmod: Any }[]) {
    instead(object, 'rename', (real) => (from: string, to: string, ...rest: never[]) => {
      renaming(from, to)
      return real(from as never, to as never, ...rest)
    })
    instead(object, 'rm', (real) => (path: string, ...rest: never[]) => {
      disk.removed(pathOf(path))
      return real(path as never, ...rest)
    })
    instead(object, 'truncate', (real) => (path: string, ...rest: never[]) => {
      disk.changed(pathOf(path))
      return real(path as never, ...rest)
    })
    instead(object, 'chmod', (real) => (path: string, mode: number, ...rest: never[]) => {
      disk.moded(pathOf(path), mode)
      return real(path as never, mode as never, ...rest)
    })
  }
  instead(fs, 'renameSync', (real) => (from: string, to: string) => {
    renaming(from, to)
    real(from, to)
  })
  instead(fs, 'rmSync', (real) => (path: string, options?: fs.RmOptions) => {
    disk.removed(pathOf(path))
    real(path, options)
  })
  instead(promises, 'writeFile', (real) => async (path: string, text: string, options = {}) => {
    const isNew = !isThere(path)
    disk.opened(-1, resolve(path), isNew, 0o666)
    disk.changed(-1)
    await real(path, text, options)
    if ('flush' in options && options.flush) disk.flushed(-1)
    disk.closed(-1)
  })
}

/** Records the creation of folders: a power loss can take the name of each new one. */
function followFolders(disk: Disk): void {
  instead(promises, 'mkdir', (real) => async (path: string, options?: fs.MakeDirectoryOptions) => {
    const missing: string[] = []
    for (let folder = resolve(path); !isThere(folder); folder = dirname(folder)) missing.push(folder)
    const made = await real(path, options)
    for (const folder of missing) disk.named(pathOf(folder))
    return made
  })
}

/** Records calls that take the number of an open file. */
function followNumbers(disk: Disk): void {
  for (const name of ['writeSync', 'writeFileSync', 'ftruncateSync', 'write', 'writev'] as const) {
    instead(fs as unknown as Record<string, Any>, name, (real = () => {}) => (file, ...rest) => {
      disk.changed(file)
      return real(file, ...rest)
    })
  }
  instead(fs, 'fsyncSync', (real) => (file: number) => {
    real(file)
    disk.flushed(file)
  })
  instead(fs, 'fsync', (real) => (file: number, done: (error: Error | null) => void) => {
    real(file, (error) => {
      if (!error) disk.flushed(file)
      done(error)
    })
  })
  instead(fs, 'fchmodSync', (real) => (file: number, mode: number) => {
    disk.moded(file, mode)
    real(file, mode)
  })
  instead(fs, 'closeSync', (real) => (file: number) => {
    disk.closed(file)
    real(file)
  })
}

function followHandles(disk: Disk, handles: FileHandle): void {
  for (const name of ['write', 'writeFile', 'appendFile', 'truncate'] as const) {
    instead(handles as unknown as Record<string, Any>, name, (real = () => {}) => {
      return function (this: FileHandle, ...given) {
        disk.changed(this)
        return real.apply(this, given)
      }
    })
  }
  for (const name of ['sync', 'datasync'] as const) {
    instead(handles, name, (real) => {
      return async function (this: FileHandle) {
        await real.call(this)
        for (let turn = 0; turn < SLOW_TURNS; turn++) await setImmediate()
        disk.flushed(this)
      }
    })
  }
}
