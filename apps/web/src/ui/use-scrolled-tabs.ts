import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** Fades the end behind which more of a row is hidden; needs the `data-more` that `useScrolledTabs` keeps true. */
export const fadedEnds =
  'data-[more~=start]:mask-l-from-[calc(100%-2rem)] data-[more~=end]:mask-r-from-[calc(100%-2rem)]'

/**
 * For a row of links that scrolls sideways where it does not fit: brings the link of the current page into sight, and
 * says in `data-more` at which ends there is more to see.
 * @returns what the scrolling element takes as its ref.
 */
export function useScrolledTabs() {
  const ref = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    const row = ref.current
    if (!row) return
    const mark = () => {
      const hidden = row.scrollWidth - row.clientWidth - row.scrollLeft
      row.dataset.more = `${row.scrollLeft > 1 ? 'start' : ''} ${hidden > 1 ? 'end' : ''}`
    }
    const show = () => {
      const active = row.querySelector('[data-status=active]')
      if (active) row.scrollLeft += offsetOf(active.getBoundingClientRect(), row.getBoundingClientRect())
      mark()
    }
    // Called at once, and whenever the screen is turned.
    const sizes = new ResizeObserver(show)
    sizes.observe(row)
    row.addEventListener('scroll', mark, { passive: true })
    return () => {
      sizes.disconnect()
      row.removeEventListener('scroll', mark)
    }
  }, [pathname])
  return ref
}

/** Width of the faded ends. */
const faded = 32

/** Distance that a row has to move so that this link stands in its middle; 0 while it is in plain sight. */
function offsetOf(link: DOMRect, row: DOMRect): number {
  if (link.left >= row.left + faded && link.right <= row.right - faded) return 0
  return link.left + link.width / 2 - (row.left + row.width / 2)
}
