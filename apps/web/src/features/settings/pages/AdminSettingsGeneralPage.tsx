import type { PlatformSettings } from '@app/contract'
import { Fragment, useState } from 'react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useUnsavedGuard } from '../../../lib/use-unsaved-guard.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { useSettings } from '../../account/index.ts'
import { SettingsForm } from '../../instance-settings/index.ts'
import { RequireForAll } from '../../second-factor/index.ts'
import { useSavePlatformSettings } from '../settings.queries.ts'
import { Banners } from '../components/Banners.tsx'
import { StatsToken } from '../components/StatsToken.tsx'
import { TermsFields } from '../components/TermsFields.tsx'
import { TrialFields } from '../components/TrialFields.tsx'
import {
  changesOf,
  faultsOf,
  mailText,
  offersTelemetry,
  type SettingOption,
  sections,
  telemetryOption,
} from '../settings-options.ts'

/** Platform-wide permissions [ASET-03]. */
export function AdminSettingsGeneralPage() {
  usePageTitle('General', 'Settings')
  const settings = useSettings()
  return settings ? <General saved={settings} /> : <SkeletonCard rows={6} />
}

function General({ saved }: { saved: PlatformSettings }) {
  const [edited, setEdited] = useState<Partial<PlatformSettings>>({})
  const { mutateAsync: save, isPending } = useSavePlatformSettings()
  const now = { ...saved, ...edited }
  const changes = changesOf(saved, edited)
  const faults = faultsOf(now)
  const dirty = Object.keys(changes).length > 0
  useUnsavedGuard(dirty && !isPending)
  const set = (change: Partial<PlatformSettings>) => setEdited({ ...edited, ...change })
  const submit = async () => {
    await save(changes)
    setEdited({})
  }
  const option = ({ key, label, help, needsMail }: SettingOption) => {
    const blocked = needsMail === true && !saved.email
    return (
      <Checkbox
        label={label}
        help={
          blocked ? (
            <>
              {mailText}. <TextLink to="/admin/settings/email">Set up email</TextLink>
            </>
          ) : (
            help
          )
        }
        disabled={blocked}
        checked={now[key] === true}
        onChange={(on) => set({ [key]: on })}
      />
    )
  }
  return (
    <div className="flex max-w-180 flex-col gap-4">
      <SettingsForm onSave={() => void submit().catch(() => undefined)}>
        {sections.map(({ title, options }) => (
          <Card key={title} title={title} padded>
            <div className="flex flex-col gap-4">
              {options.map((one) => (
                <Fragment key={one.key}>
                  {option(one)}
                  {one.key === 'user:signup' && <Banners settings={now} onChange={set} />}
                  {one.key === 'user:team:auto-create' && <TrialFields settings={now} faults={faults} onChange={set} />}
                </Fragment>
              ))}
              {title === 'Users' && (
                <TermsFields settings={now} saved={saved} fault={faults['user:tcs-url']} onChange={set} />
              )}
            </div>
          </Card>
        ))}
        <Card title="Platform" padded>
          <div className="flex flex-col gap-5">
            <StatsToken present={saved['platform:stats:token'] === true} />
            {offersTelemetry(saved) && option(telemetryOption(saved))}
          </div>
        </Card>
        <div>
          <Button
            type="submit"
            variant="primary"
            disabled={!dirty || Object.keys(faults).length > 0}
            loading={isPending}
          >
            Save settings
          </Button>
        </div>
      </SettingsForm>
      <RequireForAll />
    </div>
  )
}
