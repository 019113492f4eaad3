import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useUnsavedGuard } from '../../../lib/use-unsaved-guard.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Breadcrumb } from '../../../ui/Breadcrumb.tsx'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { SideTabs } from '../../../ui/SideTabs.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { toast } from '../../../ui/toast.ts'
import { flatNames, SettingsForm } from '../../instance-settings/index.ts'
import { templateQuery, useSaveTemplate } from '../catalogue.admin.queries.ts'
import {
  EnvironmentSection,
  PaletteSection,
  SecuritySection,
  SettingsSection,
} from '../components/TemplateSections.tsx'
import { fieldFaults, isOutdated, textOf, warn } from '../failures.ts'
import { newTemplate, type TemplateBase, useTemplateForm } from '../template-form.ts'

const sections = {
  settings: SettingsSection,
  security: SecuritySection,
  environment: EnvironmentSection,
  palette: PaletteSection,
}
const labels = { settings: 'Settings', security: 'Security', environment: 'Environment', palette: 'Palette' }
type Section = keyof typeof sections

/** The editor of a template, in sections; the id `create` stands for a new one [ATPL-08]. */
export function TemplatePage() {
  const { templateId = '' } = useParams({ strict: false }) as { templateId?: string }
  const source = useLocation({ select: ({ search }) => (search as { source?: string }).source })
  const isNew = templateId === 'create'
  const known = isNew ? source : templateId
  const { data, error, refetch } = useQuery({ ...templateQuery(known ?? ''), enabled: known !== undefined })
  usePageTitle(isNew ? 'Create a new template' : data?.name, 'Templates')
  if (known && error && !data) return <PageFailure error={error} onRetry={() => void refetch()} />
  if (known && !data)
    return (
      <>
        <PageHeader title="Template" />
        <SkeletonCard rows={8} />
      </>
    )
  if (!data) return <Editor saved={newTemplate} />
  if (!isNew)
    return <Editor key={data.id} id={data.id} saved={data} revision={data.revision} onReload={() => void refetch()} />
  return <Editor key={data.id} source={data.id} saved={{ ...data, name: `Copy of ${data.name}` }} />
}

function Editor(props: {
  id?: string
  source?: string
  revision?: number
  saved: TemplateBase
  onReload?: () => void
}) {
  const { id, source, revision, saved, onReload } = props
  const form = useTemplateForm(saved, id === undefined)
  const formId = useId()
  const navigate = useNavigate()
  const { mutateAsync, isPending } = useSaveTemplate(id)
  const [conflict, setConflict] = useState<string>()
  const base = `/admin/templates/${id ?? 'create'}`
  const section = useLocation({ select: ({ pathname }) => pathname.split('/').at(-1) }) as Section
  const Section = sections[section] ?? SettingsSection
  useUnsavedGuard(form.dirty && !isPending, base)

  const save = async () => {
    const body = id
      ? { ...form.body(), revision }
      : { name: form.values.name, ...form.body(), ...(source ? { source } : {}) }
    try {
      await mutateAsync(body)
      setConflict(undefined)
      if (!id) return await navigate({ to: '/admin/templates', ignoreBlocker: true })
      form.settle()
      toast.success('Template saved.')
    } catch (error) {
      if (isOutdated(error)) return setConflict(textOf(error))
      const faults = fieldFaults(error)
      const { name, description, ...rest } = faults
      form.refuse({ ...flatNames(rest), ...(name ? { name } : {}), ...(description ? { description } : {}) })
      warn(error)
    }
  }
  const ask = async () => {
    const sure = await confirm({
      title: 'Save changes',
      message: (
        <>
          <p>Instances that use this template must be restarted manually before changed settings take effect.</p>
          <p className="mt-2">
            Existing instances do not inherit changed default modules. Only new instances get them.
          </p>
        </>
      ),
      confirmLabel: 'Save changes',
    })
    if (sure) await save()
  }
  return (
    <>
      <PageHeader
        breadcrumb={<Breadcrumb items={[{ label: 'Templates', to: '/admin/templates' }]} />}
        title={id ? saved.name : 'Create a new template'}
        description="Locked settings cannot be changed by owners of instances."
        actions={
          id ? (
            <>
              <Button variant="ghost" disabled={!form.dirty || isPending} onClick={form.reset}>
                Discard changes
              </Button>
              <Button
                type="submit"
                form={formId}
                variant="primary"
                disabled={!form.dirty || !form.valid}
                loading={isPending}
              >
                Save changes
              </Button>
            </>
          ) : (
            <>
              <Button variant="ghost" onClick={() => void navigate({ to: '/admin/templates', ignoreBlocker: true })}>
                Cancel
              </Button>
              <Button type="submit" form={formId} variant="primary" disabled={!form.valid} loading={isPending}>
                Create template
              </Button>
            </>
          )
        }
      />
      {conflict && (
        <div className="mb-4">
          <Banner
            kind="warning"
            action={
              <Button
                size="sm"
                onClick={() => {
                  setConflict(undefined)
                  onReload?.()
                }}
              >
                Load the newer version
              </Button>
            }
          >
            {conflict}. Your changes stay on this page, and you can save them afterwards.
          </Banner>
        </div>
      )}
      <SideTabs
        label="Template"
        items={(Object.keys(labels) as Section[]).map((path) => ({ to: `${base}/${path}`, label: labels[path] }))}
      >
        <SettingsForm id={formId} onSave={() => void (id ? ask() : save())}>
          <Section form={form} />
        </SettingsForm>
      </SideTabs>
    </>
  )
}
