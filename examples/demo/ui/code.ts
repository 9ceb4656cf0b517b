/** A text as JavaScript, in single quotes; with what would end a script element or a line kept from doing so. */
export function quoted(text: string): string {
  const json = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return `'${json.replaceAll("'", "\\'").replaceAll('</', '<\\/').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`
}
