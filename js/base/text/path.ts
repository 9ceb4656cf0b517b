/** What takes more than this to say is 32 bytes in base64, or 40 characters in any text that looks like a path: maybe a key. */
export const LONGEST_PATH = 39

/** Nothing in which keys are written has a dot. */
const FILE_NAME = /[/\\]([\w-]+(?:\.[\w-]+)+)$/

/** What can be said of a long path, as it may be a key: its end, if that is the name of a file. */
export function endOf(path: string): string | undefined {
  const [, name = ''] = FILE_NAME.exec(path) ?? []
  return name !== '' && name.length <= LONGEST_PATH ? `…/${name}` : undefined
}
