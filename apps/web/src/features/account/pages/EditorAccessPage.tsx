import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { answer } from './AccessRequestPage.tsx'

/** On the way into the editor of an own instance nothing needs asking. */
export function EditorAccessPage() {
  const { id } = useParams({ from: '/account/request/$id/editor' })
  usePageTitle('Editor')
  useEffect(() => answer(id, 'complete'), [id])
  return (
    <BoxedLayout title="Opening your editor">
      <Loading message="Redirecting back to your instance editor" />
    </BoxedLayout>
  )
}
