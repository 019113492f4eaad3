import { useEffect } from 'react'

/** Sets the window's title to 'Section - Name - FlowForge'; parts that are not known yet are left out. */
export function usePageTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter((part) => part), 'FlowForge'].join(' - ')
  useEffect(() => {
    document.title = title
  }, [title])
}
