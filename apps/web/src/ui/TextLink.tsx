import type { ComponentProps } from 'react'
import { cn } from '../lib/cn.ts'
import { RouterLink, type RouterLinkProps } from './RouterLink.tsx'

const look = 'w-fit rounded-sm font-medium text-accent-text hover:underline'

/** A link in running text or under a form, into the console. */
export function TextLink({ className, ...rest }: RouterLinkProps) {
  return <RouterLink marksPlace={false} className={cn(look, className)} {...rest} />
}

/** The same to somewhere else; opens a new tab. */
export function TextAnchor({ className, children, ...rest }: ComponentProps<'a'>) {
  return (
    <a target="_blank" rel="noreferrer" className={cn(look, className)} {...rest}>
      {children}
    </a>
  )
}
