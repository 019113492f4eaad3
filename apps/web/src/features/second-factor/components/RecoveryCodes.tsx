import { Copy, Download } from 'lucide-react'
import { download } from '../../../lib/download.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { copyText } from '../../../ui/CopyButton.tsx'

/** The recovery codes, this once, with the ways to keep them. */
export function RecoveryCodes({ codes, username }: { codes: readonly string[]; username: string }) {
  const text = `${codes.join('\n')}\n`
  return (
    <>
      <Banner kind="warning">They are shown only once. Keep them where you keep your passwords.</Banner>
      <p className="text-muted">Each code signs you in once, when you have neither your phone nor a passkey.</p>
      <ol
        aria-label="Recovery codes"
        className="mono grid gap-x-6 gap-y-1 rounded-lg border bg-page px-4 py-3 sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <Button icon={<Copy size={14} aria-hidden />} onClick={() => void copyText(text)}>
          Copy all
        </Button>
        <Button
          icon={<Download size={14} aria-hidden />}
          onClick={() => download(`flowforge-recovery-codes-${username}.txt`, 'text/plain', text)}
        >
          Download
        </Button>
      </div>
    </>
  )
}
