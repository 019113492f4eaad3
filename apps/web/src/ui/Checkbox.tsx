import { Check, Minus } from 'lucide-react'
import { Checkbox as Radix, Switch as RadixSwitch } from 'radix-ui'
import { type ReactNode, type Ref, useId } from 'react'
import { useField } from './field-context.ts'

type Props = {
  checked: boolean
  onChange: (checked: boolean) => void
  label: ReactNode
  help?: ReactNode
  disabled?: boolean
  onBlur?: () => void
  ref?: Ref<HTMLButtonElement>
}

/** Yes or no, saved with the form. `mixed` stands between, for a box that speaks for several. */
export function Checkbox({ checked, onChange, mixed, ...rest }: Props & { mixed?: boolean }) {
  return (
    <Labelled {...rest}>
      {(attributes) => (
        <Radix.Root
          {...attributes}
          checked={mixed ? 'indeterminate' : checked}
          onCheckedChange={(next) => onChange(next === true)}
          className="grid size-4 flex-none place-items-center rounded-sm border border-control bg-page text-on-accent disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent"
        >
          <Radix.Indicator>{mixed ? <Minus size={12} strokeWidth={3} /> : <Check size={12} strokeWidth={3} />}</Radix.Indicator>
        </Radix.Root>
      )}
    </Labelled>
  )
}

/** On or off, at once. */
export function Switch({ checked, onChange, ...rest }: Props) {
  return (
    <Labelled {...rest}>
      {(attributes) => (
        <RadixSwitch.Root
          {...attributes}
          checked={checked}
          onCheckedChange={onChange}
          className="h-5 w-8.5 flex-none rounded-full border border-control bg-track p-0.5 transition-colors disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
        >
          <RadixSwitch.Thumb className="block size-3.5 rounded-full bg-control transition-transform data-[state=checked]:translate-x-3.5 data-[state=checked]:bg-on-accent" />
        </RadixSwitch.Root>
      )}
    </Labelled>
  )
}

type Attributes = ReturnType<typeof useField> & { ref: Ref<HTMLButtonElement> | undefined; onBlur: (() => void) | undefined }

function Labelled(props: Omit<Props, 'checked' | 'onChange'> & { children: (attributes: Attributes) => ReactNode }) {
  const own = useId()
  const helpId = `${own}-help`
  const field = useField({ id: own, disabled: props.disabled, 'aria-describedby': props.help ? helpId : undefined })
  return (
    <div className="flex items-start gap-2.5">
      <span className="flex h-5 items-center">{props.children({ ...field, ref: props.ref, onBlur: props.onBlur })}</span>
      <div className="min-w-0">
        <label htmlFor={own} className={field.disabled ? 'text-muted' : undefined}>
          {props.label}
        </label>
        {props.help && (
          <div id={helpId} className="text-sm text-muted">
            {props.help}
          </div>
        )}
      </div>
    </div>
  )
}
