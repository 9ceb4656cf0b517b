import { useSignal } from '@preact/signals'
import type { KeyInfo, KeyKind } from '../../protocol.ts'
import { downloadPrivateKey, downloadPublicKey, key, newKey } from '../../state/key.ts'
import { Button } from '../../ui/controls.tsx'

const WHERE: Record<KeyKind, string> = {
  core: 'in the SDK’s core, extractable',
  webcrypto: 'in the browser (WebCrypto), non-extractable',
}

/** Placeholder for the key until it is ready, so that the panels below the key do not move. */
const PENDING: KeyInfo = {
  kind: 'core',
  keyId: '·'.repeat(32),
  publicKey: '·'.repeat(64),
  wasKept: false,
  isKept: false,
  canUseWebCrypto: true,
}

/** Shows the signing key, which is made and stored here. */
export function KeyCard() {
  const { value } = key
  return (
    <div class="block" aria-busy={!value}>
      <div class="block-head">
        <h3>Signing key</h3>
        <span class="quiet">{value ? WHERE[value.kind] : 'being made'}</span>
      </div>
      <Details info={value ?? PENDING} />
    </div>
  )
}

function Details({ info }: { readonly info: KeyInfo }) {
  const isPending = info === PENDING
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
        <Button kind="quiet" isDisabled={isPending} onClick={trying(() => newKey('core'))}>
          New key pair
        </Button>
        {info.canUseWebCrypto && (
          <Button
            kind="quiet"
            isDisabled={isPending}
            title="The browser signs; nobody can read the private key out, this page included"
            onClick={trying(() => newKey('webcrypto'))}
          >
            New non-extractable key pair
          </Button>
        )}
        <Button kind="quiet" isDisabled={isPending} onClick={downloadPublicKey}>
          Export public
        </Button>
        {info.kind === 'core' && (
          <Button kind="quiet" isDisabled={isPending} onClick={trying(downloadPrivateKey)}>
            Export private
          </Button>
        )}
      </div>
      <p class="quiet small">{isPending ? 'Looked for in this browser’s IndexedDB.' : whence(info)}</p>
      {problem.value && <p class="absent">{problem.value}</p>}
    </>
  )
}

function whence({ wasKept, isKept }: KeyInfo): string {
  if (wasKept) return 'Found in this browser’s IndexedDB from an earlier visit.'
  return isKept
    ? 'Made just now, kept in IndexedDB.'
    : 'Made just now. It lasts as long as this page: the browser keeps nothing of it.'
}
