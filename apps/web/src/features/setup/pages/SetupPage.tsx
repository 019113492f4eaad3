import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Button } from '../../../ui/Button.tsx'
import { setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { settingsQuery } from '../../account/index.ts'
import { Administrator, AdministratorForm } from '../components/AdministratorForm.tsx'
import { AuthorityNote } from '../components/AuthorityNote.tsx'
import { NamesNote } from '../components/NamesNote.tsx'
import { type FirstTeam, FirstTeamForm } from '../components/FirstTeamForm.tsx'
import { RestoreForm } from '../components/RestoreForm.tsx'
import { SampleProgress } from '../components/SampleProgress.tsx'
import { useSetup } from '../setup.queries.ts'
import { SetupNeeded } from './SetupNeeded.tsx'

type Step =
  | { name: 'restore' }
  | { name: 'administrator' }
  | { name: 'team' }
  | { name: 'progress'; instanceId: string }
const titles = {
  restore: ['Restore from a backup', 'The backup replaces this new platform. Its users and instances are restored.'],
  administrator: ['Set up FlowForge', 'Step 1 of 2: the administrator. You can invite others later.'],
  team: ['Create your first team', 'Step 2 of 2: people, applications and instances live in teams.'],
  progress: ['Starting your first instance', 'A real Node-RED is being prepared for you.'],
} as const

/** The one-time link's page: the administrator, a first team, and a sample instance on its way. */
export function SetupPage() {
  const token = location.hash.slice(1)
  const navigate = useNavigate()
  const { data: settings } = useQuery(settingsQuery)
  const [step, setStep] = useState<Step>({ name: 'administrator' })
  const [restoring, setRestoring] = useState(false)
  const { mutateAsync: setup, isPending, isSuccess, variables } = useSetup()
  const form = useZodForm(Administrator, { defaultValues: { username: '', name: '', email: '', password: '' } })
  const [title, explanation] = titles[step.name]
  usePageTitle(title)

  async function claim(team: FirstTeam | undefined) {
    const { name, ...administrator } = form.getValues()
    try {
      const made = await setup({ token, ...administrator, ...(name ? { name } : {}), ...(team ? { team } : {}) })
      if (made.instance) return setStep({ name: 'progress', instanceId: made.instance.id })
      await navigate({ to: made.team ? `/team/${made.team.slug}/applications` : '/', replace: true })
    } catch (error) {
      if (!(error instanceof ApiError)) return
      setStep({ name: 'administrator' })
      const { fields, message } = error
      setFieldErrors(form, Object.keys(fields).length > 0 ? fields : { root: message })
    }
  }

  const claimed = restoring || isSuccess || isPending || step.name === 'progress'
  if (settings && !settings.setup && !claimed) return <Navigate to="/" replace />
  if (token === '' && !claimed) return <SetupNeeded />
  const authority = settings?.['tls:authority']
  const instances = settings?.['setup:instances']
  const notes = (
    <>
      {authority && <AuthorityNote fingerprint={authority.fingerprint} />}
      {instances && <NamesNote addresses={instances} />}
    </>
  )
  return (
    <BoxedLayout title={title} top={notes}>
      <p className="-mt-3 text-muted">{explanation}</p>
      {step.name === 'administrator' && (
        <>
          <AdministratorForm form={form} onNext={() => setStep({ name: 'team' })} />
          <div className="flex justify-center border-t pt-3">
            <Button variant="ghost" onClick={() => setStep({ name: 'restore' })}>
              Restore from a backup instead
            </Button>
          </div>
        </>
      )}
      {step.name === 'restore' && (
        <RestoreForm
          token={token}
          onBack={() => setStep({ name: 'administrator' })}
          onBegun={() => setRestoring(true)}
        />
      )}
      {step.name === 'team' && (
        <FirstTeamForm
          skipping={isPending && variables.team === undefined}
          onBack={() => setStep({ name: 'administrator' })}
          onDone={claim}
        />
      )}
      {step.name === 'progress' && <SampleProgress instanceId={step.instanceId} />}
    </BoxedLayout>
  )
}
