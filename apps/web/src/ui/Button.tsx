import { type ComponentProps, type ReactNode, useRef } from 'react'
import { cn } from '../lib/cn.ts'
import { type ButtonSize, type ButtonVariant, buttonStyle } from './button-style.ts'
import { RouterLink, type RouterLinkProps } from './RouterLink.tsx'
import { Spinner } from './Spinner.tsx'

type Look = { variant?: ButtonVariant; size?: ButtonSize; icon?: ReactNode }

export type ButtonProps = Look & ComponentProps<'button'> & { loading?: boolean }

/** A key that is pressed twice, or held, clicks again before `loading` is drawn. */
const drawnMs = 150

/**
 * A button. One `primary` per screen. While `loading` it keeps its width and focus, turns a spinner in place of its
 * icon and ignores clicks. Of a double click it hears the first: the second comes before `loading` is drawn. So it does of
 * two presses of a key, where it can be `loading`.
 */
export function Button({ variant, size, icon, loading, className, children, type, onClick, ...rest }: ButtonProps) {
  const heardAt = useRef(-drawnMs)
  const isAgain = (clicks: number) => {
    const now = performance.now()
    const isSoon = clicks === 0 && loading === false && now - heardAt.current < drawnMs
    heardAt.current = now
    return clicks > 1 || isSoon
  }
  return (
    <button
      // oxlint-disable-next-line react/button-has-type -- one of the three that the type allows
      type={type ?? 'button'}
      aria-busy={loading || undefined}
      aria-disabled={loading || undefined}
      className={cn(buttonStyle(variant, size), className)}
      onClick={(event) => (loading || isAgain(event.detail) ? event.preventDefault() : onClick?.(event))}
      {...rest}
    >
      {loading ? <Spinner size={14} /> : icon}
      {children}
    </button>
  )
}

/** A link into the console that looks like a button. */
export function ButtonLink({ variant, size, icon, className, children, ...rest }: Look & RouterLinkProps) {
  return (
    <RouterLink className={cn(buttonStyle(variant, size), className)} {...rest}>
      {icon}
      {children}
    </RouterLink>
  )
}

/**
 * A link out of the console that looks like a button; opens a new tab. Without `href` it is shown disabled, and still
 * takes pointer and focus, so that a tooltip can say why. `wide` has all the width, and lines enough for any text.
 */
export function ButtonAnchor({
  variant,
  size,
  icon,
  wide,
  className,
  children,
  href,
  ...rest
}: Look & ComponentProps<'a'> & { wide?: boolean }) {
  return (
    <a
      href={href}
      role={href ? undefined : 'link'}
      aria-disabled={href ? undefined : true}
      tabIndex={href ? undefined : 0}
      target="_blank"
      rel="noreferrer"
      className={cn(
        buttonStyle(variant, size),
        !href && 'pointer-events-auto! cursor-not-allowed',
        wide && 'h-auto! min-h-8 w-full py-1.25 text-center wrap-anywhere whitespace-normal!',
        className,
      )}
      {...rest}
    >
      {icon}
      {children}
    </a>
  )
}
