import type { Trouble } from '../../protocol.ts'

/** Replaces the panels if the SDK cannot run here: shows the missing part, and how to fix it. */
export function NoCore({ trouble }: { readonly trouble: Trouble }) {
  return trouble.code === 'CORE_UNAVAILABLE' ? (
    <NoWebAssembly trouble={trouble} />
  ) : (
    <NoWorker trouble={trouble} />
  )
}

function NoWebAssembly({ trouble }: { readonly trouble: Trouble }) {
  return (
    <section class="no-core" role="alert" aria-labelledby="no-core-title">
      <h2 id="no-core-title">This page may not run WebAssembly</h2>
      <p>
        The SDK hashes, signs and verifies in a WebAssembly module. The server of this page sends a
        Content-Security-Policy that does not allow one. Nothing is wrong with your browser: add one word to
        the policy of the server.
      </p>
      <pre>
        <code>
          Content-Security-Policy: script-src 'self' <mark>'wasm-unsafe-eval'</mark>
        </code>
      </pre>
      <p>It allows WebAssembly and nothing else; in particular not eval() in JavaScript.</p>
      <p class="quiet">
        <code>{trouble.code}</code> {trouble.message}
      </p>
    </section>
  )
}

function NoWorker({ trouble }: { readonly trouble: Trouble }) {
  return (
    <section class="no-core" role="alert" aria-labelledby="no-core-title">
      <h2 id="no-core-title">The SDK could not be started</h2>
      <p>
        {trouble.code === 'CONFIG_INVALID'
          ? 'The address of the broker cannot be used. It stands behind ?broker= in the address of this page, or in its head.'
          : 'It runs in a worker of this page, which failed before it was ready. Loading the page again may help.'}
      </p>
      <p class="quiet">
        <code>{trouble.code}</code> {trouble.message}
      </p>
    </section>
  )
}
