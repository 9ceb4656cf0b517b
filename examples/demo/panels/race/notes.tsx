/** Explains the meaning and the limits of the numbers. */
export function Notes() {
  return (
    <details class="race-notes small">
      <summary>What is measured here, and what is not</summary>
      <ul>
        <li>
          From the payload to the finished message: hashing (SHA-256), asking the <code>src</code> annotator
          as often as chosen, ids, time stamps, signing (Ed25519), encoding. No network, no slow annotator, no
          storage.
        </li>
        <li>
          All sign the same random payloads with the same fresh signing key. Each contestant’s output is
          verified before it is timed, all signatures and all annotations of it.
        </li>
        <li>
          The original style is written for this page after what the Java, Go, Rust and Python SDKs do; these
          SDKs themselves do not run in browsers. In its favour, it keeps its signing key, which they read
          from a file for each signature. @noble derives the public key anew for every signature; that is how
          its <code>sign</code> works.
        </li>
        <li>
          WebCrypto works outside the worker’s thread, and answers later: going there and back is much of what
          a small call costs. Called 32 times at once it may use several cores; the SDK here uses one, and all
          of them with <code>alvarium-sdk/pool</code>.
        </li>
        <li>
          Calls made at once, and batches, say how many calls get done, not how long a single one waits: in a
          batch of 256, each waits for the others.
        </li>
        <li>
          Slices of at least 25 ms, because clocks in browsers are coarse; a round gives everybody one, and
          the next round begins with another contestant. A first round for warming up is thrown away. Shown
          are the median and the quartiles. Other tabs, and a processor that gets warm, still show: believe
          ratios rather than numbers.
        </li>
      </ul>
    </details>
  )
}
