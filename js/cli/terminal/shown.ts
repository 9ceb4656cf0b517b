// Text for people may come from a stranger: a host's name in a message could clear the screen, or write
// "verified" over the line above. Text for terminals is therefore made only here, and every inserted value is
// escaped.

/** Text that is safe for a terminal, with its colours. */
export class Shown {
  /** @internal */
  constructor(
    readonly text: string,
    /** Number of columns that the text takes. */
    readonly width: number,
  ) {}
}

/** Value that can be inserted into a text. */
export type Showable = Shown | string | number

/** Maximum number of characters of one value; the rest is counted. */
const LONGEST = 1_000

/** Control characters, invisible characters, and characters that change the direction of text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Returns text for people: the template's text unchanged, and values with all characters escaped that a
 * terminal would act on.
 */
export function shown(parts: TemplateStringsArray, ...values: readonly Showable[]): Shown {
  return parts.reduce((text, part, at) => {
    const value = at > 0 ? toShown(values[at - 1] as Showable) : EMPTY
    return new Shown(text.text + value.text + part, text.width + value.width + part.length)
  }, EMPTY)
}

const EMPTY = new Shown('', 0)

/** Returns a single value as text. */
export function toShown(value: Showable): Shown {
  if (value instanceof Shown) return value
  const text = escaped(shortened(String(value)))
  return new Shown(text, [...text].length)
}

/** Joins texts with a separator. */
export function joined(texts: readonly Showable[], between = ' '): Shown {
  return texts
    .map(toShown)
    .reduce(
      (all, one, at) => (at === 0 ? one : shown`${all}${new Shown(between, between.length)}${one}`),
      EMPTY,
    )
}

/** Pads a value with spaces at its end, for columns. */
export function padded(value: Showable, width: number): Shown {
  const text = toShown(value)
  const spaces = Math.max(0, width - text.width)
  return new Shown(text.text + ' '.repeat(spaces), text.width + spaces)
}

/** Escapes every character that is not visible. */
export function escaped(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

function shortened(text: string): string {
  if (text.length <= LONGEST) return text
  return `${text.slice(0, LONGEST)}… (${text.length - LONGEST} more)`
}

/** Returns a function that styles text with a colour or weight, by its code (ECMA-48 §8.3.117). */
const styled = (code: number) => (value: Showable) => {
  const { text, width } = toShown(value)
  return new Shown(`\x1b[${code}m${text}\x1b[0m`, width)
}

export const bold = styled(1)
export const dim = styled(2)
export const red = styled(31)
export const green = styled(32)
export const yellow = styled(33)

/**
 * Returns the text without its colours. All control sequences in it are ours, because those of inserted
 * values are escaped.
 */
export function plain({ text }: Shown): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences above
  return text.replace(/\x1b\[\d+m/g, '')
}
