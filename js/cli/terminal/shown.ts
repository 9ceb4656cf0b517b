// What people are shown may have been written by anybody: a host's name in a message could clear the screen, or write
// "verified" over the line above. So text for terminals is made here and nowhere else, and escapes whatever is put into it.

/** Text that is fit for a terminal, with its colours. */
export class Shown {
  /** @internal */
  constructor(
    readonly text: string,
    /** How many columns it takes. */
    readonly width: number,
  ) {}
}

/** What can be put into a text. */
export type Showable = Shown | string | number

/** Nobody reads more of one value; the rest is counted. */
const LONGEST = 1_000

/** Control characters, invisible ones and those that turn the direction of text around. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Text for people: what stands in the template as it is, values with everything escaped that a terminal would act on.
 */
export function shown(parts: TemplateStringsArray, ...values: readonly Showable[]): Shown {
  return parts.reduce((text, part, at) => {
    const value = at > 0 ? toShown(values[at - 1] as Showable) : EMPTY
    return new Shown(text.text + value.text + part, text.width + value.width + part.length)
  }, EMPTY)
}

const EMPTY = new Shown('', 0)

/** A value alone. */
export function toShown(value: Showable): Shown {
  if (value instanceof Shown) return value
  const text = escaped(shortened(String(value)))
  return new Shown(text, [...text].length)
}

/** Texts one behind the other, with something between. */
export function joined(texts: readonly Showable[], between = ' '): Shown {
  return texts
    .map(toShown)
    .reduce(
      (all, one, at) => (at === 0 ? one : shown`${all}${new Shown(between, between.length)}${one}`),
      EMPTY,
    )
}

/** With spaces behind it, to line up. */
export function padded(value: Showable, width: number): Shown {
  const text = toShown(value)
  const spaces = Math.max(0, width - text.width)
  return new Shown(text.text + ' '.repeat(spaces), text.width + spaces)
}

/** With every character escaped that is not one to look at. */
export function escaped(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

function shortened(text: string): string {
  if (text.length <= LONGEST) return text
  return `${text.slice(0, LONGEST)}… (${text.length - LONGEST} more)`
}

/** A colour or weight, by its code (ECMA-48 §8.3.117). */
const styled = (code: number) => (value: Showable) => {
  const { text, width } = toShown(value)
  return new Shown(`\x1b[${code}m${text}\x1b[0m`, width)
}

export const bold = styled(1)
export const dim = styled(2)
export const red = styled(31)
export const green = styled(32)
export const yellow = styled(33)

/** The text without its colours. All sequences in it are ours: those of others have been escaped. */
export function plain({ text }: Shown): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences above
  return text.replace(/\x1b\[\d+m/g, '')
}
