// Text in the terminal may come from a stranger. The name of a host could clear the screen, or print
// "verified" over the line above. Terminal text is therefore built only here, and every inserted value is
// escaped.

/** Text that is safe to print on a terminal, including colour codes. */
export class SafeText {
  /** @internal */
  constructor(
    readonly text: string,
    /** Width of the text in columns, without colour codes. */
    readonly width: number,
  ) {}
}

export type TextValue = SafeText | string | number

const MAX_VALUE_CHARS = 1_000

/** Control characters, invisible characters, and characters that change the text direction. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Builds terminal text from a template, and escapes every inserted value. */
export function safeText(parts: TemplateStringsArray, ...values: readonly TextValue[]): SafeText {
  return parts.reduce((text, part, at) => {
    const value = at > 0 ? toSafeText(values[at - 1] as TextValue) : EMPTY
    return new SafeText(text.text + value.text + part, text.width + value.width + part.length)
  }, EMPTY)
}

const EMPTY = new SafeText('', 0)

export function toSafeText(value: TextValue): SafeText {
  if (value instanceof SafeText) return value
  const text = escapeText(shortenText(String(value)))
  return new SafeText(text, [...text].length)
}

/** Joins texts with a separator, which is not escaped. */
export function joinTexts(texts: readonly TextValue[], between = ' '): SafeText {
  return texts
    .map(toSafeText)
    .reduce(
      (all, one, at) => (at === 0 ? one : safeText`${all}${new SafeText(between, between.length)}${one}`),
      EMPTY,
    )
}

export function padText(value: TextValue, width: number): SafeText {
  const text = toSafeText(value)
  const spaces = Math.max(0, width - text.width)
  return new SafeText(text.text + ' '.repeat(spaces), text.width + spaces)
}

export function escapeText(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

function shortenText(text: string): string {
  if (text.length <= MAX_VALUE_CHARS) return text
  return `${text.slice(0, MAX_VALUE_CHARS)}… (${text.length - MAX_VALUE_CHARS} more)`
}

/** Returns a function that applies a colour or weight by its SGR code (ECMA-48 §8.3.117). */
const styleText = (code: number) => (value: TextValue) => {
  const { text, width } = toSafeText(value)
  return new SafeText(`\x1b[${code}m${text}\x1b[0m`, width)
}

export const bold = styleText(1)
export const dim = styleText(2)
export const red = styleText(31)
export const green = styleText(32)
export const yellow = styleText(33)

/** Returns the text without colour codes, which only `styleText` inserts. */
export function plain({ text }: SafeText): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with ESC
  return text.replace(/\x1b\[\d+m/g, '')
}
