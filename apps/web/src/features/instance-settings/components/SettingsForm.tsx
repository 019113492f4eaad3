import type { ReactNode, Ref } from 'react'

/** A form whose page keeps the values of its fields: Enter in a one-line field does what its submit button does. */
export function SettingsForm(props: {
  onSave: () => void
  id?: string
  className?: string
  ref?: Ref<HTMLFormElement>
  children: ReactNode
}) {
  const { onSave, id, className = 'flex flex-col gap-4', ref, children } = props
  return (
    <form
      ref={ref}
      id={id}
      noValidate
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        onSave()
      }}
    >
      {children}
    </form>
  )
}
