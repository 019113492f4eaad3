import { Download } from 'lucide-react'
import { download } from '../../../lib/download.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'

/** A file with a secret, shown once: to read, to download and to copy. `risk` says what anyone with it can do. */
export function SecretFile(props: { label: string; risk: string; fileName: string; text: string }) {
  const { label, risk, fileName, text } = props
  return (
    <>
      <Banner kind="warning">Shown once. {risk}</Banner>
      <pre
        aria-label={label}
        className="mono rounded-lg border bg-page px-3.5 py-2.5 text-md break-all whitespace-pre-wrap"
      >
        {text}
      </pre>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={<Download size={14} aria-hidden />}
          onClick={() => download(fileName, 'application/yaml', text)}
        >
          Download
        </Button>
        <CopyButton text={text} label="Copy" />
      </div>
    </>
  )
}
