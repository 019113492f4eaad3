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

/**
 * Yes or no, saved with the form. `mixed` stands between, for a box that speaks for several. A `bare` box shows no
 * label: it is only read aloud.
 */
export function Checkbox({
  checked,
  onChange,
  mixed,
  bare,
  ref,
  onBlur,
  ...text
}: Props & { mixed?: boolean; bare?: boolean }) {
  const { attributes, helpId } = useLabelled(text)
  const box = (
    <Radix.Root
      {...attributes}
      aria-label={bare && typeof text.label === 'string' ? text.label : undefined}
      ref={ref}
      onBlur={onBlur}
      checked={mixed ? 'indeterminate' : checked}
      onCheckedChange={(next) => onChange(next === true)}
      className="grid size-4 flex-none place-items-center rounded-sm border border-control bg-page text-on-accent disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent"
    >
      <Radix.Indicator>
        {mixed ? <Minus size={12} strokeWidth={3} /> : <Check size={12} strokeWidth={3} />}
      </Radix.Indicator>
    </Radix.Root>
  )
  if (bare) return <span className="flex h-5 items-center">{box}</span>
  return <Labelled {...text} id={attributes.id} helpId={helpId} control={box} />
}

/** On or off, at once. */
export function Switch({ checked, onChange, ref, onBlur, ...text }: Props) {
  const { attributes, helpId } = useLabelled(text)
  const knob = (
    <RadixSwitch.Root
      {...attributes}
      ref={ref}
      onBlur={onBlur}
      checked={checked}
      onCheckedChange={onChange}
      className="h-5 w-8.5 flex-none rounded-full border border-control bg-track p-0.5 transition-colors disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
    >
      <RadixSwitch.Thumb className="block size-3.5 rounded-full bg-control transition-transform data-[state=checked]:translate-x-3.5 data-[state=checked]:bg-on-accent" />
    </RadixSwitch.Root>
  )
  return <Labelled {...text} id={attributes.id} helpId={helpId} control={knob} />
}

type Text = { label: ReactNode; help?: ReactNode; disabled?: boolean }

function useLabelled(text: Text) {
  const id = useId()
  const helpId = `${id}-help`
  const field = useField({ id, disabled: text.disabled, 'aria-describedby': text.help ? helpId : undefined })
  return { attributes: { ...field, id }, helpId }
}

function Labelled(props: Text & { id: string; helpId: string; control: ReactNode }) {
  return (
    <div className="flex items-start gap-2.5">
      <span className="flex h-5 items-center">{props.control}</span>
      <div className="min-w-0">
        <label htmlFor={props.id} className={props.disabled ? 'text-muted' : undefined}>
          {props.label}
        </label>
        {props.help && (
          <div id={props.helpId} className="text-sm text-muted">
            {props.help}
          </div>
        )}
      </div>
    </div>
  )
}
