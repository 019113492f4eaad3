import type { DeviceDetails } from '@app/contract'
import { useCan } from '../../../lib/can.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Card } from '../../../ui/Card.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { SaveBar } from '../../instance-settings/index.ts'
import { type NodeRed, useNodeRedForm } from '../nodered-form.ts'
import { memoryState, versionState } from '../nodered-state.ts'

/** Settings of Node-RED on a device, where its agent knows them. */
export function NodeRedSettings({ device }: { device: DeviceDetails }) {
  const { nodeRed } = device
  if (nodeRed) return <NodeRedForm device={device} nodeRed={nodeRed} />
  return (
    <Card title="Node-RED" padded>
      <p className="text-muted">
        The agent of this device does not know these settings. Install the agent of FlowForge to use them.
      </p>
    </Card>
  )
}

/** The form of somebody who may not edit shows no fields of passwords: they are never shown again, and so always empty. */
function NodeRedForm({ device, nodeRed }: { device: DeviceDetails; nodeRed: NodeRed }) {
  const mayEdit = useCan('device:edit')
  const form = useNodeRedForm(device.id, nodeRed)
  const { errors, input } = form
  const memory = (
    <Help text="Counts from the next restart. Empty: as the device's file says, or 256." state={memoryState(nodeRed)} />
  )
  const version = (
    <Help text="Installed beside the running one. Empty: as the target snapshot says." state={versionState(device)} />
  )
  return (
    <>
      <Card title="Node-RED" padded>
        <div className="flex max-w-130 flex-col gap-5">
          <FormRow label="Memory limit in MB" help={memory} error={errors.memory} disabled={!mayEdit}>
            <Input inputMode="numeric" placeholder="256" {...input('memory')} />
          </FormRow>
          <FormRow label="Node-RED version" help={version} error={errors.version} disabled={!mayEdit}>
            <Input placeholder="5.0.7" {...input('version')} />
          </FormRow>
          {nodeRed.warning !== null && <Banner kind="warning">{nodeRed.warning}</Banner>}
        </div>
      </Card>
      <Card title="Palette" padded>
        <div className="flex max-w-130 flex-col gap-5">
          <FormRow
            label="Allowed nodes"
            help="Comma-separated. Only these and the modules of the target. Empty: all that are not denied."
            error={errors.allowList}
            disabled={!mayEdit}
          >
            <Input placeholder="package-name@semVer, @scope/*" {...input('allowList')} />
          </FormRow>
          <FormRow
            label="Denied nodes"
            help="Comma-separated, besides those that the template denies."
            error={errors.denyList}
            disabled={!mayEdit}
          >
            <Input placeholder="package-name@semVer, foo@^0.1.0, @scope/*" {...input('denyList')} />
          </FormRow>
          <FormRow
            label="Catalogues"
            help="Comma-separated addresses for the palette manager. Empty: the catalogue of Node-RED."
            error={errors.catalogues}
            disabled={!mayEdit}
          >
            <Input placeholder="https://catalogue.nodered.org/catalogue.json" {...input('catalogues')} />
          </FormRow>
        </div>
      </Card>
      <Card title="Security" padded>
        <div className="flex max-w-130 flex-col gap-5">
          <p className="text-muted">
            The editor that you open from here always uses the sign-in of the platform. The sign-ins below work on the
            device itself, also without the platform.
          </p>
          <FormRow
            label="Editor user name"
            help="Opens the editor at /device-editor/ of the device in developer mode. Empty: closed."
            error={errors['editorAuth.user']}
            disabled={!mayEdit}
          >
            <Input {...input('editorAuth.user')} />
          </FormRow>
          {mayEdit && (
            <FormRow label="Editor password" error={errors['editorAuth.password']} disabled={!mayEdit}>
              <PasswordInput {...input('editorAuth.password')} {...secret(nodeRed.editorAuth)} />
            </FormRow>
          )}
          <FormRow
            label="HTTP user name"
            help="Protects dashboards and everything that flows serve. Empty: as its instance is protected."
            error={errors['httpAuth.user']}
            disabled={!mayEdit}
          >
            <Input {...input('httpAuth.user')} />
          </FormRow>
          {mayEdit && (
            <FormRow label="HTTP password" error={errors['httpAuth.password']} disabled={!mayEdit}>
              <PasswordInput {...input('httpAuth.password')} {...secret(nodeRed.httpAuth)} />
            </FormRow>
          )}
        </div>
      </Card>
      {mayEdit && <SaveBar {...form} />}
    </>
  )
}

/** A password that is kept is never shown. */
const secret = (kept: object | null) => ({ autoComplete: 'new-password', placeholder: kept ? '••••••••' : '' })

/** The effect of a setting, and how far the device has it. */
const Help = ({ text, state }: { text: string; state: string | undefined }) => (
  <>
    {text}
    {state !== undefined && <span className="block text-ink">{state}</span>}
  </>
)
