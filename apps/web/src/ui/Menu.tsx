import { DropdownMenu } from 'radix-ui'
import { type ReactElement, type ReactNode, useId } from 'react'
import { cn } from '../lib/cn.ts'
import { CountPill } from './Badge.tsx'
import { RouterLink } from './RouterLink.tsx'

export type MenuItem = {
  label: string
  icon?: ReactNode
  onSelect?: () => void
  /** A path of the console. */
  to?: string
  /** An address outside; opens a new tab. */
  href?: string
  danger?: boolean
  /** A sentence that says why it cannot be chosen now. Such an item is still reached by the keyboard, to be read. */
  obstacle?: string | undefined
  count?: number | undefined
  /** Marks the chosen one of several. */
  end?: ReactNode
}
export type MenuEntry = MenuItem | 'divider' | { heading: string } | { choose: MenuChoice } | { list: MenuItem[] }
/** A choice of one inside the menu. */
export type MenuChoice = {
  label: string
  value: string
  onChange: (value: string) => void
  options: { value: string; label: string; icon?: ReactNode }[]
}

const menuItemStyle =
  'flex h-8 w-full items-center gap-2.5 rounded-md px-2 outline-none select-none data-highlighted:bg-selected [&>svg]:text-muted'

/** A button that opens a list of actions. `{list}` is a part that scrolls past 200 px. */
export function Menu({
  trigger,
  items,
  header,
  label,
  align = 'end',
  open,
  onOpenChange,
}: {
  trigger: ReactElement
  items: MenuEntry[]
  header?: ReactNode
  /** The menu's name, when the trigger's text does not say it. */
  label?: string
  align?: 'start' | 'end'
  open?: boolean
  onOpenChange?: (open: boolean) => void
}) {
  return (
    <DropdownMenu.Root
      modal={false}
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange ? { onOpenChange } : {})}
    >
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        {/* A landmark of its own: floating at the end of the page, it would belong to none. */}
        <section aria-label={label ?? 'Menu'}>
          <DropdownMenu.Content
            align={align}
            sideOffset={4}
            collisionPadding={8}
            className="z-50 max-h-(--radix-dropdown-menu-content-available-height) w-max max-w-80 min-w-50 animate-pop overflow-y-auto rounded-lg border bg-raised p-1 shadow-raised"
          >
            {header}
            {items.map(renderEntry)}
          </DropdownMenu.Content>
        </section>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function renderEntry(entry: MenuEntry, index: number) {
  if (entry === 'divider')
    return <DropdownMenu.Separator key={`divider-${index}`} className="-mx-1 my-1 h-px bg-line" />
  if ('heading' in entry)
    return (
      <DropdownMenu.Label key={entry.heading} className="px-2 pt-2 pb-1 text-xs font-semibold text-muted">
        {entry.heading}
      </DropdownMenu.Label>
    )
  if ('list' in entry)
    return (
      <DropdownMenu.Group key={`list-${index}`} className="max-h-50 overflow-y-auto">
        {entry.list.map((item) => (
          <Item key={item.to ?? item.label} {...item} />
        ))}
      </DropdownMenu.Group>
    )
  if ('choose' in entry) return <Choice key={entry.choose.label} {...entry.choose} />
  return <Item key={entry.label} {...entry} />
}

function Item(item: MenuItem) {
  if (item.obstacle !== undefined) return <Obstructed {...item} obstacle={item.obstacle} />
  const inner = (
    <>
      {item.icon}
      <span className="min-w-0 flex-1 truncate text-left">{item.label}</span>
      <CountPill count={item.count} label="pending" />
      {item.end}
    </>
  )
  const style = cn(menuItemStyle, item.danger && 'text-bad-text data-highlighted:bg-bad-soft [&>svg]:text-bad-text')
  return (
    <DropdownMenu.Item asChild={Boolean(item.to ?? item.href)} onSelect={() => item.onSelect?.()} className={style}>
      {item.to ? (
        <RouterLink to={item.to}>{inner}</RouterLink>
      ) : item.href ? (
        <a href={item.href} target="_blank" rel="noreferrer">
          {inner}
        </a>
      ) : (
        inner
      )}
    </DropdownMenu.Item>
  )
}

/** Radix would pass over a disabled item, and nobody could read why it is one. */
function Obstructed({ label, icon, obstacle }: MenuItem & { obstacle: string }) {
  const id = useId()
  return (
    <DropdownMenu.Item
      aria-disabled
      aria-describedby={id}
      onSelect={(event) => event.preventDefault()}
      className={cn(menuItemStyle, 'h-auto min-h-8 items-start py-1.5 [&>svg]:mt-0.5 [&>svg]:opacity-45')}
    >
      {icon}
      <span className="min-w-0 flex-1 text-left">
        <span className="block truncate opacity-45">{label}</span>
        {/* Its description, and no part of its name. */}
        <span id={id} aria-hidden className="block text-sm text-muted">
          {obstacle}
        </span>
      </span>
    </DropdownMenu.Item>
  )
}

function Choice({ label, value, onChange, options }: MenuChoice) {
  const id = useId()
  return (
    <div className="flex h-9 items-center gap-2.5 px-2">
      <span className="flex-1 text-muted" id={id}>
        {label}
      </span>
      <DropdownMenu.RadioGroup
        value={value}
        onValueChange={onChange}
        aria-labelledby={id}
        className="flex rounded-md border border-line-strong"
      >
        {options.map((option) => (
          <DropdownMenu.RadioItem
            key={option.value}
            value={option.value}
            aria-label={option.label}
            title={option.label}
            onSelect={(event) => event.preventDefault()}
            className="grid h-6 w-8 place-items-center border-r border-line text-muted outline-none first:rounded-l-[5px] last:rounded-r-[5px] last:border-0 data-highlighted:bg-hover data-highlighted:text-ink data-[state=checked]:bg-selected data-[state=checked]:text-ink"
          >
            {option.icon ?? option.label}
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
    </div>
  )
}
