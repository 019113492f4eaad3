import { useState } from 'react'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Direction } from '../../../ui/Direction.tsx'
import { FileInput } from '../../../ui/FileInput.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { type Step, Steps } from '../../../ui/Steps.tsx'
import { formatSize } from '../../../lib/sizes.ts'
import { type Progress, restoreFrom } from '../restore.ts'

const order = ['sending', 'checking', 'restoring'] as const
const labels = {
  sending: 'Send the file',
  checking: 'Check the file',
  restoring: 'Restore and restart',
}

/** Restores a backup into a platform that is new and empty. */
export function RestoreForm({
  token,
  onBack,
  onBegun,
}: {
  token: string
  onBack: () => void
  /** From here on the platform may be another one at any moment. */
  onBegun: () => void
}) {
  const [file, setFile] = useState<File>()
  const [passphrase, setPassphrase] = useState('')
  const [progress, setProgress] = useState<Progress>()
  const refused = progress?.step === 'refused' ? progress : undefined
  const under = progress && !refused
  const [sent, setSent] = useState<File>()

  async function restore(given: File) {
    onBegun()
    setProgress({ step: 'sending', sent: 0 })
    await restoreFrom({ token, file: given, passphrase, isThere: sent === given }, (next) => {
      if (next.step !== 'sending') setSent(next.sent === given.size ? given : undefined)
      setProgress(next)
    })
  }

  if (under && file) return <Under file={file} progress={progress} />
  return (
    <form
      className="flex flex-col gap-4.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (file) void restore(file)
      }}
    >
      <p className="text-muted">
        Replaces this new, empty platform with everything in the backup: users, teams, instances and settings.
      </p>
      {file && <Direction from={{ name: file.name, note: formatSize(file.size) }} to={{ name: 'This platform' }} />}
      {refused && <Banner kind="error">{refused.error}</Banner>}
      <FormRow label="Backup" help="A file such as flowforge-20300101-033000-a1b2c3.tar.gz.age.">
        <FileInput accept=".age,.backup" onFile={setFile} />
      </FormRow>
      <FormRow label="Passphrase of the backup">
        <PasswordInput autoComplete="off" value={passphrase} onChange={(event) => setPassphrase(event.target.value)} />
      </FormRow>
      <Button variant="primary" type="submit" disabled={!file || passphrase === ''}>
        Restore
      </Button>
      <div>
        <Button variant="ghost" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  )
}

function Under({ file, progress }: { file: File; progress: Progress }) {
  const at = progress.step === 'restored' ? order.length : order.indexOf(progress.step as (typeof order)[number])
  const steps = order.map((id, n): Step => {
    const state = n < at ? 'done' : n === at ? 'now' : 'todo'
    if (id !== 'sending') return { id, label: labels[id], state }
    const text = `${formatSize(progress.sent)} of ${formatSize(file.size)}`
    return { id, label: labels[id], state, progress: { value: progress.sent, max: file.size, text } }
  })
  const over = progress.step === 'restored'
  return (
    <>
      <Steps
        title={over ? 'Restored' : file.name}
        steps={steps}
        end={
          over && (
            <Button variant="primary" onClick={() => location.assign('/')}>
              Sign in
            </Button>
          )
        }
      />
      <p className="text-muted">
        {over
          ? 'People sign in as before. Node-RED and its modules are downloaded again, and instances that ran start by themselves.'
          : (progress.text ?? 'Leave this page open. The server does not answer while it restores.')}
      </p>
    </>
  )
}
