import { boundedText, fetchFault } from '../../foundation/base/http/bounded-text.js'

/** The part of an answer that says something here. */
export interface HttpAnswer {
  readonly status: number
  /** Media type, without parameters. */
  readonly type: string
  readonly text: string
}

/** 16 lines with signatures. */
const MAX_BYTES = 131_072

/** Sends a text, and reads the answer. @throws Error for no answer, and for one that is too long */
export async function answerOf(url: string, body: string, signal: AbortSignal): Promise<HttpAnswer> {
  const response = await sent(url, body, signal)
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  return { status: response.status, type, text: await boundedText(response, signal, MAX_BYTES) }
}

async function sent(url: string, body: string, signal: AbortSignal): Promise<Response> {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
  try {
    return await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal })
  } catch (cause) {
    throw new Error(`expected an answer, got: ${fetchFault(cause)}`, { cause })
  }
}
