import { Tooltip as Radix } from 'radix-ui'
import { createContext, type ReactElement, type ReactNode, use } from 'react'

const Shared = createContext(false)

/** Around the console's frame: neighbouring tooltips then open without waiting again. Elsewhere each waits for itself. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Shared value>
      <Radix.Provider delayDuration={400}>{children}</Radix.Provider>
    </Shared>
  )
}

/** A short hint on hover and focus. Never the only place of something one must know. */
export function Tooltip({
  content,
  side = 'top',
  children,
}: {
  content: ReactNode
  side?: 'top' | 'right' | 'bottom' | 'left'
  children: ReactElement
}) {
  const isShared = use(Shared)
  if (!content) return children
  const tooltip = (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-70 animate-fade rounded-md bg-ink px-2 py-1 text-sm text-page shadow-raised"
        >
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
  return isShared ? tooltip : <TooltipProvider>{tooltip}</TooltipProvider>
}
