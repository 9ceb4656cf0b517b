import type { Parameters } from './parameters.js'
import { QUESTIONS } from './questions.js'

/** Style of the page. The page has only our own texts, and nothing from the store. */
const STYLE = `:root{color-scheme:light dark}body{max-width:52rem;margin:2rem auto;padding:0 1rem;font:15px/1.55 system-ui,sans-serif}
h2{margin:2rem 0 0;font-size:1rem}code,pre{font:13px/1.5 ui-monospace,monospace}p{margin:.25rem 0}
table{width:100%;border-collapse:collapse}td{padding:.25rem .75rem .25rem 0;vertical-align:top;border-bottom:1px solid #8884}`

/** Returns the page's content security policy: only its own style. @param digest - of {@link STYLE}, in base64 */
export const policyOf = (digest: string) =>
  `default-src 'none'; style-src 'sha256-${digest}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

/** Bytes whose digest the policy allows. */
export const STYLE_BYTES = new TextEncoder().encode(STYLE)

/** Returns the API's page for people, made from the same table as its document. @param path - the API's path in the server */
export function docsPage(path: string, needsToken: boolean): string {
  const sections = Object.entries(QUESTIONS).map(
    ([at, { summary, parameters, answer }]) =>
      `<h2><code>GET ${escapeHtml(path + at)}</code></h2><p>${escapeHtml(summary)}. Answers with <code>${answer}</code>.</p>${table(parameters)}`,
  )
  const token = needsToken ? ' Send <code>Authorization: Bearer</code> and the token.' : ''
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Alvarium store: API</title><style>${STYLE}</style>
<h1>Alvarium store</h1><p>It only reads.${token} <a href="${escapeHtml(path)}/openapi.json">openapi.json</a> has the schemas (OpenAPI 3.1). Errors are <code>application/problem+json</code>, with a <code>code</code>.</p>
${sections.join('\n')}</html>`
}

function table(parameters: Parameters): string {
  const rows = Object.entries(parameters).map(([name, { description, required, schema }]) => {
    const { type, format, enum: words, minimum, maximum, default: fallback } = schema
    const range = maximum === undefined ? (format ?? type) : `${minimum} to ${maximum}`
    const rest = required ? 'required' : fallback === undefined ? '' : `default ${fallback}`
    const cells = [
      `<code>${name}</code>`,
      escapeHtml(words?.join(', ') ?? range),
      rest,
      escapeHtml(description),
    ]
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  })
  return rows.length > 0 ? `<table>${rows.join('')}</table>` : ''
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)
}
