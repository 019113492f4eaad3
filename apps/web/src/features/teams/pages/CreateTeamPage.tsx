import { Slug, slugFor, TeamName } from '@app/contract/teams'
import { type TeamType, teamTypePrice } from '@app/contract/team-types'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { ApiError, hasStatus } from '../../../lib/api.ts'
import { NoAccess, PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { ButtonLink } from '../../../ui/Button.tsx'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { RadioTiles } from '../../../ui/RadioTiles.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { useMayCreateTeams, useSettings, useUser } from '../../account/index.ts'
import { useSlugCheck } from '../components/use-slug-check.ts'
import { teamTypesQuery, useCreateTeam } from '../teams.queries.ts'

const NewTeam = z.object({ type: z.string().check(z.minLength(1, 'Choose a team type')), name: TeamName, slug: Slug })
type NewTeam = z.output<typeof NewTeam>

/** A new team: its type, its name and the slug in its addresses. */
export function CreateTeamPage() {
  usePageTitle('Create Team')
  const { data: types, error, refetch } = useQuery(teamTypesQuery)
  if (!useMayCreateTeams()) {
    return <NoAccess>Only administrators create teams on this platform. Ask one of them for a team.</NoAccess>
  }
  if (error && !types) return <PageFailure error={error} onRetry={() => void refetch()} />
  return (
    <>
      <PageHeader title="Create Team" description="A place for people, their applications and instances." />
      {types ? <CreateTeamForm types={types} /> : <SkeletonCard rows={4} />}
    </>
  )
}

function CreateTeamForm({ types }: { types: TeamType[] }) {
  const navigate = useNavigate()
  const { mutateAsync: create } = useCreateTeam()
  const form = useZodForm(NewTeam, { defaultValues: { type: types[0]?.id ?? '', name: '', slug: '' } })
  const { setError, clearErrors, setValue, getFieldState } = form
  // Once somebody has typed a slug, be it to clear it, the name does not change it any more.
  const [isTyped, setTyped] = useState(false)
  const slug = form.watch('slug')
  const name = form.watch('name')
  const availability = useSlugCheck(slug)

  useEffect(() => {
    if (!isTyped) setValue('slug', slugFor(name), { shouldValidate: name !== '' })
  }, [name, isTyped, setValue])
  useEffect(() => {
    if (availability === 'taken') setError('slug', { type: 'taken', message: 'Slug unavailable' })
    // Another slug is not taken until it was checked; what the server said of the team itself stays. A message that goes
    // only when the field loses the focus would move the button from under the pointer that presses it.
    else if (getFieldState('slug').error?.type === 'taken') clearErrors('slug')
  }, [availability, setError, clearErrors, getFieldState])

  async function submit(values: NewTeam) {
    if (availability === 'taken') return setError('slug', { type: 'taken', message: 'Slug unavailable' })
    try {
      const team = await create(values)
      if (team.billingURL !== undefined) return location.assign(team.billingURL)
      await navigate({ to: '/team/$slug/applications', params: { slug: team.slug } })
    } catch (refusal) {
      if (!(refusal instanceof ApiError)) return
      const { fields, message } = refusal
      if (hasStatus(refusal, 409)) setError('slug', { message: 'Slug already in use' }, { shouldFocus: true })
      else setFieldErrors(form, Object.keys(fields).length > 0 ? fields : { root: message })
    }
  }

  if (types.length === 0)
    return <Banner kind="warning">No team types available. Ask an Administrator to create one.</Banner>
  return (
    <Form form={form} onSubmit={submit}>
      <FormError form={form} />
      <Field form={form} name="type" label="Team type" group>
        {(field) => (
          <RadioTiles
            {...field}
            tiles={types.map((type) => ({
              value: type.id,
              title: type.name,
              description: type.description,
              note: teamTypePrice(type).billingPrice,
            }))}
          />
        )}
      </Field>
      <BillingNote />
      <Field form={form} name="name" label="Team name">
        {(field) => <Input {...field} autoComplete="off" placeholder="Example Bakery" />}
      </Field>
      <Field form={form} name="slug" label="URL slug" help={`The team's address: ${location.host}/team/${slug || '…'}`}>
        {({ onChange, ...field }) => (
          <Input
            {...field}
            onChange={(event) => {
              setTyped(true)
              onChange(event)
            }}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-3">
        <SubmitButton form={form} disabled={name.trim() === '' || slug === ''}>
          Create Team
        </SubmitButton>
        <ButtonLink to="/" variant="ghost">
          Cancel
        </ButtonLink>
      </div>
    </Form>
  )
}

/** The next step for the creator of a team, where teams pay. */
function BillingNote() {
  const hasBilling = useSettings()?.features['billing'] === true
  const hasCredit = useUser().free_trial_available === true
  if (!hasBilling) return null
  return (
    <Banner>
      Next, the payment provider asks for payment details. The team can run instances after that.
      {hasCredit && ' Your first subscription starts with free credit.'}
    </Banner>
  )
}
