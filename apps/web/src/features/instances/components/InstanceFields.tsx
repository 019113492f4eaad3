import type { InstanceType, TemplateSummary } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Dices } from 'lucide-react'
import { useEffect } from 'react'
import { Banner } from '../../../ui/Banner.tsx'
import { Field, type FormOf } from '../../../ui/Form.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Markdown } from '../../../ui/Markdown.tsx'
import { RadioTiles } from '../../../ui/RadioTiles.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { stacksQuery } from '../../catalogue/index.ts'
import { randomName } from '../names.ts'
import { canChoose, stackHelp, stackOptions } from '../stack-choice.ts'
import { type ChosenType, templateHelp, templateOptions, typeTile } from '../type-choice.ts'
import type { InstanceValues } from './instance-values.ts'

/** Name, type, stack and template of a new instance. */
export function InstanceFields({
  form,
  types,
  templates,
}: {
  form: FormOf<InstanceValues>
  types: ChosenType[]
  templates: TemplateSummary[]
}) {
  const rename = () => form.setValue('name', randomName(), { shouldValidate: true, shouldDirty: true })
  return (
    <>
      <Field
        form={form}
        name="name"
        label="Instance name"
        help="The name is part of the instance's address and can not be changed later."
      >
        {(field) => (
          <div className="flex gap-2">
            <Input {...field} autoComplete="off" autoCapitalize="none" spellCheck={false} />
            <IconButton label="New name" onClick={rename}>
              <Dices size={16} aria-hidden />
            </IconButton>
          </div>
        )}
      </Field>
      {types.length === 0 ? (
        <Banner kind="warning">No instance types available. Ask an Administrator to create a new instance type</Banner>
      ) : (
        <>
          <Field form={form} name="projectType" label="Instance type" group>
            {(field) => (
              <RadioTiles
                {...field}
                tiles={types.map((type) => ({
                  ...typeTile(type),
                  description: <Markdown text={type.description} plain />,
                }))}
              />
            )}
          </Field>
          <StackField form={form} types={types} />
        </>
      )}
      {templates.length === 0 ? (
        <Banner kind="warning">No templates available. Ask an Administrator to create a new template definition</Banner>
      ) : (
        <Field form={form} name="template" label="Template" help={templateHelp(templates, form.watch('template'))}>
          {(field) => <Select {...field} options={templateOptions(templates)} />}
        </Field>
      )}
    </>
  )
}

/** The active stacks of the chosen type; another type brings its own default along. */
function StackField({ form, types }: { form: FormOf<InstanceValues>; types: InstanceType[] }) {
  const type = form.watch('projectType')
  const { data: stacks } = useQuery(stacksQuery(type))
  const { getValues, setValue } = form
  const usual = types.find(({ id }) => id === type)?.defaultStack
  useEffect(() => {
    const open = stacks?.filter((one) => canChoose(one, stacks, usual))
    if (!open || open.some(({ id }) => id === getValues('stack'))) return
    const stack = open.find(({ id }) => id === usual) ?? open[0]
    setValue('stack', stack?.id ?? '', { shouldValidate: stack !== undefined })
  }, [stacks, usual, getValues, setValue])

  if (stacks?.length === 0) {
    return (
      <Banner kind="warning">
        No stacks available for this instance type. Ask an Administrator to create a new stack definition
      </Banner>
    )
  }
  return (
    <Field form={form} name="stack" label="Stack" help={stackHelp(stacks ?? [], usual)}>
      {(field) => (stacks ? <Select {...field} options={stackOptions(stacks, usual)} /> : <Skeleton className="h-8" />)}
    </Field>
  )
}
