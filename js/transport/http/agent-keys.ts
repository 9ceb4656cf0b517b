import { describe, expected } from '../../foundation/base/errors.js'
import { readOptions } from '../../foundation/base/options/schema.js'
import { quote } from '../../foundation/base/text/text.js'
import { isTrustworthy } from './fetch-jwks.js'
import type { HttpKeys } from './named-keys.js'
import { FetchedKeys, type RemoteKeysOptions, schema } from './remote-keys.js'

/** Path at which an agent publishes its keys (draft-meunier-http-message-signatures-directory). */
export const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory'

/** Key directories of agents. They are fetched when a request needs them. */
export interface AgentKeys {
  /** Origins of the agents, such as `https://bot.example`. */
  readonly agents: readonly string[]
}

/**
 * Returns the keys of agents, for `keys` of `verifyRequest` with `profile: 'web-bot-auth'`. Reuse the result.
 *
 * A request cannot make your server fetch from a host that is not listed here. Each directory is cached and
 * limited like a key set of {@link jwkSetAt}. A key is valid only for its own agent.
 *
 * @param agents - origins such as `https://bot.example`; http is allowed only for `localhost`, `127.0.0.1`
 * and `[::1]`
 * @throws AlvariumError `CONFIG_INVALID`
 *
 * @example
 * ```ts
 * const keys = agentKeys(['https://bot.example']) // for verifyRequest(request, { profile: 'web-bot-auth', keys })
 * ```
 */
export function agentKeys(agents: readonly string[], options: RemoteKeysOptions = {}): AgentKeys {
  const settings = readOptions(schema, options, 'agentKeys')
  if (!Array.isArray(agents) || agents.length === 0) {
    const got = Array.isArray(agents) ? 'an empty array' : describe(agents)
    throw expected('CONFIG_INVALID', 'agentKeys.agents', 'an array of at least one origin', got)
  }
  const byAgent = new Map<string, HttpKeys>()
  for (const agent of agents) {
    const origin = originOf(agent)
    if (origin === undefined) {
      const requirement =
        'an origin of https without a path (or http of localhost), such as https://bot.example'
      throw expected('CONFIG_INVALID', 'agentKeys.agents', requirement, quote(String(agent)))
    }
    byAgent.set(origin, new FetchedKeys(`${origin}${DIRECTORY_PATH}`, settings))
  }
  return new DirectoryKeys(byAgent)
}

/**
 * Returns the normalized origin of an agent. Returns undefined if the URL has a path, query or fragment, or
 * uses http for a host other than this machine.
 */
export function originOf(agent: unknown): string | undefined {
  if (typeof agent !== 'string' || !isTrustworthy(agent)) return undefined
  const url = new URL(agent)
  return url.href === `${url.origin}/` ? url.origin : undefined
}

export class DirectoryKeys implements AgentKeys {
  readonly #byAgent: ReadonlyMap<string, HttpKeys>

  constructor(byAgent: ReadonlyMap<string, HttpKeys>) {
    this.#byAgent = byAgent
  }

  get agents(): readonly string[] {
    return [...this.#byAgent.keys()]
  }

  of(agent: string): HttpKeys {
    const keys = this.#byAgent.get(agent)
    if (keys) return keys
    throw expected('SIGNER_UNKNOWN', 'signature-agent', 'one of the agents of agentKeys', quote(agent))
  }
}
