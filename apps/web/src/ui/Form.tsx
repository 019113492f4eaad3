import { sentenceOf } from '@app/contract/sentences'
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import type { ReactElement, ReactNode } from 'react'
import {
  type ControllerRenderProps,
  type DefaultValues,
  type FieldPath,
  type FieldValues,
  type UseFormReturn,
  useController,
  useForm,
  useFormState,
} from 'react-hook-form'
import * as z from 'zod/mini'
import { changedSince } from '../lib/changed-since.ts'
import { Banner } from './Banner.tsx'
import { Button, type ButtonProps } from './Button.tsx'
import { FormRow } from './FormRow.tsx'

z.config({ customError: sentenceOf })

/** A form whose values come out as V. */
export type FormOf<V extends FieldValues> = UseFormReturn<V, unknown, V>

/**
 * A form checked by a zod/mini schema. A field is judged when it is left, and again with every change after that.
 * `values` from the server may arrive late: what the person has not touched follows them.
 */
export function useZodForm<V extends FieldValues>(
  schema: z.ZodMiniType<V, V>,
  initial: { defaultValues: DefaultValues<V>; values?: V | undefined },
): FormOf<V> {
  return useForm<V, unknown, V>({
    resolver: standardSchemaResolver(schema),
    mode: 'onTouched',
    defaultValues: initial.defaultValues,
    ...(initial.values ? { values: initial.values, resetOptions: { keepDirtyValues: true } } : {}),
  })
}

/** Enter submits; the first bad field gets focus. An error without a field (`root`) shows above the buttons. */
export function Form<V extends FieldValues>({
  form,
  onSubmit,
  id,
  className = 'flex max-w-180 flex-col gap-5',
  children,
}: {
  form: FormOf<V>
  onSubmit: (values: V) => void | Promise<void>
  id?: string
  className?: string
  children: ReactNode
}) {
  return (
    <form id={id} noValidate className={className} onSubmit={(event) => void form.handleSubmit(onSubmit)(event)}>
      {children}
    </form>
  )
}

/** One row of a form: wires a control of this system to a field by name. */
export function Field<V extends FieldValues, N extends FieldPath<V>>({
  form,
  name,
  children,
  ...row
}: {
  form: FormOf<V>
  name: N
  label: ReactNode
  help?: ReactNode
  disabled?: boolean
  /** For RadioTiles. */
  group?: boolean
  children: (field: ControllerRenderProps<V, N>) => ReactElement
}) {
  const { field, fieldState } = useController<V, N, V>({ control: form.control, name })
  return (
    <FormRow {...row} error={fieldState.error?.message}>
      {children(field)}
    </FormRow>
  )
}

/** The error of the whole form, when no field is to blame. */
export function FormError<V extends FieldValues>({ form }: { form: FormOf<V> }) {
  const { errors } = useFormState({ control: form.control })
  return errors.root?.message ? <Banner kind="error">{errors.root.message}</Banner> : null
}

/** The button that does what the form is for; turns while it is at work. */
export function SubmitButton<V extends FieldValues>({
  form,
  ...button
}: Omit<ButtonProps, 'form'> & { form: FormOf<V> }) {
  const { isSubmitting } = useFormState({ control: form.control })
  return <Button variant="primary" {...button} type="submit" loading={isSubmitting} />
}

/** Takes what the server saved of a form. What was typed since it was sent stays, to be saved next. */
export function settle<V extends FieldValues>(form: FormOf<V>, sent: V, saved: V): void {
  const typed = changedSince(sent, form.getValues())
  form.reset(saved)
  for (const [name, value] of Object.entries(typed))
    form.setValue(name as FieldPath<V>, value, { shouldDirty: true, shouldTouch: true })
}

/** Puts the server's sentences beside their fields and the focus on the first. Unknown names go above the buttons. */
export function setFieldErrors<V extends FieldValues>(form: FormOf<V>, errors: Record<string, string>): void {
  let focus = true
  for (const [name, message] of Object.entries(errors)) {
    const known = name in form.getValues()
    form.setError(known ? (name as FieldPath<V>) : 'root', { type: 'server', message }, { shouldFocus: known && focus })
    if (known) focus = false
  }
}
