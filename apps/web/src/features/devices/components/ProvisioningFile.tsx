import { Download } from 'lucide-react'
import { download } from '../../../lib/download.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { useSettings } from '../../account/index.ts'
import { isLocalAddress } from '../agent-lines.ts'
import { provisioningFile } from '../credentials-file.ts'
import { LocalAddress } from './Onboarding.tsx'

/** The file with which agents register themselves, this once [PROV-10]. */
export function ProvisioningFile(props: { name: string; teamId: string; token: string }) {
  const address = useSettings()?.base_url ?? location.origin
  const text = provisioningFile({ ...props, address })
  return (
    <>
      {isLocalAddress(address) && <LocalAddress address={address} />}
      <Banner kind="warning">Shown once. Anyone with this file can add devices to the team.</Banner>
      <pre
        aria-label="Provisioning file"
        className="mono rounded-lg border bg-page px-3.5 py-2.5 text-md break-all whitespace-pre-wrap"
      >
        {text}
      </pre>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={<Download size={14} aria-hidden />}
          onClick={() => download('device.yml', 'application/yaml', text)}
        >
          Download
        </Button>
        <CopyButton text={text} label="Copy" />
      </div>
    </>
  )
}
