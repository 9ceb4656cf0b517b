import { useSignal } from '@preact/signals'
import type { KeyInfo, KeyKind } from '../../protocol.ts'
import { downloadPrivateKey, downloadPublicKey, key, newKey } from '../../state/key.ts'
import { Button } from '../../ui/controls.tsx'

const WHERE: Record<KeyKind, string> = {
  core: 'in the SDK’s core, extractable',
  webcrypto: 'in the browser (WebCrypto), non-extractable',
}

/** The key that signs: made here, kept here. */
export function KeyCard() {
  const { value } = key
  return (
    <div class="block">
      <div class="block-head">
        <h3>Signing key</h3>
        <span class="quiet">{value ? WHERE[value.kind] : 'being made'}</span>
      </div>
      {value && <Details info={value} />}
    </div>
  )
}

function Details({ info }: { readonly info: KeyInfo }) {
  const problem = useSignal('')
  const trying = (run: () => unknown) => async () => {
    problem.value = ''
    try {
      await run()
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error)
    }
  }
  return (
    <>
      <dl class="pairs">
        <dt>Key id</dt>
        <dd>
          <code>{info.keyId}</code>
        </dd>
        <dt>Public key</dt>
        <dd>
          <code>{info.publicKey}</code>
        </dd>
      </dl>
      <div class="row">
        <Button kind="quiet" onClick={trying(() => newKey('core'))}>
          New key
        </Button>
        {info.canUseWebCrypto && (
          <Button
            kind="quiet"
            title="The browser signs; nobody can read the private key out, this page included"
            onClick={trying(() => newKey('webcrypto'))}
          >
            New non-extractable key
          </Button>
        )}
        <Button kind="quiet" onClick={downloadPublicKey}>
          Export public
        </Button>
        {info.kind === 'core' && (
          <Button kind="quiet" onClick={trying(downloadPrivateKey)}>
            Export private
          </Button>
        )}
      </div>
      <p class="quiet small">
        {info.wasKept
          ? 'Found in this browser’s IndexedDB from an earlier visit.'
          : 'Made just now, kept in IndexedDB.'}
      </p>
      {problem.value && <p class="absent">{problem.value}</p>}
    </>
  )
}
