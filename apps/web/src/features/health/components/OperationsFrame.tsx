import type { ReactNode } from 'react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { PageHeader } from '../../../ui/PageHeader.tsx'

/** The head of a page about running the platform. */
export function OperationsFrame({
  title,
  description,
  actions,
  children,
}: {
  title: string
  description: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  usePageTitle(title, 'Admin')
  return (
    <>
      <PageHeader title={title} description={description} actions={actions} />
      {children}
    </>
  )
}
