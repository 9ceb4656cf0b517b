// Questions in users' words, with the pages that answer them. One of these pages must be among the first
// three search results.

/** Headings of pages, by question. @type {Readonly<Record<string, readonly string[]>>} */
export const QUESTIONS = {
  'rotate key': ['Keys', 'Run it in production', 'Trust policies'],
  'revoke a key': ['Trust policies'],
  ECONNREFUSED: ['Troubleshooting'],
  ENOTFOUND: ['Troubleshooting'],
  'TLS client certificate': ['Streams'],
  kubernetes: ['Run it on Kubernetes'],
  score: ['Score by a policy', 'Verifying', 'Store bundles and ask about them'],
  'AWS KMS': ['A signer in Vault or a cloud KMS'],
  QUEUE_FULL: ['Troubleshooting'],
  SIGNER_UNKNOWN: ['Troubleshooting'],
  'how do I install': ['Quick start'],
  'verify a message in python': ['Python'],
  offline: ['Delivery'],
  mosquitto: ['Run it in production', 'Delivery'],
  csv: ['Which record of my file was altered?'],
  docker: ['Operate a store', 'Run it in production'],
  performance: ['Performance'],
  kafka: ['Works with'],
  'unit test without a broker': ['Test your service without a broker'],
  'memory limit': ['Limits and defaults'],
  'what happened to my data': ['Concepts', 'Store bundles and ask about them'],
  'large file upload': ['Payloads larger than memory'],
  'several tenants': ['Several tenants in one process'],
}

/**
 * Returns the questions without an answering page among the first three results.
 *
 * @param {ReturnType<typeof import('./find.mjs').finder>} find
 */
export function failuresOf(find) {
  return Object.entries(QUESTIONS).flatMap(([question, pages]) => {
    const first = find(question)
      .slice(0, 3)
      .map(({ page }) => page)
    return first.some((page) => pages.includes(page))
      ? []
      : [`${question}: expected ${pages.join(' or ')} among the first three, got ${first.join(', ')}`]
  })
}
