import type { Instance } from '@app/contract'
import { ExternalLink, Sprout } from 'lucide-react'
import { useCan } from '../../../lib/can.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { useVisiting } from '../../teams/index.ts'
import { examplePath, useExample } from '../first-flow.ts'

/** The first steps with an instance that runs without flows; once it has the example, where that answers. */
export function FirstFlow({ instance }: { instance: Instance }) {
  const { id, url, meta, flowLastUpdatedAt, settings, ha } = instance
  const visiting = useVisiting()
  const mayDraw = useCan('project:flows:edit')
  const mayImport = useCan('project:edit')
  const { mutate, isPending, isSuccess } = useExample(id)
  const isNew = flowLastUpdatedAt === undefined && meta.state === 'running'
  if (visiting || !mayDraw || settings.disableEditor || ha) return null
  if (!isNew && !isPending && !isSuccess) return null
  const host = url.replace(/^https?:\/\//, '')
  return (
    <Card icon={<Sprout size={16} aria-hidden className="text-muted" />} title="Your first flow" padded>
      {isSuccess && flowLastUpdatedAt !== undefined ? (
        <p className="text-pretty">
          It answers at{' '}
          <a
            href={`${url}${examplePath}?name=you`}
            target="_blank"
            rel="noreferrer"
            className="mono rounded-sm break-all text-accent-text hover:underline"
          >
            {host}
            {examplePath} <ExternalLink size={14} className="inline" aria-label="(opens in a new tab)" />
          </a>
          . Open the editor to see and change it.
        </p>
      ) : (
        <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
          <p className="min-w-0 flex-1 basis-72 text-pretty text-muted">
            Open the editor, put nodes on the canvas, connect them and press Deploy. The pages that they serve are at{' '}
            <span className="mono break-all text-ink">{host}</span>.
          </p>
          {mayImport && (
            <Button loading={isPending} onClick={() => mutate()}>
              Deploy an example
            </Button>
          )}
        </div>
      )}
    </Card>
  )
}
