import { useState } from 'react'
import { ApiError } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Direction } from '../../../ui/Direction.tsx'
import { FileInput } from '../../../ui/FileInput.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { DeployButton, Preview, useInstall, usePreview } from '../../deployments/index.ts'
import { OpenEditorsNotice, useCurrentInstance } from '../../instances/index.ts'
import { fileFault } from '../import-files.ts'
import { useImport } from '../settings.queries.ts'

const json = '.json,application/json'

/**
 * Flows and credentials from files, in the place of those that are there. It begins anew whenever it is opened: the answer
 * to an import from before is not for the files that are chosen now.
 */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { id, name } = useCurrentInstance()
  const [flows, setFlows] = useState<string>()
  /** Counts the files, so that each is looked at once. */
  const [serial, setSerial] = useState(0)
  const take = (text: string | undefined) => {
    setFlows(text)
    setSerial(serial + 1)
  }
  const [credentials, setCredentials] = useState<string>()
  const [secret, setSecret] = useState('')
  const [refused, setRefused] = useState<Record<string, string>>({})
  const { mutate, isPending } = useImport(id)
  const flowsFault = flows === undefined ? undefined : (fileFault(flows, 'flows') ?? refused.flows)
  const credentialsFault =
    credentials === undefined ? undefined : (fileFault(credentials, 'credentials') ?? refused.credentials)
  const draft = { files: { flows } }
  const isReadable = flows !== undefined && !flowsFault
  const preview = usePreview(id, `${serial}`, isReadable ? draft : undefined)
  const install = useInstall(preview.data?.foreseen)
  const needsSecret = credentials !== undefined
  const ready = flows !== undefined && !flowsFault && !credentialsFault && (!needsSecret || secret.trim() !== '')
  const send = () => {
    if (!ready) return
    const body = { flows, ...install.sent, ...(needsSecret ? { credentials, credsSecret: secret.trim() } : {}) }
    mutate(body, {
      onSuccess: onClose,
      onError: (error) => {
        if (error instanceof ApiError) setRefused(error.fields)
      },
    })
  }
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Import Flows"
      description={
        <>
          Replaces the flows of <b className="font-semibold text-ink">{name}</b> with those from the file. A running
          instance restarts. The current flows are restored if it does not start.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <DeployButton
            verb="Import"
            choice={install}
            disabled={!ready || preview.isPending}
            loading={isPending}
            onClick={send}
          />
        </>
      }
    >
      <Direction from={{ name: 'Flow file' }} to={{ name, note: 'Current flows' }} />
      <OpenEditorsNotice instance={{ id }} />
      <FormRow
        label="Flow file"
        error={flowsFault}
        help="Exported from the editor, or the flows.json of your own Node-RED."
      >
        <FileInput accept={json} onText={take} />
      </FormRow>
      <FormRow
        label="Credentials file"
        error={credentialsFault}
        help="Optional: the flows_cred.json from the same folder."
      >
        <FileInput accept={json} onText={setCredentials} />
      </FormRow>
      <FormRow
        label="Credentials secret"
        disabled={!needsSecret}
        error={refused.credsSecret}
        help="The secret that encrypts the credentials: credentialSecret in its settings.js."
      >
        <PasswordInput
          value={secret}
          autoComplete="off"
          onChange={(event) => {
            setRefused({})
            setSecret(event.target.value)
          }}
        />
      </FormRow>
      {isReadable && (
        <Preview instanceId={id} token={`${serial}`} draft={draft} install={install} withCredentials={needsSecret} />
      )}
    </Dialog>
  )
}
