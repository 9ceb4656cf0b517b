// @internal: no browser here is too old for the package
// @alone

import { describe, expect, it } from 'vitest'
import { adviceFor } from '../../dist/foundation/core/startup-advice.js'

const nowhere = { node: undefined, agent: undefined, hasWebAssembly: true }

describe('the advice in an error of a core that does not start', () => {
  // claim: runtimes-8
  it('names the browser, and the oldest browser versions that run the core', () => {
    const agent = 'Mozilla/5.0 … Version/15.6 Safari/605.1.15'
    expect(adviceFor({ ...nowhere, agent })).toMatch(/Safari from 16\.4 run it, and this is .*Version\/15\.6/)
    expect(adviceFor({ ...nowhere, agent, hasWebAssembly: false })).toContain('there is no WebAssembly here')
  })

  it("names Node's version and the flag to omit, but not the Content-Security-Policy", () => {
    const node = '18.20.8'
    expect(adviceFor({ ...nowhere, node })).toMatch(/^this is Node 18\.20\.8: alvarium-sdk needs 20\.19/)
    expect(adviceFor({ ...nowhere, node, hasWebAssembly: false })).toContain('run it without --jitless')
  })
})
