import { useSettings } from '../../account/index.ts'
import { isLocalAddress } from '../agent-lines.ts'
import { provisioningFile } from '../credentials-file.ts'
import { LocalAddress } from './Onboarding.tsx'
import { SecretFile } from './SecretFile.tsx'

/** The file with which agents register themselves, this once [PROV-10]. */
export function ProvisioningFile(props: { name: string; teamId: string; token: string }) {
  const address = useSettings()?.base_url ?? location.origin
  return (
    <>
      {isLocalAddress(address) && <LocalAddress address={address} />}
      <SecretFile
        label="Provisioning file"
        risk="Anyone with this file can add devices to the team."
        fileName="device.yml"
        text={provisioningFile({ ...props, address })}
      />
    </>
  )
}
