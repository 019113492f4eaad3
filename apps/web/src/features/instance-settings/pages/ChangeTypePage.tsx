import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { ButtonLink } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Markdown } from '../../../ui/Markdown.tsx'
import { RadioTiles } from '../../../ui/RadioTiles.tsx'
import { Select } from '../../../ui/Select.tsx'
import { useSettings } from '../../account/index.ts'
import { instanceTypesQuery, stacksQuery } from '../../catalogue/index.ts'
import { DeployButton, Preview, useInstall, usePreview } from '../../deployments/index.ts'
import { priceNote, stackOptions, stackOptionsOf, useCurrentInstance } from '../../instances/index.ts'
import { notices } from '../notices.ts'
import { useMoveInstance } from '../settings.queries.ts'

/** Another type for an instance, with a stack of it. */
export function ChangeTypePage() {
  const instance = useCurrentInstance()
  usePageTitle('Instance - Change Type')
  const navigate = useNavigate()
  const hasBilling = useSettings()?.features['billing'] === true
  const { data: types = [] } = useQuery(instanceTypesQuery)
  const [type, setType] = useState(instance.projectType.id)
  const { data: stacks = [] } = useQuery(stacksQuery(type))
  const [chosen, setChosen] = useState(instance.stack.id)
  const usual = types.find(({ id }) => id === type)?.defaultStack
  const isOwnType = type === instance.projectType.id
  const options = isOwnType ? stackOptionsOf(instance.stack, stacks, usual) : stackOptions(stacks, usual)
  const stack = [chosen, usual ?? undefined, options[0]?.value].find((id) => options.some(({ value }) => value === id))
  const { mutate, isPending } = useMoveInstance(instance.id)
  const same = isOwnType && stack === instance.stack.id
  const draft = { stack: stack ?? '', ...(type === '' ? {} : { projectType: type }) }
  const token = `${type}:${stack}`
  const preview = usePreview(instance.id, token, stack && !same ? draft : undefined)
  const install = useInstall(preview.data?.foreseen)
  const back = `/instance/${instance.id}/settings/general`
  const change = () => {
    // One whose type is gone, on a page that could not read the types either.
    if (!type) return notices.noInstance()
    if (!stack) return
    mutate({ projectType: type, stack, ...install.sent }, { onSuccess: () => void navigate({ to: back }) })
  }
  return (
    <Card title="Change Instance Type" padded>
      <div className="flex max-w-130 flex-col gap-5">
        <FormRow label="Instance type" group>
          <RadioTiles
            value={type}
            onChange={setType}
            tiles={types.map(({ id, name, description, properties }) => ({
              value: id,
              title: name,
              note: hasBilling && priceNote(properties),
              description: <Markdown text={description} plain />,
            }))}
          />
        </FormRow>
        <FormRow label="Stack">
          <Select value={stack} onChange={setChosen} options={options} />
        </FormRow>
        <p className="text-muted">A running instance restarts on them. Flows, credentials and modules stay.</p>
        {stack && !same && <Preview instanceId={instance.id} token={token} draft={draft} install={install} checked />}
        <div className="flex gap-3">
          <DeployButton
            verb="Change Type"
            choice={install}
            disabled={type !== '' && (same || !stack || preview.isPending)}
            loading={isPending}
            onClick={change}
          />
          <ButtonLink to={back} variant="ghost">
            Cancel
          </ButtonLink>
        </div>
      </div>
    </Card>
  )
}
