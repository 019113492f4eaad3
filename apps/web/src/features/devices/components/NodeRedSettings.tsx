import type { DeviceDetails } from '@app/contract'
import type { ReactNode } from 'react'
import { useCan } from '../../../lib/can.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Card } from '../../../ui/Card.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { useFirstFault } from '../../../ui/use-first-fault.ts'
import { SaveBar, SettingsForm } from '../../instance-settings/index.ts'
import { type NodeRed, useNodeRedForm } from '../nodered-form.ts'
import { memoryState, versionState } from '../nodered-state.ts'
import type { Texts } from '../nodered-texts.ts'

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
  const fields = useFirstFault<HTMLFormElement>(form.refused)
  const row = { form, mayEdit }
  const memory = (
    <Help
      text="Counts from the next restart. Empty: as the device's file says, or 256."
      state={memoryState(nodeRed, device.status === 'offline')}
    />
  )
  const version = (
    <Help text="Installed beside the running one. Empty: as the target snapshot says." state={versionState(device)} />
  )
  return (
    <SettingsForm ref={fields} onSave={form.onSave}>
      <Part title="Node-RED">
        <Setting
          {...row}
          name="memory"
          label="Memory limit in MB"
          help={memory}
          placeholder="256"
          inputMode="numeric"
        />
        <Setting {...row} name="version" label="Node-RED version" help={version} placeholder="5.0.7" />
        {nodeRed.warning !== null && <Banner kind="warning">{nodeRed.warning}</Banner>}
      </Part>
      <Part title="Palette">
        <Setting
          {...row}
          name="allowList"
          label="Allowed nodes"
          help="Comma-separated. Only these and the modules of the target. Empty: all that are not denied."
          placeholder="package-name@semVer, @scope/*"
        />
        <Setting
          {...row}
          name="denyList"
          label="Denied nodes"
          help="Comma-separated, besides those that the template denies."
          placeholder="package-name@semVer, foo@^0.1.0, @scope/*"
        />
        <Setting
          {...row}
          name="catalogues"
          label="Catalogues"
          help="Comma-separated addresses for the palette manager. Empty: the catalogue of Node-RED."
          placeholder="https://catalogue.nodered.org/catalogue.json"
        />
      </Part>
      <Part title="Security">
        <p className="text-muted">
          The editor that you open from here always uses the sign-in of the platform. The sign-ins below work on the
          device itself, also without the platform.
        </p>
        <Setting
          {...row}
          name="editorAuth.user"
          label="Editor user name"
          help="Opens the editor at /device-editor/ of the device in developer mode. Empty: closed."
        />
        {mayEdit && (
          <FormRow label="Editor password" error={form.errors['editorAuth.password']}>
            <PasswordInput {...form.input('editorAuth.password')} {...secret(nodeRed.editorAuth)} />
          </FormRow>
        )}
        <Setting
          {...row}
          name="httpAuth.user"
          label="HTTP user name"
          help="Protects dashboards and everything that flows serve. Empty: as its instance is protected."
        />
        {mayEdit && (
          <FormRow label="HTTP password" error={form.errors['httpAuth.password']}>
            <PasswordInput {...form.input('httpAuth.password')} {...secret(nodeRed.httpAuth)} />
          </FormRow>
        )}
      </Part>
      {mayEdit && <SaveBar savable={form.savable} dirty={form.dirty} saving={form.saving} onReset={form.onReset} />}
    </SettingsForm>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Card title={title} padded>
    <div className="flex max-w-130 flex-col gap-5">{children}</div>
  </Card>
)

/** One text; whoever may not edit reads it, where an example in an empty field would pass for a value. */
function Setting(props: {
  form: ReturnType<typeof useNodeRedForm>
  mayEdit: boolean
  name: keyof Texts
  label: string
  help: ReactNode
  placeholder?: string
  inputMode?: 'numeric'
}) {
  const { form, mayEdit, name, label, help, ...more } = props
  const input = form.input(name)
  return (
    <FormRow
      label={label}
      help={help}
      error={form.errors[name]}
      {...(mayEdit ? {} : { uneditable: { value: input.value } })}
    >
      <Input {...input} {...more} />
    </FormRow>
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
