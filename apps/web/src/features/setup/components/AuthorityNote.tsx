import { Banner } from '../../../ui/Banner.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { TextAnchor } from '../../../ui/TextLink.tsx'

/** Helps people to trust the certificate authority of the platform itself, before anything is entered. */
export function AuthorityNote({ fingerprint }: { fingerprint: string }) {
  return (
    <Banner>
      <p>
        This platform signs its own certificate. Compare this fingerprint with the one in the terminal of the server,
        then <TextAnchor href="/ca.crt">download the certificate</TextAnchor> and{' '}
        <TextAnchor href="/docs/local-ca">trust it</TextAnchor> on each computer.
      </p>
      <p className="mt-1 flex items-start gap-1">
        <span className="mono min-w-0 break-all">{fingerprint}</span>
        <CopyButton text={fingerprint} what="fingerprint" />
      </p>
    </Banner>
  )
}
