import { type ComponentProps, createContext, useContext } from 'react'

/** Passed by a form row to the control inside it. */
export type FieldInfo = {
  id: string
  labelId: string
  describedBy: string | undefined
  invalid: boolean
  disabled: boolean
}

export const FieldContext = createContext<FieldInfo | undefined>(undefined)

type Given = {
  id?: string | undefined
  disabled?: boolean | undefined
  'aria-describedby'?: string | undefined
  'aria-invalid'?: ComponentProps<'input'>['aria-invalid']
}

/** Attributes that tie a control to the label, help and error of the row around it; its own props win. */
export function useField(given: Given = {}) {
  const row = useContext(FieldContext)
  return {
    id: given.id ?? row?.id,
    disabled: given.disabled ?? row?.disabled ?? false,
    'aria-describedby': given['aria-describedby'] ?? row?.describedBy,
    'aria-invalid': given['aria-invalid'] ?? (row?.invalid ? (true as const) : undefined),
  }
}

/** For controls that are a group of things (radios): the id of the text that names them. */
export function useFieldLabel(): string | undefined {
  return useContext(FieldContext)?.labelId
}
