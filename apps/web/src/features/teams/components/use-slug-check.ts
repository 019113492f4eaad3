import { patterns, intervals } from '@app/contract/constants'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { slugQuery } from '../teams.queries.ts'

/** Asks whether a slug is free once it has not changed for 200 ms [TEAM-09]. */
export function useSlugCheck(slug: string): 'free' | 'taken' | undefined {
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(slug), intervals.slugCheckDebounce)
    return () => clearTimeout(timer)
  }, [slug])
  const { data } = useQuery({ ...slugQuery(settled), enabled: patterns.slug.test(settled) })
  return settled === slug ? data : undefined
}
